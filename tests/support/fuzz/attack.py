"""What the kinds of cases that compute products share: where they run, and how a call may end."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np

from jaxgemm import _ffi
from tests.support.fuzz.hostile import choice
from tests.support.fuzz.outcome import Fault

# jax itself raises OverflowError, which names the argument, for an int in place of an operand.
ALLOWED = (TypeError, ValueError, NotImplementedError, OverflowError)
_NOT_BUILT = ("this build has no code object", "this build has none")
# A sum of float32 products may be off by so much, times the square root of its length.
SUM = 2.0**-20
# A program is called so often, each time with other values, because its compilation takes longest.
CALLS = 4
# XLA's threads, and some kernels, take subnormal numbers for zero.
SUBNORMAL = 2.0**-126


def refused(words: str, names, call) -> str:
  """Makes a call with a wrong argument: it must raise an error with one of the names of it."""
  names = (names,) if isinstance(names, str) else names
  try:
    with warnings.catch_warnings(action="ignore"):
      out = jax.block_until_ready(call())
  except ALLOWED as error:
    if not any(name.lower() in str(error).lower() for name in names):
      raise Fault(
          f"{words}: {names[0]} is wrong, and the text does not name it: {error!r}") from error
    return "refused"
  except Exception as error:
    raise Fault(f"{words}: {names[0]} is wrong, and it raised {error!r:.1500}") from error
  raise Fault(f"{words}: {names[0]} is wrong, and it was accepted: {jax.tree.map(jnp.shape, out)}")


def computed(words: str, call, *may_refuse: str):
  """The result of a valid call, or None if the build has no kernel for it.

  Args:
    words: the call in words.
    call: the call, a function of nothing.
    *may_refuse: parts of the texts of errors that are right here.
  """
  try:
    return jax.block_until_ready(call())
  except Exception as error:
    if any(text in str(error) for text in (*_NOT_BUILT, *may_refuse)):
      return None
    raise Fault(f"{words} is valid, and raised {error!r:.1500}") from error


def implementation(rng, emulated: float = 0.0) -> str:
  """An implementation: mostly the kernels of the default platform, else an emulated chip.

  Args:
    rng: a generator.
    emulated: the share of calls in the emulator. They are slow, so their products are small.
  """
  if _ffi.virtual_gpus is None and rng.random() < emulated:
    return choice(rng, ("emulated:gfx942", "emulated:gfx950"))
  return "jaxgemm"


def error_of_operands(name: str | None) -> float:
  """How much an implementation rounds float32 operands: MI300X has XF32, with 10 bits."""
  return 2.0**-9 if "gfx942" in f"{name} {_ffi.virtual_gpus}" else 0.0


def float8_dtypes(name: str | None) -> tuple[str, str]:
  """The e4m3 and e5m2 that the kernels of an implementation read."""
  is_fnuz = "gfx942" in f"{name} {_ffi.virtual_gpus}"
  return ("float8_e4m3fnuz", "float8_e5m2fnuz") if is_fnuz else ("float8_e4m3fn", "float8_e5m2")


def roundoff(dtype) -> float:
  """How much a cast to a dtype rounds, relative to the value."""
  return float(jnp.finfo(dtype).eps)


def near(words: str, given, wanted, tolerance: float) -> None:
  """Raises Fault unless each leaf is within `tolerance` times the largest element of the wanted."""
  pairs = list(zip(jax.tree.leaves_with_path(given), jax.tree.leaves(wanted), strict=True))
  for (path, x), y in pairs:
    x, y = np.asarray(x).astype(np.float64), np.asarray(y, np.float64)
    where = f"{words}: the result{jax.tree_util.keystr(path)}"
    if x.shape != y.shape:
      raise Fault(f"{where} has shape {x.shape}, not {y.shape}")
    if not y.size:
      continue
    off = np.abs(x - y)
    if not (off <= tolerance * np.abs(y).max() + SUBNORMAL).all():  # NaN is not, either
      first = tuple(int(i) for i in np.argwhere(~(off <= tolerance * np.abs(y).max()))[0])
      raise Fault(f"{where} is wrong: {first} is {x[first]}, not {y[first]}; the largest is "
                  f"{np.abs(y).max():.3g}, and the largest difference {np.max(off):.3g}")


# What jax.lax's products refuse as an operand, by its name.
NO_OPERANDS = {
    "a masked array": lambda x: np.ma.masked_array(np.asarray(x, np.float32), np.asarray(x) > 0),
    "another byte order": lambda x: np.asarray(x, np.float32).astype(">f4"),
    "strings": lambda x: np.full(np.shape(x), "x"),
    "objects": lambda x: np.asarray(x, object),
    "None": lambda x: None,
    "a string": lambda x: "x",
    "dates": lambda x: np.zeros(np.shape(x), "datetime64[s]"),
}
# jax's own texts about such an operand name the type, or a dtype.
OF_OPERANDS = ("argument", "dtype", "array", "type", "masked")
