"""The primitive of a ring's products, with its rules for derivatives and vmap.

Like `contract_p` (dense/primitive.py) it is linear in each operand but for its epilogue, and
its transposes are the other products of the ring. So it has derivatives of any order, in forward
and reverse mode.
"""

import functools

import jax
from jax.extend.core import Primitive, jaxpr_as_fun
from jax.interpreters import ad, batching, mlir
import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm.call import activations, checkpoint_policies, epilogue
from jaxgemm.call.dtypes import tangents_dtype
from jaxgemm.call.residuals import kept
from jaxgemm.collective import copies, ring
from jaxgemm.collective.ring import Form
from jaxgemm.dense.primitive import zero_tangents
from jaxgemm.sharding import mesh as meshes
from jaxgemm.sharding.manual_axes import unify_varying

# Its parameter `jaxpr` is what one device computes by a ring, and `devices` is
# copies.needs_devices() or None.
ring_p = Primitive("jaxgemm_ring")
ring_p.multiple_results = True


def bind(first, second, bias=None, *, form: Form) -> list[jax.Array]:
  """Binds ring_p: [out], or [out, preact] with form.spec.save_preact.

  Args:
    first: the first operand, in the order of `ring.ROLES`.
    second: the other one.
    bias: values in the dtype that the kernels read, [columns of out], or None.
  """
  # Because of unify_varying, jax sums the gradient of an operand over the axes along which the
  # operand is the same on all devices.
  operands = unify_varying([x for x in (first, second, bias) if x is not None],
                           *meshes.names(form.axis_name))
  jaxpr = jax.make_jaxpr(functools.partial(ring.results, form=form))(*operands)
  may_copy = (form.gives != "weights" and form.transfers != "ring"
              and _ffi.default_platform() in copies.PLATFORMS)
  return ring_p.bind(*operands, form=form, jaxpr=jaxpr,
                     devices=copies.needs_devices() if may_copy else None)


@ring_p.def_effectful_abstract_eval
def _abstract_eval(*_, form, jaxpr, devices):
  return jaxpr.out_avals, jaxpr.effects


checkpoint_policies.register(ring_p, lambda _, params: params["form"].num_batch > 0)


@ring_p.def_impl
def _impl(*operands, form, jaxpr, devices):
  return jaxpr_as_fun(jaxpr)(*operands)


def _lowering(ctx, *operands, form, jaxpr, devices, platform=None):
  context = ctx.module_context.axis_context
  reason = "" if devices is None else copies.why_not(
      form, ctx.avals_in, context.mesh, context.manual_axes, platform)
  if reason is None:
    return copies.lower(ctx, *operands, form=form, platform=platform)
  if reason and form.transfers == "copies":
    raise ValueError(
        f"transfers='copies' was given, but {reason}. Leave transfers out, and a ring computes it.")
  return mlir.lower_fun(jaxpr_as_fun(jaxpr), multiple_results=True)(ctx, *operands)


mlir.register_lowering(ring_p, _lowering)
for _gpu in copies.PLATFORMS:
  mlir.register_lowering(ring_p, functools.partial(_lowering, platform=_gpu), platform=_gpu)


def _jvp(primals, tangents, *, form, jaxpr, devices):
  tangents = [None if type(t) is ad.Zero else t for t in tangents]
  spec = form.spec
  if not jnp.issubdtype(spec.out_dtype, jnp.inexact):
    outs = bind(*primals, form=form)
    return outs, zero_tangents(outs)

  outs = activations.activated(bind(*primals, form=form._replace(spec=spec.for_derivative())), spec)
  arrays = kept(primals[:2])
  dtype = tangents_dtype(spec.out_dtype, spec.activation is not None)
  terms = []
  for i, tangent in enumerate(tangents):
    if tangent is None:
      continue
    if i == 2:
      terms.append(jnp.broadcast_to(tangent.astype(jnp.float32), outs[0].shape))
    else:
      operands = [tangent if i == j else x for j, x in enumerate(arrays)]
      terms += bind(*operands, form=form.for_gradient(form.gives, dtype))
  d_z = epilogue.added(terms)
  return outs[:1 + spec.save_preact], activations.tangents(d_z, outs, spec)


ad.primitive_jvps[ring_p] = _jvp


def _transpose(cotangents, *operands, form, jaxpr, devices):
  # Only calls that _jvp binds are transposed: no bias, no activation, one result.
  ct, = cotangents
  if type(ct) is ad.Zero:
    return [None] * len(operands)
  arrays = dict(zip(form.operand_names(), operands))
  wanted, = (name for name, x in arrays.items() if ad.is_undefined_primal(x))
  dtype = arrays[wanted].aval.dtype
  arrays[form.gives] = ct
  transposed = form.for_gradient(wanted, dtype)
  out, = bind(*(arrays[name] for name in transposed.operand_names()), form=transposed)
  return [out if name == wanted else None for name in form.operand_names()]


ad.primitive_transposes[ring_p] = _transpose


def _batch(operands, axes, *, form, jaxpr, devices):
  size, = {x.shape[axis] for x, axis in zip(operands, axes) if axis is not None}
  if len(operands) > 2 and axes[2] is not None:
    sums = form._replace(spec=form.spec.accumulator(*operands[:2]))
    if all(axis is None for axis in axes[:2]):
      acc, = bind(*operands[:2], form=sums)
    else:
      (acc,), (axis,) = _batch(
          operands[:2], axes[:2], form=sums, jaxpr=None, devices=None)
      acc = jnp.moveaxis(acc, axis, 0)
    bias = jnp.moveaxis(operands[2], axes[2], 0)
    bias = bias.reshape(size, *(1,) * (len(jaxpr.out_avals[0].shape) - 1), -1)
    outs = epilogue.results(acc + bias, form.spec)
    return outs, [0] * len(outs)

  arrays = dict(zip(form.operand_names(), zip(operands, axes)))
  # If the weights have no batch, the new dimension is one more dimension of the rows.
  new = form.num_batch
  only_rows = form.gives != "weights" and arrays["weights"][1] is None
  if not only_rows:
    new, form = 0, form._replace(num_batch=form.num_batch + 1)
  moved = []
  for name, (x, axis) in arrays.items():
    if axis is not None:
      x = jnp.moveaxis(x, axis, new)
    elif name != "weights" or not only_rows:
      x = jnp.broadcast_to(x, (size, *x.shape))
    moved.append(x)
  outs = bind(*moved, *operands[2:], form=form)
  return outs, [new] * len(outs)


batching.primitive_batchers[ring_p] = _batch
