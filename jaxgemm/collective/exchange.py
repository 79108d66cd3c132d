"""Blocks that travel between the devices of an axis while products run.

`start` begins to send. `done` waits for what arrives, and the products between them run beside the
transfer. Both belong into one function of the program, and each start needs one done. Only data
dependences fix the order: what reads an array that `start` passed through runs after the start,
and `done` comes after what computes the arrays that it passes through.

There are two forms. For GPUs of one process, custom calls let copy engines bring the blocks
(ffi/bindings/exchange_handlers.h); arrays are passed through in their memory. Everything else is
sent by `jax.lax.ppermute`, and XLA decides what runs beside it. `why_not` says which form a call
gets.

The exchange is linear. The derivative of a done is a start in the other direction, and that of a
start is a done, and a sum over the devices where one array went to all of them. So the backward
pass runs beside transfers, too: the cotangents of the arrays before a done pass through a start.
"""

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
from jax import lax
from jax.extend.core import Primitive, jaxpr_as_fun, new_jaxpr_eqn
from jax.interpreters import ad, batching, mlir, partial_eval
import jax.numpy as jnp
import numpy as np

from jaxgemm import _ffi
from jaxgemm.call.lower import fenced, in_order
from jaxgemm.call.primitives import reshaped
from jaxgemm.chunked import calls
from jaxgemm.collective import copies
from jaxgemm.collective.ring import Ring
from jaxgemm.sharding import mesh as meshes
from jaxgemm.sharding.manual_axes import unify_varying

START_TARGET = "jaxgemm_exchange_start"
DONE_TARGET = "jaxgemm_exchange_done"


class Form(NamedTuple):
  """What travels where.

  D devices are along the axes, and s is 1 to D - 1.

  Attributes:
    axis_name: the mesh axis, or a tuple of axes, that the devices are along.
    sends: "all": x goes to all other devices; block s - 1 of what a device receives comes from the
      device s places after it. "after": block s - 1 of x is for the device s places after this one,
      so the received block s - 1 comes from the device s places before. "before": the reverse.
    with_own: whether a block of the device itself comes before the others. It is copied, too.
  """

  axis_name: Any
  sends: str
  with_own: bool

  def reverse(self) -> "Form":
    """The exchange that brings the blocks back."""
    return self._replace(sends="before" if self.sends == "after" else "after")


@functools.partial(jax.tree_util.register_dataclass, data_fields=["received"],
                   meta_fields=["form"])
@dataclasses.dataclass(frozen=True)
class Started:
  """What `start` has begun to send.

  Attributes:
    received: the blocks that arrive, a tree like that of `start`. Only `done` may read them.
    form: what travels where; None if there is one device.
  """

  received: Any
  form: Form | None


def start(x, *then, axis_name, scatters: bool = False, with_own: bool = False):
  """Begins to send x to the other devices along an axis of `jax.shard_map`.

  Args:
    x: the array of this device, or a tree of arrays, each of which travels by itself. With
      scatters=True block s - 1 of its first dimension is for the device s places after this one;
      D - 1 blocks for D devices.
    then: arrays that are passed through. What reads the results runs after the start. In the
      backward pass the done of the cotangents comes after what computes the cotangents of these,
      so floats that the products read order that done, too.
    axis_name: the mesh axis, or a tuple of axes, that the devices are along.
    scatters: whether each device gets a block of its own. Otherwise all get x.
    with_own: one more block, of the device itself, is the first of what is received; with
      scatters=True it is the first of x.

  Returns:
    (started, *then) for `done`, with the received blocks. Without scatters block s - 1 is x of the
    device s places after this one, [D - 1, *x.shape]. With scatters it comes from the device s
    places before, [D - 1, *x.shape[1:]].
  """
  size = lax.axis_size(axis_name)
  blocks = size - 1 + with_own
  form = Form(axis_name, "after" if scatters else "all", with_own) if size > 1 else None
  arrays, tree = jax.tree.flatten(x)
  received = []
  for each in map(jnp.asarray, arrays):
    if scatters and (not each.ndim or each.shape[0] != blocks):
      raise ValueError(
          f"x has shape {each.shape}; with {size} devices along {axis_name!r} its first dimension "
          f"has to be {blocks}, one block for each device that gets one.")
    if form is not None:
      each, *then = _bind_start(each, then, form)
    elif not scatters:
      each = each[None][:blocks]
    received.append(each)
  return Started(jax.tree.unflatten(tree, received), form), *then


def done(started: Started, *before):
  """Waits for the blocks; returns (received, *before).

  Args:
    started: what `start` returned in the same function. Each has one done.
    before: arrays, or trees of them, that are passed through. The wait comes after what computes
      them.
  """
  if started.form is None:
    return started.received, *before
  arriving, tree = jax.tree.flatten(started.received)
  arrays, of_before = jax.tree.flatten(before)
  received = []
  for each in arriving:
    each, *arrays = done_p.bind(each, *map(jnp.asarray, arrays), form=started.form,
                                devices=_devices())
    received.append(each)
  return jax.tree.unflatten(tree, received), *jax.tree.unflatten(of_before, arrays)


