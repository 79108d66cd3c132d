"""Who computes a product, this package's kernels or XLA, and why: `who_computes` decides it."""

from collections.abc import Callable
import contextlib
import re
import sys
from typing import NamedTuple
import warnings
import zlib

import jax
import jax.numpy as jnp
import numpy as np

from jaxgemm import _ffi
from jaxgemm.call import denied, releases
from jaxgemm.call.dtypes import kernel_dtypes, promoted_dtypes
from jaxgemm.call.options import Options, is_own, use_emulator
from jaxgemm.call.precision import precision_error
from jaxgemm.sharding.mesh import unreduced_reason

# The most products of int8 whose sum always fits int32.
_MOST_INT8_PRODUCTS = (2**31 - 1) // 2**14


# The reasons that need no warning: XLA was asked for; or each sum has one term. Then XLA also keeps
# -0.0, and the kernels, whose accumulators begin with 0, would make it 0.0.
XLA_WAS_ASKED = "implementation='xla' was given"
NOTHING_TO_SUM = ("k is 1: each element of the result is one product, and no sum. XLA "
                  "fuses this product with the operations before and after it")


class Decision(NamedTuple):
  """Who computes a product.

  Attributes:
    dtypes: the dtypes to which lhs and rhs are converted for the kernels.
    reason: why XLA computes it; "" if the kernels do.
  """

  dtypes: tuple[np.dtype, np.dtype]
  reason: str


class Unsupported(ValueError):
  """The caller asked for the kernels, which cannot compute the call, for `reason`."""

  def __init__(self, message: str, reason: str):
    super().__init__(message)
    self.reason = reason


def who_computes(lhs, rhs, result, k: int, options: Options, *, splits: bool = True,
                 faster: Callable[..., str] | None = None) -> Decision:
  """Decides who computes a product. The first of these reasons for XLA counts:

  1. the caller asked for XLA;
  2. the kernels lack the target, the dtypes or the precision (`lack`), or partial sums are left to
     be done;
  3. there is nothing to sum;
  4. XLA is faster, by a rule of the plan or by a tuned entry.

  Args:
    lhs, rhs, k, splits: see `lack`.
    result: dtype and sharding of the result.
    options: the caller's.
    faster: function of the dtypes for the kernels, that gives the plan's entry "faster_by_xla".
      None for grouped products, for which 3 and 4 do not count.

  Raises:
    Unsupported: the kernels lack something, and the caller asked for them, or for
      deterministic="rows", which XLA does not promise.
  """
  if options.implementation == "xla":
    return Decision((lhs.dtype, rhs.dtype), XLA_WAS_ASKED)
  dtypes, reason = lack(lhs, rhs, result, k, options, splits)
  if reason and options.implementation is None and options.same_rows:
    raise Unsupported(
        f"deterministic='rows' was given, but {reason}. XLA would compute this product, and may "
        "add up a row in another order for each number of rows. Pass other operands, or another "
        "value of deterministic.", reason)
  if reason and options.implementation is not None:
    raise Unsupported(
        f"implementation={options.implementation!r} was given, but {reason}. Pass other "
        "operands, or implementation=None to let XLA compute this.", reason)
  warns = bool(reason) or not (options.own or is_own())
  if faster is not None and not reason:
    reason = prefers_xla(k, options, lambda: faster(dtypes))
  if reason and reason != NOTHING_TO_SUM and warns:
    warn_once(f"jaxgemm leaves this product to XLA: {reason}.")
  if options.emulated is not None:
    use_emulator()
  return Decision(dtypes, reason)


def prefers_xla(k: int, options: Options, faster: Callable[[], str]) -> str:
  """Why XLA computes a product that the kernels can compute, too; "" if they do.

  These are the reasons 3 and 4 of `who_computes`. They count if no implementation was given, and
  not with deterministic="rows".
  """
  if options.implementation is not None or options.same_rows:
    return ""
  return NOTHING_TO_SUM if k == 1 else faster()


def lack(lhs, rhs, result, k: int, options: Options, splits: bool = True) -> Decision:
  """A `Decision` with what the kernels lack for a product, whoever is asked for.

  Args:
    lhs: array, `jax.ShapeDtypeStruct` or aval.
    rhs: see lhs.
    result: dtype and sharding of the result.
    k: the number of products in the sum of each element of the result.
    options: the caller's.
    splits: whether float32 operands may be split in three passes, for precision="high".
  """
  target, reason = _default_target() if options.emulated is None else (
      _ffi.target_of(options.emulated) or "", None)
  reason = (reason or _operands_error(lhs, rhs, result.dtype, k)
            or precision_error(options.precision, lhs, rhs, result.dtype, target, splits))
  dtypes = lhs.dtype, rhs.dtype
  if not reason:
    dtypes = promoted_dtypes(lhs, rhs)
    read = kernel_dtypes(*dtypes, target)
    names = read[0].name, read[1].name
    reason = (_ffi.native.operands_error(*names, target).removesuffix(".")
              or denied.why_no_kernel(target, options.chip, *names))
  avals = (x if isinstance(x, jax.core.ShapedArray) else jax.typeof(x) for x in (lhs, rhs))
  return Decision(dtypes, reason or unreduced_reason(
      result.sharding, *(x.sharding for x in avals)) or "")


def _default_target() -> tuple[str, str | None]:
  """(the target of the default platform, why there is none or None)."""
  platform = _ffi.default_platform()
  if platform not in _ffi.platforms():
    names = ", ".join(sorted(_ffi.platforms()))
    return "", (f"this build has kernels for {names}, and the default platform is {platform} "
                "(GPU kernels: build with JAXGEMM_GPU_KERNELS=all)")
  try:
    target = _ffi.target(platform)
  except ValueError as refusal:
    return "", str(refusal).removesuffix(".")
  if platform == "rocm" and not _ffi.virtual_gpus:
    releases.say_once(target)
  return target, None


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


_reasons: dict[str, str] = {}  # by the names of the scopes

# What XLA does in the scopes: a product in place of the kernels, or dequantising weights for one.
TO_XLA, DEQUANTIZES = "jaxgemm_to_xla", "jaxgemm_dequantize"


def on_xla(reason: str, what: str = TO_XLA) -> contextlib.AbstractContextManager:
  """A named scope for what XLA computes; `reason_of` reads its name."""
  # No "/", "(" or space: the name is a part of the names of operations in profiles.
  name = f"{what}_{zlib.crc32(reason.encode()):08x}"
  _reasons[name] = reason
  return jax.named_scope(name)


def reason_of(name_stack: str, what: str = TO_XLA) -> str:
  """Why XLA computes the operation with this name stack, or "" if it is in no such scope."""
  found = re.search(what + r"_[0-9a-f]{8}", name_stack)
  return _reasons.get(found[0], "") if found else ""
