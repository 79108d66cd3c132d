"""What the backward pass reads, in forms that suit `jax.checkpoint`.

With a policy that saves values, `jax.checkpoint` passes each saved float that the forward pass
reads, too, through `lax.reduce_precision` with the bits of its own dtype. That is meant to change
nothing. But `reduce_precision` knows only formats as in IEEE 754, without subnormal values. So
448 in float8_e4m3fn becomes NaN, 4 in float4_e2m1fn becomes 6, and the subnormal values of most
formats become 0. `kept` gives operands in a form that it does not round.

`activated` names the value before the activation, so that policies can save it, and lets
`jax.checkpoint` make the result of this value where it would compute the product again.
"""

import functools

import jax
from jax.extend.core import Primitive, Var
from jax.interpreters import ad, batching, mlir
from jax.interpreters import partial_eval as pe
import jax.numpy as jnp

from jaxgemm.call import epilogue

# The identity. Its result is a value that only the backward pass reads.
kept_p = Primitive("jaxgemm_kept")
kept_p.def_abstract_eval(lambda x: x)
kept_p.def_impl(lambda x: x)
ad.deflinear2(kept_p, lambda ct, _: (ct,))
batching.defvectorized(kept_p)
mlir.register_lowering(kept_p, lambda _, x: [x])


def is_narrow(x) -> bool:
  """Whether the elements of an array are floats of 8 bits or fewer."""
  dtype = jnp.result_type(x)
  return jnp.issubdtype(dtype, jnp.floating) and dtype.itemsize == 1


def kept(tree):
  """The same arrays, for derivatives only; the forward pass reads those that are given."""
  return jax.tree.map(lambda x: kept_p.bind(x) if is_narrow(x) else x, tree)


# activated_p(out, preact) is out, and activated_p(preact) is the activation of preact.
activated_p = Primitive("jaxgemm_activated")


def activated(outs, spec, gated: bool = False) -> list[jax.Array]:
  """The results of a product that is differentiated: [out], or [out, preact] with a name."""
  if len(outs) == 1:
    return outs
  out, preact = outs
  preact = epilogue.named(preact)
  out = activated_p.bind(out, preact, activation=spec.activation, gated=gated)
  return [out, preact]


def _activated(*operands, activation, gated):
  *out, preact = operands
  if out:
    return out[0]
  return epilogue.activate(preact.astype(jnp.float32), activation, gated).astype(preact.dtype)


@activated_p.def_abstract_eval
def _abstract_eval(*operands, activation, gated):
  *out, preact = operands
  if out:
    return out[0]
  shape = (*preact.shape[:-2], preact.shape[-1]) if gated else preact.shape
  return preact.update(shape=shape, weak_type=False)


def _jvp(primals, tangents, **params):
  if len(primals) == 1:
    return jax.jvp(functools.partial(_activated, **params), primals, tangents)
  return activated_p.bind(*primals, **params), tangents[0]


def _batch(operands, axes, **params):
  operands = [jnp.moveaxis(x, axis, 0) for x, axis in zip(operands, axes, strict=True)]
  return activated_p.bind(*operands, **params), 0


def _partial_eval(saveable, unknown, recomputed, eqn):
  """The rule for `jax.checkpoint`.

  Args:
    saveable: the policy.
    unknown: for each operand, whether only the backward pass has it.
    recomputed: for each operand, whether the backward pass computes it; else it would be saved.
    eqn: the equation.

  Returns:
    The equations of the forward and of the backward pass, or None; whether the result is unknown,
    and whether it is recomputed; the operands that are saved.
  """
  operands = list(zip(eqn.invars, recomputed, strict=True))
  if any(unknown):
    return None, eqn, [True], [True], _not_there(operands)
  # The forward pass does not read preact: jax.checkpoint would then round it.
  known = eqn if len(operands) == 1 else eqn.replace(
      primitive=kept_p, invars=eqn.invars[:1], params={})
  if not all(recomputed):
    if saveable(eqn.primitive, *(x.aval for x in eqn.invars), **eqn.params) is True:
      return known, None, [False], [False], []
    operands = operands[-1:]  # of preact: out would need the product again, or be saved, too
  again = eqn.replace(invars=[x for x, _ in operands])
  return known, again, [False], [True], _not_there(operands)


def _not_there(operands):
  return [x for x, recomputed in operands if isinstance(x, Var) and not recomputed]


activated_p.def_impl(_activated)
mlir.register_lowering(activated_p, mlir.lower_fun(_activated, multiple_results=False))
ad.primitive_jvps[activated_p] = _jvp
batching.primitive_batchers[activated_p] = _batch
pe.partial_eval_jaxpr_custom_rules[activated_p] = _partial_eval
