"""The epilogue in jnp, for gradients and for products whose kernel cannot compute it."""

import functools

import jax
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jax.interpreters import partial_eval as pe
import jax.numpy as jnp

from jaxgemm.call.quantization import quantize
from jaxgemm.call.spec import Labels

# The names of the value before an activation: ours, and those of the policies of MaxText, where the
# two parts before a gate have names of their own.
PREACT = "jaxgemm_preact", "mlpwi_0", "mlpwi_1"

# The primitive of checkpoint_name; jax has no public name for it.
_name_p = jax.make_jaxpr(lambda x: checkpoint_name(x, "x"))(
    jax.ShapeDtypeStruct((), jnp.float32)).eqns[0].primitive

# These are the kernels' formulas: gelu is the tanh approximation.
_ACTIVATIONS = {"relu": jax.nn.relu, "gelu": jax.nn.gelu, "silu": jax.nn.silu}


# one_of_p(x, x, ...) is x. Its operands have the names PREACT. Where jax.checkpoint has saved one
# of them, it does not compute the others again.
one_of_p = Primitive("jaxgemm_one_of")
one_of_p.def_impl(lambda x, *_: x)
one_of_p.def_abstract_eval(lambda x, *_: x)
mlir.register_lowering(one_of_p, lambda ctx, x, *_: [x])
batching.defvectorized(one_of_p)
ad.primitive_jvps[one_of_p] = lambda primals, tangents: (one_of_p.bind(*primals), tangents[0])


def there(saveable, recomputed, named) -> int | None:
  """Which of the operands with the names PREACT the backward pass has, if any; one is enough.

  For jax.checkpoint an offloaded value is one that the backward pass computes: by a copy from the
  host's memory. So the policy says which these are. jax drops the copies that nothing reads.

  Args:
    saveable: the policy.
    recomputed: for each operand, whether the backward pass computes it; else it is saved.
    named: the operands.
  """
  if not all(recomputed):
    return recomputed.index(False)
  for i, (name, x) in enumerate(zip(PREACT, named)):
    # jax has no public name for this decision.
    if type(saveable(_name_p, x.aval, name=name)).__name__ == "Offloadable":
      return i
  return None


def _partial_eval(saveable, unknown, recomputed, eqn):
  """The rule of one_of_p for `jax.checkpoint`; for the arguments see call/activations.py."""
  if any(unknown):
    saved = [x for x, again in zip(eqn.invars, recomputed, strict=True) if not again]
    return None, eqn, [True], [True], saved
  i = there(saveable, recomputed, eqn.invars) or 0
  read = eqn.invars[i:i + 1]
  return eqn, eqn.replace(invars=read), [False], [True], [] if recomputed[i] else read


pe.partial_eval_jaxpr_custom_rules[one_of_p] = _partial_eval


def with_each_name(preact: jax.Array) -> list[jax.Array]:
  """The value before an activation, once for each of its names."""
  return [checkpoint_name(preact, name) for name in PREACT]


def named(preact: jax.Array) -> jax.Array:
  """The value before an activation, with its names for the policies of `jax.checkpoint`."""
  return one_of_p.bind(*with_each_name(preact))


def activate(x: jax.Array, activation: str | None, gated: bool = False) -> jax.Array:
  """activation(x), or if gated activation(x[..., 0, :]) * x[..., 1, :].

  Raises:
    ValueError: x has integers, and there is an activation.
  """
  if gated:
    return activate(x[..., 0, :], activation) * x[..., 1, :]
  if activation is None:
    return x
  if jnp.issubdtype(x.dtype, jnp.integer):
    # CheckProblem in ffi/plan/check.cc raises a similar error for the kernels.
    raise ValueError(
        f"activation={activation!r} works in float, and the sums are {x.dtype.name}. Pass "
        "preferred_element_type=float32 (or another float type).")
  return _ACTIVATIONS[activation](x)


def expand(x: jax.Array, labels: Labels, to: Labels) -> jax.Array:
  """x, whose dimensions are `labels`, in a shape that broadcasts along `to`."""
  order = sorted(range(len(labels)), key=lambda i: to.index(labels[i]))
  if order != list(range(len(labels))):
    x = jnp.transpose(x, order)
  missing = tuple(i for i, label in enumerate(to) if label not in labels)
  return jnp.expand_dims(x, missing) if missing else x


def lifted(x: jax.Array, rank: int) -> jax.Array:
  """x with dimensions of size 1 in front, so that it has this rank.

  jax.numpy would add them by itself, but not under jax.numpy_rank_promotion("raise").
  """
  return lax.expand_dims(x, range(rank - x.ndim))


def scaled(z, scale, row_scale, dims) -> jax.Array:
  """z, with the labels dims.out, times the scales, of which each may be None."""
  for x, labels in ((row_scale, dims.row_scale), (scale, dims.scale)):
    if x is not None:
      z = z * expand(x, labels, dims.out)
  return z


def apply(acc, acc_labels, bias, scale, row_scale, *, dims, spec) -> list[jax.Array]:
  """Results of a contraction, given its accumulator (float32 or int32).

  Args:
    acc: the accumulator; its labels are `acc_labels`, those of dims.out or fewer.
    bias: values with the labels dims.bias, or None.
    scale: values with the labels dims.scale, or None.
    row_scale: values with the labels dims.row_scale, or None.
    dims: the contraction's labels.
    spec: its `Spec`.
  """
  z = scaled(expand(acc, acc_labels, dims.out), scale, row_scale, dims)
  if bias is not None:
    # The cast comes before the broadcast, as in jax.numpy's `z + bias`. So XLA gets the same
    # operations.
    bias = bias.astype(jnp.promote_types(z.dtype, bias.dtype))
    z = z + expand(bias, dims.bias, dims.out)
  return results(z, spec)


def results(z, spec, gated: bool = False) -> list[jax.Array]:
  """The results of a call (see `out_avals`) from the value before the activation."""
  if spec.activation is not None or gated:
    z = named(z)
  return quantized(activate(z, spec.activation, gated), [z] * spec.save_preact, spec)


def quantized(out, preact: list, spec) -> list[jax.Array]:
  """The results of a call (see `out_avals`) from its float results.

  Args:
    out: the result.
    preact: [the value before the activation] with spec.save_preact, else [].
    spec: its `Spec`.
  """
  preact = [x.astype(spec.preact_dtype) for x in preact]
  if spec.quantize_out is None:
    return [out.astype(spec.out_dtype), *preact]
  values, scales = quantize(out, spec.quantize_out, dtype=spec.out_dtype)
  if spec.quantize_out == "mx":
    scales = lax.bitcast_convert_type(scales, jnp.uint8)
  return [values, *preact, scales]


def added(terms) -> jax.Array:
  """The sum of tangents. Those of 8 bits, which jax adds to no other dtype, are cast to float32."""
  if len(terms) > 1:
    terms = [x.astype(jnp.float32) if x.dtype.itemsize == 1 else x for x in terms]
  return functools.reduce(jnp.add, terms)
