"""The products of a ring as one custom call, whose copy engines move rows and sums.

This is for GPUs of one process. Two of the three products in ring.py can be computed so:

  full  Each device multiplies its own rows while copy engines bring the rows of the other
        devices. Then it multiplies those, device by device. Each product is written to its
        place in the result.
  rows  Each device first computes its terms of the other devices' sums. These devices copy the
        terms while it computes the term of its own sum. Then it adds up the terms.

ffi/runtime/peer_streams.h makes the copies. The host threads of the devices meet in the call, so
all devices must be of one process. `why_not` says why a product is computed by a ring instead.
"""

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
from jax.experimental.custom_partitioning import custom_partitioning
from jax.interpreters import mlir
import jax.numpy as jnp
import numpy as np

from jaxgemm import _ffi
from jaxgemm.call.dtypes import accumulator_dtype
from jaxgemm.call.fallback import lack, prefers_xla
from jaxgemm.call.lower import prepared
from jaxgemm.call.plan import is_bf16, lacks_kernel, plan_call
from jaxgemm.call.precision import is_high
from jaxgemm.call.primitives import reshaped
from jaxgemm.call.spec import Geometry, Spec
from jaxgemm.collective import ring
from jaxgemm.collective.ring import Form
from jaxgemm.sharding import mesh as meshes

GATHERED_TARGET = "jaxgemm_gathered_gemm"
SCATTERED_TARGET = "jaxgemm_scattered_gemm"
TRANSFERS = ("copies", "ring")
PLATFORMS: tuple[str, ...] = "cuda", "rocm"

# The number of pieces that one device's rows are cut into: each is one product. None leaves it to
# `_pieces`. Benchmarks set it.
PIECES: int | None = None
TIMEOUT_NS = 120 * 10**9


@functools.cache
def needs_devices():
  """A jaxpr. As a parameter of a primitive it shows jax that the lowering needs the devices.

  Without it jax may run a program that was lowered for a mesh of other devices.
  """
  @custom_partitioning
  def same(x):
    return x

  same.def_partition(partition=None, infer_sharding_from_operands=None, sharding_rule="i -> i")
  return meshes.partitioned_jaxpr(same, [jax.ShapeDtypeStruct((1,), jnp.float32)])


def groups(axis_name, mesh, manual_axes) -> tuple[str, str | None]:
  """(groups of devices that copy from each other, by ordinal; why they cannot, or None)."""
  names = meshes.names(axis_name)
  if not _ffi.PEER_COPIES:
    return "", "JAXGEMM_PEER_COPIES is 0"
  if not isinstance(mesh, jax.sharding.Mesh):
    return "", "the mesh is abstract, and copies need its devices"
  free = [a for a in mesh.axis_names if a not in manual_axes and mesh.shape[a] > 1]
  if free:
    return "", (f"the mesh axis {free[0]!r} is not manual in the jax.shard_map, so XLA may "
                "partition the product over it")
  if not set(mesh.devices.flat) <= set(jax.local_devices()):
    return "", "the mesh has devices of other processes"
  ordinals = np.vectorize(lambda device: device.local_hardware_id)(mesh.devices)
  if len(set(ordinals.flat)) != ordinals.size:
    return "", "several devices of the mesh have the same ordinal"
  others = [a for a in mesh.axis_names if a not in names]
  order = [mesh.axis_names.index(a) for a in (*others, *names)]
  size = int(np.prod([mesh.shape[a] for a in names]))
  ordered = ordinals.transpose(order).reshape(-1, size)
  return ";".join(" ".join(map(str, group)) for group in ordered), None


def _pieces(form: Form, rows: int) -> int:
  """The number of pieces that a device's rows are cut into.

  Where sums travel, the first piece of a sum is copied while the next piece is computed. Products
  run on two streams, which share the multiprocessors: a block of one piece is computed beside the
  next block, and finished late. On two H100s two pieces were faster than four, and four than one.
  Where rows travel, the number made no difference.
  """
  if PIECES is not None:
    return PIECES
  return 2 if form.gives == "rows" and rows % 2 == 0 and rows >= 1024 else 1


