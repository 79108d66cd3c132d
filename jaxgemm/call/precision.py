"""What jax's `precision` asks for, and whether the kernels compute it."""

import jax
from jax.lax import DotAlgorithm as _Algorithm
from jax.lax import DotAlgorithmPreset as _Preset
import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm.call.dtypes import is_held_by

# Algorithms with float32 accumulators, and the dtype to which they round operands.
_ROUNDED_TO = {
    _Preset.F32_F32_F32: jnp.float32,
    _Preset.BF16_BF16_F32: jnp.bfloat16,
    _Preset.F16_F16_F32: jnp.float16,
}
_FLOAT8 = (_Preset.ANY_F8_ANY_F8_F32, _Preset.ANY_F8_ANY_F8_F32_FAST_ACCUM,
           _Preset.ANY_F8_ANY_F8_ANY, _Preset.ANY_F8_ANY_F8_ANY_FAST_ACCUM)
_FAST = (_Preset.ANY_F8_ANY_F8_F32_FAST_ACCUM, _Preset.ANY_F8_ANY_F8_ANY_FAST_ACCUM)


def _resolved(precision):
  """The precision, or jax's default for None; an algorithm as its preset, if it has one."""
  if precision is None:
    # mypy does not see the options of jax.config, which jax defines at run time.
    precision = jax.config.jax_default_matmul_precision  # type: ignore[attr-defined]
  if isinstance(precision, str) and precision in _Preset.__members__:
    return _Preset[precision]
  if isinstance(precision, _Algorithm):
    for preset, dtype in _ROUNDED_TO.items():
      if precision == _Algorithm(dtype, dtype, jnp.float32):
        return preset
  return precision


def _asks_for(precision, *names: str) -> bool:
  precision = _resolved(precision)
  given = precision if type(precision) is tuple else (precision,)
  return any(str(x).lower() in names for x in given)


def is_high(precision) -> bool:
  """Whether kernels that read float32 as tf32 multiply it in three passes."""
  return _asks_for(precision, "high", "tf32_tf32_f32_x3")


def precision_error(precision, lhs, rhs, out_dtype, target: str,
                    splits: bool) -> str | None:
  """Why a target's kernels do not compute what a precision asks for, or None.

  Args:
    precision: as the caller gave it.
    lhs: array or `jax.ShapeDtypeStruct`.
    rhs: see lhs.
    out_dtype: dtype of the result.
    target: the target of the kernels.
    splits: whether float32 operands may be split in three passes.
  """
  algorithm = _resolved(precision)
  if isinstance(algorithm, (_Algorithm, _Preset)):
    error = _algorithm_error(algorithm, (lhs.dtype, rhs.dtype), out_dtype, target)
    if error:
      source = "precision" if precision is not None else "jax_default_matmul_precision"
      return f"{source}={algorithm} names an algorithm of XLA: {error}"
  if target in _ffi.CUDA_ARCHS and jnp.float32 in (lhs.dtype, rhs.dtype):
    # Tensor cores truncate when they add: three passes are not quite float32 (Ootomo
    # and Yokota, "Recovering single precision accuracy from Tensor Cores").
    if _asks_for(precision, "highest", "float32", "f32_f32_f32"):
      return f"the precision asks for more than tf32, with which {target} multiplies float32"
    if is_high(precision) and not splits:
      return (f"the precision asks for more than tf32, with which {target} multiplies float32, "
              "and only dense products that do not arrive in chunks are split in three passes")
  return None


def _algorithm_error(algorithm, dtypes, out_dtype, target: str) -> str | None:
  names = " and ".join(x.name for x in dtypes)
  if algorithm is _Preset.DEFAULT:
    return None
  if algorithm in (_Preset.TF32_TF32_F32, _Preset.TF32_TF32_F32_X3):
    if target not in _ffi.CUDA_ARCHS:
      return f"the kernels of {target} do not multiply tf32"
    if any(x != jnp.float32 for x in dtypes):
      return f"the operands are {names}; the kernels read float32 as tf32"
    return None
  if algorithm in _FLOAT8:
    if any(not jnp.issubdtype(x, jnp.floating) or x.itemsize > 1 for x in dtypes):
      return f"the operands are {names}; it is for float8 operands"
    if algorithm not in _FAST and target in _ffi.CUDA_ARCHS:
      return f"{target}'s tensor cores add up float8 products in less than float32"
    if algorithm not in _FLOAT8[:2] and out_dtype != jnp.float32:
      return f"its accumulators are {out_dtype.name}, and those of the kernels are float32"
    return None
  rounded_to = _ROUNDED_TO.get(algorithm)
  if rounded_to is None:
    return "the kernels do not compute it"
  wide = jnp.dtype(rounded_to)
  if not all(is_held_by(wide, x) for x in dtypes):
    return (f"it rounds {names} operands to {wide.name}. Cast them, and the kernels "
            "compute it")
  return None
