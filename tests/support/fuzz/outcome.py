"""How a case of the fuzzers may end."""

import jax
import numpy as np


class Fault(Exception):
  """A result is wrong, or a refusal does not name what is wrong."""


def short(x) -> str:
  """An argument in a few words."""
  if isinstance(x, (np.ndarray, np.generic, jax.Array, jax.ShapeDtypeStruct)):
    is_small = not isinstance(x, jax.ShapeDtypeStruct) and x.size < 9
    values = f" {np.asarray(x).ravel()}" if is_small else ""
    return f"{x.dtype}{list(x.shape)}{values}"
  return repr(x)[:200]


def described(name: str, arguments) -> str:
  return f"{name}({', '.join(f'{key}={short(x)}' for key, x in arguments.items())})"


def check_close(words: str, got, wanted, error) -> None:
  """Raises Fault unless all elements are within their bounds, and NaN where they are wanted."""
  got = np.asarray(got)
  if got.shape != np.shape(wanted):
    raise Fault(f"{words}: shape {got.shape}, not {np.shape(wanted)}")
  got = got.astype(np.float64)
  with np.errstate(all="ignore"):
    right = (np.abs(got - wanted) <= error) | (got == wanted) | (np.isnan(got) & np.isnan(wanted))
    # Where sums in float32 overflow, or the bound is infinite, any element is right.
    right |= (~(np.abs(wanted) + error < 3e38) & ~np.isnan(wanted)) | np.isinf(error)
  if not right.all():
    first = tuple(int(x) for x in np.argwhere(~right)[0])
    raise Fault(f"{words}: {(~right).sum()} of {right.size} elements are wrong; the first, "
                f"{first}, is {got[first]}, not {np.asarray(wanted)[first]} within "
                f"{np.asarray(error)[first]:.3g}")


def first_fault(run, cases: int, seed: int) -> str:
  """The text of the first fault among cases of run(rng), or "no fault"."""
  for number in range(cases):
    try:
      run(np.random.default_rng([seed, number]))
    except Fault as fault:
      return str(fault)
  return "no fault"
