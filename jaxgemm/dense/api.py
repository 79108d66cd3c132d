"""matmul and dot_general: jax's semantics, computed by this package's kernels."""

import functools
import pathlib
import sys
from typing import NamedTuple
import warnings

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np

from jaxgemm import _ffi, epilogue
from jaxgemm import mesh as meshes
from jaxgemm.config import (
  REDUCTIONS,
  SCHEDULES,
  GemmConfig,
  check_activation,
  check_bool,
  check_choice,
  check_config,
  resolve,
)
from jaxgemm.custom_call import Spec, kernel_dtypes
from jaxgemm.dense import sharding
from jaxgemm.dense.dimensions import (
  Product,
  dot_general_product,
  indices,
  matmul_product,
)
from jaxgemm.dense.layout import Dims
from jaxgemm.dense.primitive import contract, contract_local, plan_contraction
from jaxgemm.precision import hashable, is_high, precision_error

_EMULATED = "emulated:"
_IMPLEMENTATIONS = ("jaxgemm", "xla",
                    *(_EMULATED + arch for arch in _ffi.ROCM_ARCHS))


def emulated_arch(implementation: str | None) -> str | None:
  """The architecture that an implementation emulates, or None.

  Raises:
    ValueError: there is no such implementation.
  """
  check_choice("implementation", implementation, _IMPLEMENTATIONS)
  if implementation is None or not implementation.startswith(_EMULATED):
    return None
  return implementation.removeprefix(_EMULATED)


def check_options(*, activation=None, schedule=None, reduction=None,
                  deterministic=False, config=None, implementation=None, **_) -> None:
  """Checks each option separately, before `jax.jit` hashes it.

  Raises:
    TypeError, ValueError: an option is of another type, or has an unknown name.
  """
  check_activation(activation)
  check_choice("schedule", schedule, SCHEDULES)
  check_choice("reduction", reduction, REDUCTIONS)
  check_bool("deterministic", deterministic)
  check_config(config)
  check_choice("implementation", implementation, _IMPLEMENTATIONS)


# The fast checks come first: isinstance of jax.Array runs Python code.
_ARRAYS = (type(None), np.ndarray, np.generic, int, float, complex, jax.Array)


def array_argument(name: str, x):
  """An optional array or number, as `jax.jit` accepts it.

  Raises:
    TypeError: jax cannot make an array of it.
  """
  if isinstance(x, _ARRAYS):
    return x
  try:
    return jnp.asarray(x)
  except TypeError as error:
    raise TypeError(
        f"{name}={x!r} was given; an array or a number is allowed, or None. Pass "
        "jnp.asarray(...) of numbers.") from error


# A sum of this many products of int8 always fits int32.
_MOST_INT8_PRODUCTS = (2**31 - 1) // 2**14


def unsupported(lhs, rhs, out_dtype, k: int, precision, emulated: str | None,
                splits: bool = True) -> str | None:
  """Why this package's kernels cannot compute a product, or None.

  Args:
    k: the number of products in the sum of each element of the result.
    splits: whether float32 operands may be split into parts, for precision.
  """
  target = emulated
  if emulated is None:
    platform = _ffi.default_platform()
    if platform not in _ffi.platforms():
      names = ", ".join(sorted(_ffi.platforms()))
      return (f"this build has kernels for {names}, and the default platform is "
              f"{platform} (GPU kernels: build with JAXGEMM_GPU_KERNELS=all)")
    try:
      target = _ffi.target(platform)
    except ValueError as error:
      return str(error).removesuffix(".")
  for name, x in (("lhs", lhs), ("rhs", rhs)):
    if x.dtype not in _ffi.OPERAND_DTYPES:
      names = ", ".join(sorted(d.name for d in _ffi.OPERAND_DTYPES))
      return f"{name} has dtype {x.dtype.name}; the kernels take {names}"
  integer = [jnp.issubdtype(x.dtype, jnp.integer) for x in (lhs, rhs)]
  if out_dtype not in _ffi.OUT_DTYPES or (
      jnp.issubdtype(out_dtype, jnp.integer) and not all(integer)):
    return (f"the result of {lhs.dtype.name} and {rhs.dtype.name} has dtype "
            f"{out_dtype.name}, which the kernels do not give")
  if not all(type(d) is int for d in (*lhs.shape, *rhs.shape)):
    return f"shapes {lhs.shape} and {rhs.shape} are symbolic; a plan needs numbers"
  if all(integer) and k > _MOST_INT8_PRODUCTS and (
      not jnp.issubdtype(out_dtype, jnp.integer)):
    return (f"sums of {k} products of int8 may not fit int32, in which the kernels sum "
            f"them up; at most {_MOST_INT8_PRODUCTS} are allowed where the result is "
            f"{out_dtype.name}")
  error = precision_error(precision, lhs, rhs, out_dtype, target, splits)
  if error is not None:
    return error
  dtypes = kernel_dtypes(_dtype_beside(lhs, rhs), _dtype_beside(rhs, lhs), target)
  error = _ffi.native.operands_error(*(dtype.name for dtype in dtypes), target)
  return error.removesuffix(".") or None


