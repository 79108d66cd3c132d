"""allgather_matmul and matmul_reduce_scatter: products that overlap with a collective."""

from collections.abc import Mapping
import functools
from typing import Any, NamedTuple

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm.call.config import GemmConfig, check_choice
from jaxgemm.call.dtypes import accumulator_dtype, bias_dtype, promoted
from jaxgemm.call.options import Options, array_argument, dtype_argument, operand_argument
from jaxgemm.call.spec import Spec
from jaxgemm.collective import copies, primitive
from jaxgemm.collective.ring import Form
from jaxgemm.dense.dimensions import matmul_product
from jaxgemm.dense.vectors import epilogue_values
from jaxgemm.sharding import mesh as meshes
from jaxgemm.sharding.parts import names_parts


def _check_axis(name: str, axis_name) -> None:
  """Raises an error if axis_name is no axis of a `jax.shard_map`, nor a tuple of such axes."""
  names = meshes.names(axis_name)
  if not names or not all(isinstance(x, str) for x in names):
    raise TypeError(
        f"axis_name={axis_name!r} was given; the name of a mesh axis is allowed, or a tuple "
        "of names. Pass the axis of the jax.shard_map around this call.")
  if len({*names}) < len(names):
    raise ValueError(
        f"axis_name={axis_name!r} was given; each axis is allowed once. Leave the repeated names "
        "out.")
  manual = jax.sharding.get_abstract_mesh().manual_axes
  missing = [x for x in names if x not in manual]
  if missing:
    there = f"its axes are {', '.join(map(repr, manual))}" if manual else "there is none"
    raise ValueError(
        f"axis_name={axis_name!r} was given, and {missing[0]!r} is no axis of a jax.shard_map "
        f"around this call; {there}. Call jaxgemm.{name} inside a jax.shard_map over a mesh "
        "that has the axis. Outside of it jaxgemm.matmul of sharded arrays does the same without "
        "overlap.")


def _check_shapes(name: str, lhs, rhs, size: int) -> None:
  scatters = name == "matmul_reduce_scatter"
  allowed = ("lhs [..., M, K] and rhs [K, N]" if scatters
             else "lhs [..., M / devices, K] and rhs [K, N]")
  if lhs.ndim < 2 or rhs.ndim != 2 or lhs.shape[-1] != rhs.shape[0]:
    raise ValueError(
        f"lhs has shape {lhs.shape} and rhs has shape {rhs.shape}; {allowed} are allowed, for one "
        "device's parts. Reshape or transpose them, or use jax.vmap for a batch of rhs.")
  if scatters and lhs.shape[-2] % size:
    raise ValueError(
        f"lhs has {lhs.shape[-2]} rows, which {size} devices cannot share equally; a multiple "
        f"of {size} is allowed. Pad lhs with rows of zeros, or use jaxgemm.matmul and "
        "jax.lax.psum.")


def _bias(bias, columns: int, dtype):
  if bias is None:
    return None
  bias = jnp.asarray(bias)
  if bias.shape != (columns,):
    raise ValueError(
        f"bias has shape {bias.shape} for a result with {columns} columns on each device; "
        f"({columns},) is allowed: one value per column. Reshape it, or shard it like the "
        "columns of rhs.")
  # The ring's derivatives add the bias in float32. So it is cast here, though the kernels could
  # read bfloat16.
  return epilogue_values("bias", bias, bias_dtype(dtype))


def _sum_dtype(sum_dtype, wide, out_dtype):
  if sum_dtype is None:
    return None
  given = dtype_argument("sum_dtype", sum_dtype)
  if given not in (wide, out_dtype):
    names = " or ".join(dict.fromkeys((wide.name, out_dtype.name)))
    raise ValueError(
        f"sum_dtype={given.name!r} was given; {names} is allowed, the dtype of the "
        "accumulators or of the result. Leave it out for the dtype of the accumulators.")
  return given


class Call(NamedTuple):
  """The arguments of a call that are no arrays.

  Attributes:
    name: that of the public function.
    options: see there.
    axis_name, sum_dtype, transfers: see `jaxgemm.allgather_matmul`.
  """

  name: str
  options: Options
  axis_name: Any
  sum_dtype: Any
  transfers: str | None


@functools.partial(jax.jit, static_argnums=0, inline=True)
def _call(call: Call, lhs, rhs, bias):
  lhs, rhs = jnp.asarray(lhs), jnp.asarray(rhs)
  _check_shapes(call.name, lhs, rhs, lax.axis_size(call.axis_name))
  dtype = matmul_product(lhs, rhs, call.options).result.dtype
  lhs, rhs = promoted(lhs, rhs)
  gathers = call.name == "allgather_matmul"
  form = Form(
      gives="full" if gathers else "rows", axis_name=call.axis_name, num_batch=0,
      transposed=not gathers,
      spec=Spec.of(dtype, call.options),
      sum_dtype=_sum_dtype(call.sum_dtype, accumulator_dtype(lhs, rhs), dtype),
      options=call.options, transfers=call.transfers)
  bias = _bias(bias, rhs.shape[1], dtype)
  # In ring.py, matmul_reduce_scatter is the product that gives `rows`. Its operands are `weights`
  # (here rhs, transposed) and `full` (here lhs).
  operands = (lhs, rhs) if gathers else (rhs, lhs)
  return primitive.bind(*operands, bias, form=form)[0]


