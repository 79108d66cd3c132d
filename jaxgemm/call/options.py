"""Checks of the options and optional arrays that all products have in common."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxgemm import _ffi
from jaxgemm.call.config import (
  REDUCTIONS,
  SCHEDULES,
  check_activation,
  check_bool,
  check_choice,
  check_config,
)

_EMULATED = "emulated:"
_IMPLEMENTATIONS = ("jaxgemm", "xla",
                    *(_EMULATED + name for name in _ffi.ROCM_NAMES))


def emulated_arch(implementation: str | None) -> str | None:
  """The name of the GPU target or the chip that an implementation emulates, or None.

  Raises:
    ValueError: the name is not that of an implementation.
  """
  check_choice("implementation", implementation, _IMPLEMENTATIONS)
  if implementation is None or not implementation.startswith(_EMULATED):
    return None
  return implementation.removeprefix(_EMULATED)


@functools.cache
def use_emulator() -> None:
  """Gives the native module the emulator's path, so that it runs calls for emulated targets."""
  from jaxgemm import emulator  # pylint: disable=g-import-not-at-top
  from jaxgemm.emulator import _interrupts, _library

  _interrupts.act_on_signals_in_errors()
  _library.load()
  _ffi.native.set_emulator_library(str(emulator.library_path()))


def check_options(*, activation=None, schedule=None, reduction=None, deterministic=False,
                  config=None, implementation=None, preferred_element_type=None,
                  out_sharding=None, **_) -> None:
  """Checks each option by itself, before `jax.jit` hashes it.

  Raises:
    TypeError, ValueError: an option has a wrong type, or an unknown name.
  """
  check_activation(activation)
  check_choice("schedule", schedule, SCHEDULES)
  check_choice("reduction", reduction, REDUCTIONS)
  check_bool("deterministic", deterministic)
  check_config(config)
  check_choice("implementation", implementation, _IMPLEMENTATIONS)
  if preferred_element_type is not None:
    dtype_argument("preferred_element_type", preferred_element_type)
  check_hashable("out_sharding", out_sharding,
                 "a jax.sharding.NamedSharding or PartitionSpec is allowed, or None")


def check_hashable(name: str, given, allowed: str) -> None:
  """Raises TypeError if `jax.jit` cannot hash `given`; the message has `allowed`."""
  try:
    hash(given)
  except TypeError as error:
    raise TypeError(f"{name}={given!r} was given; {allowed}. Pass one of these.") from error


def dtype_argument(name: str, given) -> np.dtype:
  """The numpy dtype of an argument.

  Raises:
    TypeError: the argument is no dtype.
  """
  try:
    return jnp.dtype(given)
  except TypeError as error:
    raise TypeError(
        f"{name}={given!r} was given; a dtype is allowed. Pass jnp.float32, for "
        "example.") from error


_TWO_SCALES = " For a scale of each operand pass scale_lhs and scale_rhs."

# isinstance tries these in order. jax.Array is last, because its check runs Python code.
_ARRAYS = (type(None), np.generic, int, float, complex, jax.Array)


def operand_argument(name: str, x):
  """An array that a product needs, as `jax.lax` accepts it.

  Every public function calls this before `jax.jit` sees the array. A jitted function that was
  compiled for a numpy array also takes a masked one, and ignores its mask.

  Raises:
    TypeError, ValueError: jax does not take it as an array.
  """
  if isinstance(x, jax.Array):
    return x
  try:
    jax.typeof(x)
  except (TypeError, ValueError, OverflowError) as error:
    given, advice = type(x).__name__, "Pass jnp.asarray(...), for example."
    if isinstance(x, np.ma.MaskedArray):
      advice = f"JAX would ignore the mask. Pass {name}.filled(...)."
    elif isinstance(x, np.ndarray):
      given += f" of dtype {x.dtype.str}"
      advice = "Cast it to a dtype of numbers that JAX has."
      if not x.dtype.isnative:
        advice = (f"JAX takes bytes in this machine's order only. Pass {name}.astype("
                  f"{name}.dtype.newbyteorder('=')).")
    raise type(error)(f"{name} is {'None' if x is None else f'a {given}'}; an array is allowed. "
                      f"{advice}") from error
  return x


def array_argument(name: str, x):
  """An optional array or number, as `jax.jit` accepts it.

  Raises:
    TypeError, ValueError: jax cannot make an array of it.
  """
  # jax has no int64 without jax_enable_x64.
  is_wide = type(x) is int and not -(2**31) <= x < 2**31
  if isinstance(x, _ARRAYS) and not is_wide:
    return x
  if isinstance(x, np.ndarray):
    return operand_argument(name, x)
  is_list = isinstance(x, (tuple, list))
  if is_list and any(getattr(y, "ndim", 0) > 0 for y in x):
    given = ", ".join(f"{y.dtype.name}{list(y.shape)}" if hasattr(y, "dtype") else
                      type(y).__name__ for y in x)
    raise TypeError(
        f"{name} is a {type(x).__name__} of {given}; one array is allowed, or None."
        f"{_TWO_SCALES if name == 'scale' else ' Pass one array.'}")
  try:
    return jnp.asarray(x)
  except (TypeError, ValueError, OverflowError) as error:
    raise TypeError(
        f"{name}={x!r} was given; an array or a number is allowed, or None. Pass "
        "jnp.asarray(...) of numbers.") from error