def epilogue_values(name: str, x, dtype) -> jax.Array:
  """A bias or scale in the dtype that the kernels read.

  Raises:
    ValueError: its own dtype does not fit.
  """
  integer = jnp.issubdtype(x.dtype, jnp.integer)
  if jnp.issubdtype(dtype, jnp.integer) and not integer:
    raise ValueError(
        f"{name} has dtype {x.dtype.name} for a result of integers; int32 is "
        "allowed. Cast it, or ask for a float result by preferred_element_type."
    )
  if not integer and not jnp.issubdtype(x.dtype, jnp.floating):
    raise ValueError(
        f"{name} has dtype {x.dtype.name}; a real number is allowed. Cast it."
    )
  return x.astype(dtype)


def labelled_vector(name: str, x, product: Product, dtype, scalar: bool,
                    rows: bool = False):
  """(values, labels) of a bias or scale; (None, None) if x is None.

  Args:
    scalar: whether it may be one value (for each matrix).
    rows: whether it may have one value for each row.
  """
  if x is None:
    return None, None
  x = jnp.asarray(x)
  out_shape = product.result.shape
  batch_shape = out_shape[:len(product.batch)]
  column_shape = out_shape[len(out_shape) - len(product.columns):]
  allowed = {column_shape: product.columns}
  if scalar:
    allowed |= {(): (), (1,): ()}
  if batch_shape:
    allowed[batch_shape + column_shape] = product.batch + product.columns
    if scalar:
      allowed.setdefault(batch_shape + (1,), product.batch)
  allowed[column_shape] = product.columns
  per_row = ""
  if rows and product.rows:
    # The shape must have the result's rank: [M] could be one value for each column.
    ones = (1,) * len(product.columns)
    shape = out_shape[:len(out_shape) - len(ones)] + ones
    allowed.setdefault(shape, product.batch + product.rows)
    per_row = f", or {shape} for one value per row"
  if x.shape not in allowed:
    raise ValueError(
        f"{name} has shape {x.shape} for a result of shape {out_shape}; allowed "
        f"{'are' if len(allowed) > 1 else 'is'} "
        f"{' or '.join(map(str, allowed))}. Reshape it: one value per column"
        f"{per_row}."
    )
  labels = allowed[x.shape]
  x = epilogue_values(name, x, dtype)
  return x.reshape(x.shape[:len(labels)]) if x.ndim > len(labels) else x, labels


_warned: set[str] = set()


def warn_once(reason: str) -> None:
  if reason not in _warned:
    _warned.add(reason)
    warnings.warn(f"jaxgemm leaves this product to XLA: {reason}.",
                  stacklevel=_callers_level())


def _callers_level() -> int:
  """warnings.warn's stacklevel of the first frame outside this package and jax."""
  inside = tuple(str(pathlib.Path(m.__file__).parent) for m in (jax, _ffi))
  frame, level = sys._getframe(1), 1
  while frame.f_back and frame.f_code.co_filename.startswith(inside):
    frame, level = frame.f_back, level + 1
  return level


def sums_dtype(out_dtype):
  """The dtype in which XLA accumulates before an epilogue, for an out of this dtype."""
  if out_dtype.itemsize >= 4:
    return out_dtype
  integer = jnp.issubdtype(out_dtype, jnp.integer)
  return jnp.dtype(jnp.int32 if integer else jnp.float32)


