"""Decides whether this package's kernels or XLA compute a product, and says why."""

import contextlib
import contextvars
import re
import sys
from typing import NamedTuple
import warnings
import zlib

import jax
import jax.numpy as jnp
import numpy as np

from jaxgemm import _ffi
from jaxgemm.call.dtypes import kernel_dtypes, promoted_dtypes
from jaxgemm.call.precision import precision_error

# The most products of int8 whose sum always fits int32.
_MOST_INT8_PRODUCTS = (2**31 - 1) // 2**14


class Support(NamedTuple):
  """Whether this package's kernels can compute a product.

  Attributes:
    dtypes: the dtypes to which lhs and rhs are converted, as `promoted_dtypes` gives them. If there
      is a reason, they are the dtypes of the operands.
    reason: why the kernels cannot compute the product, or None.
  """

  dtypes: tuple[np.dtype, np.dtype]
  reason: str | None


def support(lhs, rhs, out_dtype, k: int, precision, emulated: str | None,
            splits: bool = True) -> Support:
  """Whether the kernels can compute a product.

  Args:
    lhs: array or `jax.ShapeDtypeStruct`.
    rhs: see lhs.
    out_dtype: dtype of the result.
    k: the number of products in the sum of each element of the result.
    precision: as the caller gave it.
    emulated: the name of the GPU target or chip to emulate, or None.
    splits: whether float32 operands may be split in three passes, for precision="high".
  """
  target, reason = _default_target() if emulated is None else (
      _ffi.target_of(emulated) or "", None)
  reason = (reason or _operands_error(lhs, rhs, out_dtype, k)
            or precision_error(precision, lhs, rhs, out_dtype, target, splits))
  if reason is not None:
    return Support((lhs.dtype, rhs.dtype), reason)
  promoted = promoted_dtypes(lhs, rhs)
  read = kernel_dtypes(*promoted, target)
  error = _ffi.native.operands_error(read[0].name, read[1].name, target)
  return Support(promoted, error.removesuffix(".") or None)


def _default_target() -> tuple[str, str | None]:
  """(the target of the default platform, why there is none or None)."""
  platform = _ffi.default_platform()
  if platform not in _ffi.platforms():
    names = ", ".join(sorted(_ffi.platforms()))
    return "", (f"this build has kernels for {names}, and the default platform is {platform} "
                "(GPU kernels: build with JAXGEMM_GPU_KERNELS=all)")
  try:
    return _ffi.target(platform), None
  except ValueError as refusal:
    return "", str(refusal).removesuffix(".")


def _operands_error(lhs, rhs, out_dtype, k: int) -> str | None:
  """Why no kernel of any target takes operands like these, or None."""
  for name, x in (("lhs", lhs), ("rhs", rhs)):
    if x.dtype not in _ffi.OPERAND_DTYPES:
      names = ", ".join(sorted(d.name for d in _ffi.OPERAND_DTYPES))
      return f"{name} has dtype {x.dtype.name}; the kernels take {names}"
  integer = [jnp.issubdtype(x.dtype, jnp.integer) for x in (lhs, rhs)]
  if out_dtype not in _ffi.OUT_DTYPES or (
      jnp.issubdtype(out_dtype, jnp.integer) and not all(integer)):
    names = ", ".join(sorted(d.name for d in _ffi.OUT_DTYPES
                             if all(integer) or not jnp.issubdtype(d, jnp.integer)))
    return (f"the result of {lhs.dtype.name} and {rhs.dtype.name} has dtype "
            f"{out_dtype.name}; the kernels give {names}")
  if not all(type(d) is int for d in (*lhs.shape, *rhs.shape)):
    return f"shapes {lhs.shape} and {rhs.shape} are symbolic; a plan needs numbers"
  if all(integer) and k > _MOST_INT8_PRODUCTS and (
      not jnp.issubdtype(out_dtype, jnp.integer)):
    return (f"sums of {k} products of int8 may not fit int32, the dtype of the kernels' "
            f"accumulators; at most {_MOST_INT8_PRODUCTS} are allowed for a result of "
            f"{out_dtype.name}")
  return None


# Whether the product that is traced belongs to a layer or a recipe: its caller did not ask for it.
_is_own: contextvars.ContextVar[bool] = contextvars.ContextVar("is_own", default=False)


@contextlib.contextmanager
def own_products():
  """Inside it no warning says that XLA is faster for a product, because no user can change it.

  It is for the products of a layer or a recipe. `explain` shows their reasons, too.
  """
  token = _is_own.set(True)
  try:
    yield
  finally:
    _is_own.reset(token)


def is_own() -> bool:
  return _is_own.get()


_warned: set[str] = set()
_INSIDE = "jaxgemm", "jax", "flax"


def warn_once(message: str) -> None:
  if message not in _warned:
    _warned.add(message)
    warnings.warn(message, stacklevel=callers_level())


def callers_level() -> int:
  """warnings.warn's stacklevel of the first frame outside this package, jax and flax."""
  frame, level = sys._getframe(1), 1
  while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in _INSIDE:
    frame, level = frame.f_back, level + 1
  return level


class Unsupported(ValueError):
  """The caller asked for the kernels, which cannot compute the call, for `reason`."""

  def __init__(self, message: str, reason: str):
    super().__init__(message)
    self.reason = reason


def leaves_to_xla(implementation: str | None, reason: str | None, warns: bool = True) -> bool:
  """Whether XLA computes a call. `reason` says why the kernels cannot or should not, or is None.

  Args:
    implementation: as the caller gave it.
    reason: see above.
    warns: whether a warning says the reason.

  Raises:
    Unsupported: the kernels cannot compute it, and the caller asked for them.
  """
  if implementation == "xla":
    return True
  if reason and implementation is not None:
    raise Unsupported(
        f"implementation={implementation!r} was given, but {reason}. Pass other "
        "operands, or implementation=None to let XLA compute this.", reason)
  if reason and warns:
    warn_once(f"jaxgemm leaves this product to XLA: {reason}.")
  return bool(reason)


# The two reasons that need no warning: XLA was asked for, or `prefers_xla`.
XLA_WAS_ASKED = "implementation='xla' was given"
NOTHING_TO_SUM = ("k is 1: each element of the result is one product, and no sum. XLA "
                  "fuses this product with the operations before and after it")

_reasons: dict[str, str] = {}  # by the names of `on_xla`'s scopes


def on_xla(implementation: str | None, reason: str | None) -> contextlib.AbstractContextManager:
  """A named scope for what XLA computes in place of the kernels; `reason_of` reads its name."""
  why = XLA_WAS_ASKED if implementation == "xla" else reason or NOTHING_TO_SUM
  # No "/", "(" or space: the name is a part of the names of operations in profiles.
  name = f"jaxgemm_to_xla_{zlib.crc32(why.encode()):08x}"
  _reasons[name] = why
  return jax.named_scope(name)


def reason_of(name_stack: str) -> str:
  """Why the operation with this name stack was left to XLA, or "" if it was not."""
  found = re.search(r"jaxgemm_to_xla_[0-9a-f]{8}", name_stack)
  return _reasons.get(found[0], "") if found else ""


def prefers_xla(k: int, implementation: str | None) -> bool:
  """Whether XLA computes a call that the kernels can compute, too.

  If k is 1, XLA fuses the product with the operations before and after it, and keeps -0.0. The
  kernels' accumulators begin with 0, which would make it 0.0.
  """
  return implementation is None and k == 1