class _Product(NamedTuple):
  """The product of a piece of one device's rows.

  Attributes:
    lhs: array or aval whose rows are cut: `rows`, or `full` where sums travel.
    rhs: the weights.
    bias: the bias that the kernel adds, or None.
    geometry: sizes and layouts of a piece.
    spec: what the kernel computes.
    pieces: the number of pieces of one device's rows.
    steals: whether work stealing replaces a persistent schedule.
  """

  lhs: Any
  rhs: Any
  bias: Any
  geometry: Geometry
  spec: Spec
  pieces: int
  steals: bool

  @classmethod
  def of(cls, operands, form: Form, size: int) -> "_Product":
    gathers = form.gives == "full"
    lhs, rhs = operands[:2] if gathers else operands[1::-1]
    wide = accumulator_dtype(lhs, rhs)
    spec = form.spec if gathers else Spec(
        jnp.dtype(wide if form.sum_dtype is None else form.sum_dtype), config=form.spec.config,
        deterministic=form.spec.deterministic)
    blocks = 1 if gathers else size
    pieces = _pieces(form, lhs.shape[0] // blocks)
    contracting = ring.weights_axis(form, "K" if gathers else "N")
    return cls(
        lhs, rhs, operands[2] if gathers and len(operands) > 2 else None,
        Geometry.of((lhs.shape[0] // (blocks * pieces), lhs.shape[1]), rhs.shape, 1, contracting),
        dataclasses.replace(spec, precise=is_high(form.options.precision)), pieces,
        # Products on two streams share the multiprocessors, and not equally.
        not gathers and spec.config.schedule in (None, "auto"))

  def plan_piece(self, platform: str) -> dict:
    def planned(spec):
      return plan_call(self.geometry, self.lhs.dtype, self.rhs.dtype, spec, spec.target(platform),
                       bias=self.bias is not None, bias_bf16=is_bf16(self.bias))
    first = planned(self.spec)
    if not self.steals or first["schedule"] != "persistent":
      return first
    config = dataclasses.replace(self.spec.config, schedule="work_stealing")
    return planned(dataclasses.replace(self.spec, config=config))


def why_not(form: Form, operands, mesh, manual_axes, platform: str | None) -> str | None:
  """Why a ring computes a product; None if the custom call with copies does.

  Args:
    form: the product.
    operands: arrays or avals of one device: the two operands, and the bias if there is one.
    mesh: the mesh of the `jax.shard_map`, with devices.
    manual_axes: the names of its manual axes.
    platform: the platform that the program is lowered for.
  """
  if form.transfers == "ring":
    return "transfers='ring' was given"
  if platform not in PLATFORMS:
    return f"{platform} has no copy engines that this package uses"
  if form.gives == "weights":
    return "the gradient of the weights is always computed by a ring"
  options = form.options
  if options.implementation not in (None, "jaxgemm"):
    return f"implementation={options.implementation!r} was given"
  for name, x in zip(("lhs", "rhs") if form.gives == "full" else ("rhs", "lhs"), operands):
    if x.ndim != 2 or 0 in x.shape:
      return f"{name} has shape {x.shape}; copies need two dimensions, none of them 0"
  of_devices, reason = groups(form.axis_name, mesh, manual_axes)
  if reason is not None:
    return reason
  size = _size(of_devices)
  if size == 1:
    return "there is one device along the axis"
  product = _Product.of(operands, form, size)
  lhs, rhs, k = product.lhs, product.rhs, product.geometry.k
  parts = product.pieces * (1 if form.gives == "full" else size)
  if lhs.shape[0] % parts:
    return f"lhs has {lhs.shape[0]} rows, and copies need a multiple of {parts}"
  result = jax.ShapeDtypeStruct((), product.spec.out_dtype)
  if reason := lack(lhs, rhs, result, k, options).reason:
    return reason
  if reason := prefers_xla(k, options, lambda: product.plan_piece(platform)["faster_by_xla"]):
    return reason
  planned = product.plan_piece(platform)
  if lacks_kernel(planned, product.spec, platform):
    return f"this build has no code object of {planned['kernel']}, which the copies need"
  if planned["operand_dtypes"][0] != lhs.dtype or planned["passes"] != 1:
    return (f"the kernels multiply {lhs.dtype.name} as "
            f"{planned['operand_dtypes'][0].name}, and copies do not convert the rows of lhs")
  if planned["copies"].keys() & {"lhs", "out"}:
    return "the kernel needs another layout or size of lhs or of the result"
  return None


def _size(of_devices: str) -> int:
  return of_devices.partition(";")[0].count(" ") + 1


def lower(ctx, *operands, form: Form, platform: str):
  """The lowering to the custom call; returns the results of the primitive."""
  context = ctx.module_context.axis_context
  of_devices, _ = groups(form.axis_name, context.mesh, context.manual_axes)
  size = _size(of_devices)
  product = _Product.of(ctx.avals_in, form, size)
  chosen = product.plan_piece(platform)
  gathers = form.gives == "full"
  values = operands if gathers else [operands[1], operands[0]]
  avals = ctx.avals_in if gathers else [product.lhs, product.rhs]
  values, avals = prepared(ctx.replace(avals_in=avals), values, product.geometry, chosen)
  workspace = jax.core.ShapedArray((2 * chosen["workspace_bytes"],), jnp.uint8)
  attributes = dict(product=chosen["attrs"], devices=of_devices, pieces=np.int64(product.pieces),
                    timeout_ns=np.int64(TIMEOUT_NS))

  def call(target, results):
    rule = jax.ffi.ffi_lowering(target)
    outs = rule(ctx.replace(avals_in=avals, avals_out=[*results, workspace]), *values,
                **attributes)
    return outs[:-1]

  if gathers:
    rows, columns = product.lhs.shape
    gathered = reshaped(product.lhs, ((size - 1) * rows, columns))
    return call(GATHERED_TARGET, [*ctx.avals_out, gathered])[:-1]

  rows, columns = ctx.avals_out[0].shape
  part = reshaped(product.lhs, (rows, columns)).update(dtype=product.spec.out_dtype)
  others = reshaped(part, ((size - 1) * rows, columns))
  own, _, received = call(SCATTERED_TARGET, [part, others, others])

  def finish(own, received, *bias):
    wide = accumulator_dtype(product.lhs, product.rhs)
    parts = received.reshape(size - 1, rows, columns)
    total = functools.reduce(jnp.add, (x.astype(wide) for x in (own, *parts)))
    return ring.finish_sum(total, *bias, form=form)

  bias, bias_avals = operands[2:], ctx.avals_in[2:]
  return mlir.lower_fun(finish, multiple_results=True)(
      ctx.replace(avals_in=[part, others, *bias_avals]), own, received, *bias)