def _xla(lhs, rhs, bias, scale, product: Product, dims: Dims, spec: Spec):
  if bias is None and scale is None and spec.activation is None:
    return product.reference(lhs, rhs)
  not_summed = meshes.unreduced(product.result.sharding)
  if not_summed:
    raise ValueError(
        f"bias, scale or activation was given, but {not_summed}. Sum the result with "
        "jax.reshard, and apply them to that.")
  acc = product.reference(
      lhs, rhs, preferred_element_type=sums_dtype(product.result.dtype))
  return epilogue.apply(acc, dims.out, bias, scale, dims=dims, spec=spec)[0]


class Unsupported(ValueError):
  """The caller asked for the kernels, which cannot compute the call, for `reason`."""

  def __init__(self, message: str, reason: str):
    super().__init__(message)
    self.reason = reason


def leaves_to_xla(implementation: str | None, reason: str | None) -> bool:
  """Whether XLA computes a call; reason: why the kernels cannot, or None.

  Raises:
    Unsupported: the kernels cannot compute it, and the caller asked for them.
  """
  if implementation == "xla":
    return True
  if reason and implementation is not None:
    raise Unsupported(
        f"implementation={implementation!r} was given, but {reason}. Pass other "
        "operands, or implementation=None to let XLA compute this.", reason)
  if reason:
    warn_once(reason)
  return bool(reason)


# What `jaxgemm.explain` says of a call that `is_left` leaves to XLA.
NOTHING_TO_SUM = ("k is 1: each element of the result is one product, and no sum. XLA "
                  "multiplies these together with what precedes and follows")


def is_left(k: int, implementation: str | None) -> bool:
  """Whether XLA computes a call that the kernels can compute, too.

  The kernels' accumulators begin with 0, so a single product of -0.0 would become 0.0.
  """
  return implementation is None and k == 1


class Prepared(NamedTuple):
  """A product whose options are checked and resolved.

  Attributes:
    spec: what the call computes.
    dims: the product's labels, with those of bias and scale.
    bias: its values in the dtype that the kernels read, or None.
    scale: its values, likewise.
    reason: why the kernels cannot compute it, or None.
  """

  spec: Spec
  dims: Dims
  bias: jax.Array | None
  scale: jax.Array | None
  reason: str | None


def prepare(lhs, rhs, bias, scale, product: Product, *, chunked: bool = False,
            precision, activation, schedule, reduction, deterministic, config,
            implementation) -> Prepared:
  """Checks the options of a call.

  Args:
    chunked: whether lhs arrives in chunks; then no part may run outside the kernel.
  """
  check_activation(activation)
  emulated = emulated_arch(implementation)
  config = resolve(config, schedule, reduction, deterministic)
  out_dtype = product.result.dtype
  integer = jnp.issubdtype(out_dtype, jnp.integer)
  bias, bias_labels = labelled_vector(
      "bias", bias, product, jnp.int32 if integer else jnp.float32, scalar=False)
  scale, scale_labels = labelled_vector(
      "scale", scale, product, jnp.float32, scalar=True, rows=not chunked)
  dims = product.dims._replace(bias=bias_labels, scale=scale_labels)
  spec = Spec(out_dtype, activation, config=config, deterministic=deterministic,
              weak_type=product.result.weak_type, emulated=emulated,
              precise=not chunked and is_high(precision))
  reason = (
      unsupported(lhs, rhs, out_dtype, product.k, precision, emulated,
                  splits=not chunked)
      or meshes.unreduced(
          product.result.sharding, *(jax.typeof(x).sharding for x in (lhs, rhs))))
  return Prepared(spec, dims, bias, scale, reason)


def _faster_by_xla(lhs, rhs, bias, scale, product: Product, dims: Dims,
                   spec: Spec) -> str | None:
  """Why XLA's product is known to be much faster than the kernels, or None."""
  operands = [jax.ShapeDtypeStruct(
      [size for i, size in enumerate(x.shape) if i not in axes], _dtype_beside(x, other))
      for x, other, axes in ((lhs, rhs, product.dropped[0]), (rhs, lhs, product.dropped[1]))]
  operands += [x for x in (bias, scale) if x is not None]
  target = spec.target(_ffi.default_platform())
  return plan_contraction(operands, dims, spec, target)[1]["faster_by_xla"] or None