def why_not(received, form: Form, mesh, manual_axes, platform: str | None) -> str | None:
  """Why blocks are sent by `jax.lax.ppermute`; None if copy engines bring them.

  Args:
    received: array or aval of the blocks that one device receives.
    form: what travels where.
    mesh: the mesh of the `jax.shard_map`, with devices.
    manual_axes: the names of its manual axes.
    platform: the platform that the program is lowered for.
  """
  if platform not in copies.PLATFORMS:
    return f"{platform} has no copy engines that this package uses"
  if not received.size:
    return "the blocks are empty"
  return copies.groups(form.axis_name, mesh, manual_axes)[1]


def _devices():
  return copies.needs_devices() if _ffi.default_platform() in copies.PLATFORMS else None


def _sent(x, *, form: Form):
  """What this device receives, by ppermute."""
  if jnp.issubdtype(x.dtype, jnp.floating) and jnp.finfo(x.dtype).bits == 8:
    # XLA for CPUs would send float8 as wider floats.
    sent = _sent(lax.bitcast_convert_type(x, jnp.uint8), form=form)
    return lax.bitcast_convert_type(sent, x.dtype)
  ring = Ring.of(form.axis_name)
  first = int(form.with_own)
  block = (lambda i: x) if form.sends == "all" else (lambda i: x[i])
  sign = 1 if form.sends == "after" else -1
  blocks = [block(0)] if form.with_own else []
  blocks += [ring.send(block(first + step - 1), sign * step) for step in range(1, ring.size)]
  return jnp.stack(blocks)


# Its operands are x and the arrays that it passes through. The parameter `jaxpr` is `_sent`, and
# `devices` is copies.needs_devices() or None.
start_p = Primitive("jaxgemm_exchange_start")
start_p.multiple_results = True


def _bind_start(x, then, form: Form):
  # Because of unify_varying, jax sums the gradient of x over the axes along which x is the same on
  # all devices.
  x, = unify_varying([x], *meshes.names(form.axis_name))
  jaxpr = jax.make_jaxpr(functools.partial(_sent, form=form))(x)
  return start_p.bind(x, *map(jnp.asarray, then), form=form, jaxpr=jaxpr, devices=_devices())


@start_p.def_effectful_abstract_eval
def _start_abstract_eval(x, *then, form, jaxpr, devices):
  return [*jaxpr.out_avals, *then], jaxpr.effects


@start_p.def_impl
def _start_impl(x, *then, form, jaxpr, devices):
  return [*jaxpr_as_fun(jaxpr)(x), *then]


def _refusal(ctx, received, form: Form, platform: str | None) -> str | None:
  """Why a lowering sends by ppermute; see `why_not`."""
  context = ctx.module_context.axis_context
  return why_not(received, form, context.mesh, context.manual_axes, platform)


def _start_lowering(ctx, x, *then, form, jaxpr, devices, platform=None):
  if devices is not None and _refusal(ctx, ctx.avals_out[0], form, platform) is None:
    context = ctx.module_context.axis_context
    of_devices, _ = copies.groups(form.axis_name, context.mesh, context.manual_axes)
    # XLA must neither merge two equal starts nor drop one of which there is a done.
    rule = jax.ffi.ffi_lowering(START_TARGET, has_side_effect=True)
    received, = rule(
        ctx.replace(avals_in=ctx.avals_in[:1], avals_out=ctx.avals_out[:1]), *fenced([x]),
        devices=of_devices, sends=form.sends, with_own=np.int64(form.with_own),
        timeout_ns=np.int64(copies.TIMEOUT_NS))
    return in_order(received, then)
  received, = mlir.lower_fun(jaxpr_as_fun(jaxpr), multiple_results=True)(
      ctx.replace(avals_in=ctx.avals_in[:1], avals_out=ctx.avals_out[:1]), x)
  return [received, *then]


mlir.register_lowering(start_p, _start_lowering, cacheable=False)
for _gpu in copies.PLATFORMS:
  mlir.register_lowering(start_p, functools.partial(_start_lowering, platform=_gpu), platform=_gpu,
                         cacheable=False)


def _instantiated(tangents):
  return [t for t in tangents if type(t) is not ad.Zero]


def _refilled(tangents, values):
  """The tangents, with the next of the values in place of each that is no symbolic zero."""
  values = iter(values)
  return [t if type(t) is ad.Zero else next(values) for t in tangents]


def _start_jvp(primals, tangents, *, form, jaxpr, devices):
  received, *then = start_p.bind(*primals, form=form, jaxpr=jaxpr, devices=devices)
  x_dot, *then_dots = tangents
  if type(x_dot) is ad.Zero:
    return [received, *then], [ad.Zero(jax.typeof(received).to_tangent_aval()), *then_dots]
  received_dot, *moved = _bind_start(x_dot, _instantiated(then_dots), form)
  return [received, *then], [received_dot, *_refilled(then_dots, moved)]