def _compute(name: str, arguments: Mapping[str, Any]) -> jax.Array:
  """Computes a call, given the arguments of its public function by name."""
  axis_name, transfers = arguments["axis_name"], arguments["transfers"]
  _check_axis(name, axis_name)
  check_choice("transfers", transfers, copies.TRANSFERS)
  options = Options.of(arguments)
  if name == "matmul_reduce_scatter" and options.same_rows:
    raise ValueError(
        "deterministic='rows' was given, and the order in which the devices' parts of a sum are "
        "added depends on which device has the row. Pass True, or use allgather_matmul.")
  lhs, rhs = (operand_argument(x, arguments[x]) for x in ("lhs", "rhs"))
  return _call(Call(name, options, axis_name, arguments["sum_dtype"], transfers), lhs, rhs,
               array_argument("bias", arguments["bias"]))


@names_parts
def allgather_matmul(
    lhs: jax.Array,
    rhs: jax.Array,
    axis_name,
    *,
    precision=None,
    preferred_element_type=None,
    sum_dtype=None,
    bias: jax.Array | None = None,
    activation: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool | str = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
    transfers: str | None = None,
) -> jax.Array:
  """activation(all_gather(lhs) @ rhs + bias), where rows of lhs travel during the products.

  Call it inside `jax.shard_map`, where each device has some rows of lhs. A device multiplies
  its own rows first, while the rows of the device before it arrive, and passes each block on.
  With d devices these are d products and d - 1 transfers (`jax.lax.ppermute`). XLA runs them
  at the same time, so that a transfer costs only the time by which it is longer than the
  product beside it; see the guide on sharding for XLA's flags on GPUs.

  It has derivatives of any order, in forward and reverse mode. The gradient of lhs is a
  `matmul_reduce_scatter` of the result's gradient. For the gradient of rhs the rows of lhs
  travel again, so that the gathered lhs need not be kept. (Where a program has both passes,
  XLA may merge equal transfers, and keep the arrays that they brought.)

  Args:
    lhs: array of shape (..., M / d, K), the rows of this device; for dtypes see
      `jaxgemm.matmul`.
    rhs: array of shape (K, N): this device's columns, or all of them.
    axis_name: name of the mesh axis of the d devices, or a tuple of names in any order. Of a tuple
      the devices have the parts that `jax.P(axis_name)` gives them.
    precision, preferred_element_type: see `jaxgemm.matmul`.
    sum_dtype: dtype in which sums travel in the gradient of lhs. None is the dtype of the
      accumulators (float32). The dtype of the result is allowed, too: bfloat16 halves the
      bytes, and each sum is rounded d - 1 times.
    bias: array of shape (N,).
    activation: see `jaxgemm.matmul`.
    schedule: see `jaxgemm.matmul`; each of the d products has it.
    reduction, deterministic: see `jaxgemm.matmul`.
    config: see `jaxgemm.matmul`; each of the d products has it. On GPUs a transfer of a ring
      may take some multiprocessors (CUs). With schedule "work_stealing", or with fewer
      workgroups (num_workgroups), a product does not wait for these.
    implementation: see `jaxgemm.matmul`.
    transfers: how rows travel. "ring": by `jax.lax.ppermute`. "copies": by the copy engines of
      GPUs that belong to one process, which leave the multiprocessors to the products. None:
      copies where they can be made, else a ring; `jaxgemm.explain` says which.

  Returns:
    An array of shape (..., M, N), of the dtype that `jaxgemm.matmul` gives.

  Raises:
    ValueError, TypeError: while tracing: there is no such axis, or a shape or an option
      is not allowed.
    ValueError: while lowering for a GPU: transfers is "copies", and copies cannot be made.
      (Lowered for a CPU, "copies" is a ring.)
  """
  return _compute("allgather_matmul", locals())


@names_parts
def matmul_reduce_scatter(
    lhs: jax.Array,
    rhs: jax.Array,
    axis_name,
    *,
    precision=None,
    preferred_element_type=None,
    sum_dtype=None,
    bias: jax.Array | None = None,
    activation: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool | str = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
    transfers: str | None = None,
) -> jax.Array:
  """activation(psum_scatter(lhs @ rhs) + bias), where sums travel during the products.

  Call it inside `jax.shard_map`, where each of d devices has some columns of lhs and the rows
  of rhs with the same numbers. The sum for each device's rows of the result goes round the
  ring: every device adds its part to it, and computes its part of the next sum meanwhile.
  There are d products and d - 1 transfers, as in `allgather_matmul`, which computes the
  gradient of lhs.

  Args:
    lhs: array of shape (..., M, K / d), with M a multiple of d; for dtypes see
      `jaxgemm.matmul`.
    rhs: array of shape (K / d, N).
    axis_name: see `allgather_matmul`.
    precision, preferred_element_type: see `jaxgemm.matmul`.
    sum_dtype: dtype in which sums travel. None is the dtype of the accumulators (float32, or
      int32). The dtype of the result is allowed, too: bfloat16 halves the bytes, and each
      sum is rounded d - 1 times.
    bias: array of shape (N,), the same on all devices; it is added once, after the sum.
    activation: see `jaxgemm.matmul`; it is applied to the whole sum.
    schedule: see `allgather_matmul`.
    reduction: see `jaxgemm.matmul`.
    deterministic: True or False; see `jaxgemm.matmul`. The order in which the devices' parts are
      added is fixed in any case, but it is not the same for all rows, so "rows" is an error.
    config: see `allgather_matmul`.
    implementation: see `jaxgemm.matmul`.
    transfers: see `allgather_matmul`. With "copies" each part of a sum is rounded to sum_dtype
      once.

  Returns:
    An array of shape (..., M / d, N), this device's rows, of the dtype that
    `jaxgemm.matmul` gives.

  Raises:
    ValueError, TypeError: see `allgather_matmul`.
  """
  return _compute("matmul_reduce_scatter", locals())
