"""Products of gathered rows in one custom call, for GPUs of one process.

Each device multiplies its own rows while copy engines bring those of the others, then these,
device by device, all in place in the result (ffi/runtime/gathered.h). The host threads of the
devices meet in the call, so all devices must be of one process. `why_not` says where a ring
(ring.py) has to do it.
"""

import dataclasses
import functools

import jax
from jax.experimental.custom_partitioning import custom_partitioning
import jax.numpy as jnp
import numpy as np

from jaxgemm import mesh as meshes
from jaxgemm.collective.ring import Form
from jaxgemm.custom_call import plan, prepared, reshaped
from jaxgemm.dense.primitive import is_bf16
from jaxgemm.fallback import prefers_xla, unsupported_reason
from jaxgemm.precision import is_high
from jaxgemm.spec import Geometry

GATHERED_TARGET = "jaxgemm_gathered_gemm"
TRANSFERS = ("copies", "ring")
PLATFORMS: tuple[str, ...] = "cuda", "rocm"

# Into how many products the rows of one device are cut: the first of them begins when its part
# has arrived.
PIECES = 1
_TIMEOUT_NS = 120 * 10**9


@functools.cache
def needs_devices():
  """A jaxpr that shows jax that a primitive's lowering needs the devices, as a parameter.

  Without it jax may take a program that was lowered for a mesh of other devices.
  """
  @custom_partitioning
  def same(x):
    return x

  same.def_partition(partition=None, infer_sharding_from_operands=None, sharding_rule="i -> i")
  return meshes.partitioned_jaxpr(same, [jax.ShapeDtypeStruct((1,), jnp.float32)])


def _groups(form: Form, mesh, manual_axes) -> tuple[str, str | None]:
  """(the devices' ordinals in groups that gather from each other, why they cannot)."""
  names = form.axis_name if isinstance(form.axis_name, tuple) else (form.axis_name,)
  if not isinstance(mesh, jax.sharding.Mesh):
    return "", "the mesh has no devices"
  free = [a for a in mesh.axis_names if a not in manual_axes and mesh.shape[a] > 1]
  if free:
    return "", f"XLA shares out the product over {free[0]!r}, an axis outside of the shard_map"
  if not set(mesh.devices.flat) <= set(jax.local_devices()):
    return "", "the mesh has devices that are not this process's"
  ordinals = np.vectorize(lambda device: device.local_hardware_id)(mesh.devices)
  if len(set(ordinals.flat)) != ordinals.size:
    return "", "the devices have no ordinals of their own"
  others = [a for a in mesh.axis_names if a not in names]
  order = [mesh.axis_names.index(a) for a in (*others, *names)]
  size = int(np.prod([mesh.shape[a] for a in names]))
  groups = ordinals.transpose(order).reshape(-1, size)
  return ";".join(" ".join(map(str, group)) for group in groups), None


def _geometry(rows, weights, form: Form) -> Geometry:
  """The sizes and layouts of the product of one piece."""
  return Geometry.of((rows.shape[0] // PIECES, rows.shape[1]), weights.shape, 1,
                     int(form.transposed))


def _planned(operands, form: Form, platform: str) -> dict:
  rows, weights, *bias = operands
  spec = dataclasses.replace(form.spec, precise=is_high(form.precision))
  return plan(_geometry(rows, weights, form), rows.dtype, weights.dtype, spec,
              spec.target(platform), bias=bool(bias), bias_bf16=is_bf16(*bias or [None]))


def why_not(form: Form, operands, mesh, manual_axes, platform: str | None) -> str | None:
  """Why a ring computes a product and not copies; None if copies do.

  Args:
    operands: arrays or avals of one device: rows, weights, and perhaps the bias.
    mesh: the mesh of the `jax.shard_map`, with devices.
    manual_axes: the names of its manual axes.
    platform: the platform that the program is lowered for.
  """
  if form.transfers == "ring":
    return "transfers='ring' was given"
  rows, weights = operands[:2]
  if platform not in PLATFORMS:
    return f"{platform} has no copy engines that this package uses"
  if form.gives != "full":
    return "sums travel"
  if form.implementation not in (None, "jaxgemm"):
    return f"implementation={form.implementation!r} was given"
  if rows.ndim != 2 or weights.ndim != 2:
    return f"lhs has {rows.ndim} dimensions; copies are made of two"
  if 0 in rows.shape or 0 in weights.shape or rows.shape[0] % PIECES:
    return f"lhs has shape {rows.shape}"
  reason = unsupported_reason(rows, weights, form.spec.out_dtype, rows.shape[1],
                              form.precision, None)
  if reason is None and prefers_xla(rows.shape[1], form.implementation):
    reason = "XLA computes the product, because k is 1"
  if reason is None:
    reason = _groups(form, mesh, manual_axes)[1]
  if reason is not None:
    return reason
  planned = _planned(operands, form, platform)
  if form.implementation is None and planned["faster_by_xla"]:
    return planned["faster_by_xla"]
  if planned["operand_dtypes"][0] != rows.dtype or planned["passes"] != 1:
    return (f"the kernels multiply {rows.dtype.name} as "
            f"{planned['operand_dtypes'][0].name}, and copies bring what is there")
  if planned["copies"].keys() & {"lhs", "out"}:
    return "the kernel needs another layout or size of lhs or of the result"
  return None


def lower(ctx, *operands, form: Form, platform: str):
  """The results of the custom call."""
  rows, weights = ctx.avals_in[:2]
  context = ctx.module_context.axis_context
  groups, _ = _groups(form, context.mesh, context.manual_axes)
  count = groups.partition(";")[0].count(" ")
  chosen = _planned(ctx.avals_in, form, platform)
  operands, avals = prepared(ctx, operands, _geometry(rows, weights, form), chosen)
  gathered = reshaped(rows, (count * rows.shape[0], rows.shape[1]))
  workspace = jax.core.ShapedArray((2 * chosen["workspace_bytes"],), jnp.uint8)
  rule = jax.ffi.ffi_lowering(GATHERED_TARGET)
  outs = rule(
      ctx.replace(avals_in=avals, avals_out=[*ctx.avals_out, gathered, workspace]),
      *operands, product=chosen["attrs"], devices=groups, pieces=np.int64(PIECES),
      timeout_ns=np.int64(_TIMEOUT_NS))
  return outs[:len(ctx.avals_out)]