ad.primitive_jvps[start_p] = _start_jvp


def _start_transpose(cotangents, x, *then, form, jaxpr, devices):
  arriving, *cts = cotangents
  if type(arriving) is ad.Zero:
    return [ad.Zero(x.aval), *cts]
  back, *moved = done_p.bind(arriving, *_instantiated(cts), form=form.reverse(), devices=devices)
  if form.sends == "all":
    wide = jnp.promote_types(back.dtype, jnp.float32)
    back = back.astype(wide).sum(0).astype(back.dtype)
  return [back, *_refilled(cts, moved)]


ad.primitive_transposes[start_p] = _start_transpose


def _start_batch(operands, axes, *, form, jaxpr, devices):
  (x, *then), (axis, *then_axes) = operands, axes
  if axis is None:
    return start_p.bind(*operands, form=form, jaxpr=jaxpr, devices=devices), [None, *then_axes]
  # The new dimension comes behind that of the blocks.
  x = jnp.moveaxis(x, axis, 0 if form.sends == "all" else 1)
  return _bind_start(x, then, form), [1, *then_axes]


batching.primitive_batchers[start_p] = _start_batch


# Its operands are the arriving blocks and the arrays that it passes through. With form=None all are
# passed through, and there are no blocks.
done_p = Primitive("jaxgemm_exchange_done")
done_p.multiple_results = True
done_p.def_abstract_eval(lambda *operands, form, devices: list(operands))


@done_p.def_impl
def _done_impl(*operands, form, devices):
  return operands


def _source(received):
  """The x of the start that gave the arriving blocks."""
  received = calls.origin(received)
  start_call = None if isinstance(received, mlir.ir.BlockArgument) else received.owner
  if start_call is None or calls.call_target(start_call) != START_TARGET:
    raise ValueError(
        "the done of an exchange does not see its start: between two functions or steps of a loop "
        "XLA may move the blocks while they arrive. Call start and done in the same function.")
  return start_call.operands[0]


def _done_lowering(ctx, *operands, form, devices, platform=None):
  if form is None:
    return list(operands)
  if devices is not None and _refusal(ctx, ctx.avals_in[0], form, platform) is None:
    blocks = ctx.avals_in[0]
    x = reshaped(blocks, blocks.shape[1:] if form.sends == "all" else blocks.shape)
    # The call gets x, too, so that XLA keeps its memory.
    rule = jax.ffi.ffi_lowering(DONE_TARGET, has_side_effect=True,
                                operand_output_aliases={i: i for i in range(len(operands))})
    source = _source(operands[0])
    return fenced(rule(ctx.replace(avals_in=[*ctx.avals_in, x]), *fenced(operands), source,
                       timeout_ns=np.int64(copies.TIMEOUT_NS)))
  return in_order(operands[0], operands[1:])


mlir.register_lowering(done_p, _done_lowering, cacheable=False)
for _gpu in copies.PLATFORMS:
  mlir.register_lowering(done_p, functools.partial(_done_lowering, platform=_gpu), platform=_gpu,
                         cacheable=False)


def _done_jvp(primals, tangents, **params):
  outs = done_p.bind(*primals, **params)
  if params["form"] is None or type(tangents[0]) is ad.Zero:
    return outs, tangents
  return outs, _refilled(tangents, done_p.bind(*_instantiated(tangents), **params))


ad.primitive_jvps[done_p] = _done_jvp


def _done_transpose(cotangents, *operands, form, devices):
  if form is None or type(cotangents[0]) is ad.Zero:
    return cotangents
  ct, *cts = cotangents
  arriving, *moved = _bind_start(ct, _instantiated(cts), form.reverse())
  return [arriving, *_refilled(cts, moved)]


ad.primitive_transposes[done_p] = _done_transpose


def _done_batch(operands, axes, **params):
  return done_p.bind(*operands, **params), axes


batching.primitive_batchers[done_p] = _done_batch


def _dce(used, eqn):
  """Drops what is unused. An exchange whose blocks are unused becomes a done without a form.

  jax's own rule keeps a start if an array that it passes through is used, and may drop its done.
  """
  if not any(used):
    return used, None
  primitive, params, effects = eqn.primitive, eqn.params, eqn.effects
  if not used[0]:
    primitive, effects, params = done_p, set(), dict(form=None, devices=None)
  keep = lambda variables: [x for x, is_used in zip(variables, used) if is_used]
  return used, new_jaxpr_eqn(keep(eqn.invars), keep(eqn.outvars), primitive, params, effects,
                             eqn.source_info, eqn.ctx)


partial_eval.dce_rules[start_p] = _dce
partial_eval.dce_rules[done_p] = _dce