def _call(lhs, rhs, bias, scale, product: Product, **options):
  # Where jax does not trace (jax.disable_jit), these may still be numpy arrays.
  lhs, rhs = jnp.asarray(lhs), jnp.asarray(rhs)
  spec, dims, bias, scale, reason = prepare(lhs, rhs, bias, scale, product, **options)
  implementation = options["implementation"]
  left = is_left(product.k, implementation)
  if reason is None and implementation is None and not left:
    reason = _faster_by_xla(lhs, rhs, bias, scale, product, dims, spec)
  if leaves_to_xla(implementation, reason) or left:
    return _xla(lhs, rhs, bias, scale, product, dims, spec)
  if spec.emulated is not None:
    _ffi.use_emulator()
  lhs, rhs = beside(lhs, rhs), beside(rhs, lhs)
  lhs, rhs = (lax.squeeze(x, axes) if axes else x
              for x, axes in zip((lhs, rhs), product.dropped))

  mesh = meshes.explicit_mesh(lhs, rhs, bias, scale)
  if mesh is not None and not mesh.auto_axes:
    operands = [x for x in (lhs, rhs, bias, scale) if x is not None]
    return sharding.explicit(
        mesh, operands, dims, spec, contract_local, product.result)

  def compute(lhs, rhs, bias, scale):
    return contract(lhs, rhs, bias, scale, dims=dims, spec=spec,
                    partition=meshes.is_needed(spec.config.partition))[0]

  if mesh is not None:
    compute = meshes.automatic(mesh, compute, product.result)
  return compute(lhs, rhs, bias, scale)


def _dtype_beside(x, other):
  # The kernels take two different float types, but not int8 beside a float.
  integers = [jnp.issubdtype(y.dtype, jnp.integer) for y in (x, other)]
  if integers != [True, False]:
    return x.dtype
  return other.dtype if other.dtype.itemsize > 1 else jnp.dtype(jnp.float32)


def beside(x, other):
  dtype = _dtype_beside(x, other)
  return x if x.dtype == dtype else x.astype(dtype)


_OPTIONS = dict(activation=None, schedule=None, reduction=None, deterministic=False,
                config=None, implementation=None)
_STATIC = ("precision", "preferred_element_type", "out_sharding", *_OPTIONS)


def _given(*, deterministic, **arguments):
  """The given arguments, checked. The others would cost `jax.jit` time."""
  given = {name: x for name, x in arguments.items() if x is not None}
  if deterministic is not False:
    given["deterministic"] = deterministic
  check_options(**given)
  for name in given.keys() & {"bias", "scale"}:
    given[name] = array_argument(name, given[name])
  if "precision" in given:
    given["precision"] = hashable(given["precision"])
  return given


@functools.partial(jax.jit, static_argnames=_STATIC, inline=True)
def _matmul(a, b, *, bias=None, scale=None, precision=None, preferred_element_type=None,
            out_sharding=None, **options):
  product = matmul_product(
      a, b, precision=precision, preferred_element_type=preferred_element_type,
      out_sharding=out_sharding,
  )
  return _call(
      a, b, bias, scale, product, precision=precision, **(_OPTIONS | options))


def matmul(
    a: jax.Array,
    b: jax.Array,
    *,
    precision=None,
    preferred_element_type=None,
    out_sharding=None,
    bias: jax.Array | None = None,
    scale: jax.Array | None = None,
    activation: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
) -> jax.Array:
  """`jax.numpy.matmul` with an epilogue: activation(scale * (a @ b) + bias).

  Accumulators are float32 (int32 for int8 operands); scale, bias, activation and one
  cast to the result's dtype come last. Differentiable to any order in a, b, bias and
  scale; gradients read their operands in other layouts, without transposed copies.

  Args:
    a: array of shape (K,) or (..., M, K). float32, bfloat16, float16, the float8
      types and int8 run in this package's kernels, also mixed.
    b: array of shape (K,) or (..., K, N).
    precision: as in `jax.numpy.matmul`. float32 is always computed in full, except on
      NVIDIA GPUs: there it is computed as tf32, with "high" in three passes of tf32
      parts (an infinity may then give NaN), and with "highest" by XLA. Algorithms
      (jax.lax.DotAlgorithm and its presets) that the kernels do not compute are left
      to XLA, too.
    preferred_element_type: dtype of the result, as in `jax.numpy.matmul`.
    out_sharding: as in `jax.numpy.matmul`.
    bias: array of shape (N,) or (..., N), of real numbers; integers if the result
      has integers.
    scale: array of shape (), (1,) or (N,): one value, or one for each column. With a
      batch also of shape (..., 1) or (..., N). With the result's rank, (..., M, 1), it
      has one value for each row, and is applied outside the kernel.
    activation: "relu", "gelu" (the tanh approximation), "silu" or None.
    schedule: "auto", "persistent", "work_stealing" or "stream_k"; see GemmConfig.
    reduction: "linear", "tree" or "atomic"; see GemmConfig.
    deterministic: whether to refuse options with which the result is not bitwise the
      same on every run.
    config: a `GemmConfig` with further choices.
    implementation: "jaxgemm", "xla" (jax.numpy, with the same epilogue) or None: the
      kernels, but XLA, with a warning, if they do not support the operands or are known
      to be much slower, and XLA if K is 1. Or "emulated:gfx942", "emulated:gfx950":
      that GPU's machine code, run on the CPU by the emulator (see `jaxgemm.emulator`),
      for debugging; slow.

  Returns:
    An array of the shape and dtype that `jax.numpy.matmul` gives.

  Raises:
    ValueError, TypeError: while tracing: jax's own errors for operands that do not fit
      each other, and errors that say what was given and what is allowed.
  """
  return _matmul(a, b, **_given(
      precision=precision, preferred_element_type=preferred_element_type,
      out_sharding=out_sharding, bias=bias, scale=scale, activation=activation,
      schedule=schedule, reduction=reduction, deterministic=deterministic,
      config=config, implementation=implementation))


@functools.partial(
    jax.jit, static_argnames=("dimension_numbers", *_STATIC), inline=True
)
def _dot_general(lhs, rhs, *, dimension_numbers, bias=None, scale=None, precision=None,
                 preferred_element_type=None, out_sharding=None, **options):
  product = dot_general_product(
      lhs, rhs, dimension_numbers=dimension_numbers, precision=precision,
      preferred_element_type=preferred_element_type, out_sharding=out_sharding,
  )
  return _call(
      lhs, rhs, bias, scale, product, precision=precision, **(_OPTIONS | options))


def dot_general(
    lhs: jax.Array,
    rhs: jax.Array,
    dimension_numbers,
    precision=None,
    preferred_element_type=None,
    *,
    out_sharding=None,
    bias: jax.Array | None = None,
    scale: jax.Array | None = None,
    activation: str | None = None,
    schedule: str | None = None,
    reduction: str | None = None,
    deterministic: bool = False,
    config: GemmConfig | None = None,
    implementation: str | None = None,
) -> jax.Array:
  """`jax.lax.dot_general`, with the epilogue and the options of `jaxgemm.matmul`.

  An operand is transposed if its contracted dimensions are neither the first nor the
  last ones of its matrices; `jaxgemm.explain` says so.

  Args:
    lhs: array of any rank.
    rhs: array of any rank.
    dimension_numbers: ((lhs_contracting, rhs_contracting), (lhs_batch, rhs_batch)).
    precision: as in `jax.lax.dot_general`; see `jaxgemm.matmul`.
    preferred_element_type: dtype of the result.
    out_sharding: as in `jax.lax.dot_general`.
    bias: array with the shape of rhs's free dimensions, or of the batch dimensions and
      these.
    scale: as bias, or of shape () or (1,), or with 1 for the free dimensions. For one
      value for each row: of the result's rank, with 1 for rhs's free dimensions.
    activation: see `jaxgemm.matmul`.
    schedule: see `jaxgemm.matmul`.
    reduction: see `jaxgemm.matmul`.
    deterministic: see `jaxgemm.matmul`.
    config: see `jaxgemm.matmul`.
    implementation: see `jaxgemm.matmul`.

  Returns:
    An array of the shape and dtype that `jax.lax.dot_general` gives.

  Raises:
    ValueError, TypeError: see `jaxgemm.matmul`.
  """
  # jax accepts lists here, which are not hashable.
  return _dot_general(lhs, rhs, dimension_numbers=indices(dimension_numbers), **_given(
      precision=precision, preferred_element_type=preferred_element_type,
      out_sharding=out_sharding, bias=bias, scale=scale, activation=activation,
      schedule=schedule, reduction=reduction, deterministic=deterministic,
      config=config, implementation=implementation))
