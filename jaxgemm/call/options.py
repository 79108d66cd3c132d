"""The options that all products have in common, as the record `Options`; checks of their arrays."""

from collections.abc import Iterator, Mapping
import contextlib
import contextvars
import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxgemm import _ffi
from jaxgemm.call.config import (
  REDUCTIONS,
  SCHEDULES,
  GemmConfig,
  check_activation,
  check_choice,
  check_config,
  check_deterministic,
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


# The number of columns that share a scale of a quantised result, by kind.
QUANTIZE_OUT = {"block": 128, "mx": 32}
_FLOAT8 = "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"


def float8_dtypes(implementation: str | None = None) -> tuple[np.dtype, np.dtype]:
  """The e4m3 and e5m2 dtypes that the kernels of the default platform read.

  Args:
    implementation: as in `jaxgemm.matmul`; an emulated target or chip has dtypes of its own.
  """
  emulated = emulated_arch(implementation)
  target = None if emulated is None else _ffi.target_of(emulated)
  if target is None and _ffi.default_platform() in _ffi.platforms():
    try:
      target = _ffi.target(_ffi.default_platform())
    except ValueError:  # a GPU without kernels, for which XLA computes products
      target = None
  names = (("float8_e4m3fnuz", "float8_e5m2fnuz") if target in _ffi.FNUZ_TARGETS
           else ("float8_e4m3fn", "float8_e5m2"))
  e4m3, e5m2 = map(jnp.dtype, names)
  return e4m3, e5m2


class Options(NamedTuple):
  """The options of a call, checked. Jitted functions take them as one static argument.

  Attributes:
    precision, preferred_element_type, out_sharding, activation, deterministic, implementation: as
      the caller gave them; see `jaxgemm.matmul`.
    config: the caller's, with schedule and reduction.
    quantize_out: as the caller gave it. preferred_element_type is then a float8 dtype.
    own: see `own_products`. It is an option, so that jit does not take such a product for one of
      the user.
  """

  precision: Any = None
  preferred_element_type: Any = None
  out_sharding: Any = None
  activation: str | None = None
  config: GemmConfig = GemmConfig()
  deterministic: bool | str = False
  implementation: str | None = None
  own: bool = False
  quantize_out: str | None = None

  @classmethod
  def of(cls, arguments: Mapping[str, Any]) -> "Options":
    """The options among the arguments of a public function, which are given by name.

    Raises:
      TypeError, ValueError: an option has a wrong type, or an unknown name.
    """
    get = arguments.get
    given: list[Any] = [get(name) for name in _MAY_BE_NONE]
    given += [get("deterministic", False), is_own(), get("quantize_out")]
    try:
      options = _kept(*given)
    except TypeError:  # an option cannot be hashed, or is wrong
      options = _checked(*given)
    if options.quantize_out is not None and options.preferred_element_type is None:
      e4m3, _ = float8_dtypes(options.implementation)
      options = options._replace(preferred_element_type=e4m3)
    return options

  def keywords(self) -> dict[str, Any]:
    """The options that all products take, as keywords; schedule and reduction are in config."""
    return {name: getattr(self, name)
            for name in ("activation", "config", "deterministic", "implementation")}

  @property
  def same_rows(self) -> bool:
    """Whether the bits of a row of the result must not depend on the other rows."""
    return self.deterministic == "rows"

  @property
  def emulated(self) -> str | None:
    """The name of the GPU target or the chip that is emulated, or None."""
    return emulated_arch(self.implementation)

  @property
  def chip(self) -> str | None:
    """The chip that the plan is for, if the call names one."""
    return self.emulated if self.emulated in _ffi.NAMES["chips"] else None


# The keywords of public functions that are options.
KEYWORDS = ("precision", "preferred_element_type", "out_sharding", "activation", "schedule",
            "reduction", "config", "implementation", "deterministic")
_MAY_BE_NONE = KEYWORDS[:-1]


def _checked(precision, preferred_element_type, out_sharding, activation, schedule, reduction,
             config, implementation, deterministic, own: bool, quantize_out) -> Options:
  """See `Options.of`."""
  check_activation(activation)
  check_choice("schedule", schedule, SCHEDULES)
  check_choice("reduction", reduction, REDUCTIONS)
  check_deterministic(deterministic)
  check_config(config)
  check_choice("quantize_out", quantize_out, (*QUANTIZE_OUT,))
  check_choice("implementation", implementation, _IMPLEMENTATIONS)
  if preferred_element_type is not None:
    dtype = dtype_argument("preferred_element_type", preferred_element_type)
    if quantize_out is not None and dtype.name not in _FLOAT8:
      raise ValueError(
          f"preferred_element_type={dtype.name} was given with quantize_out={quantize_out!r}; "
          f"{', '.join(_FLOAT8)} are allowed. Leave it out for the e4m3 that the kernels read.")
  check_hashable("out_sharding", out_sharding,
                 "a jax.sharding.NamedSharding or PartitionSpec is allowed, or None")
  config = GemmConfig() if config is None else config
  given = {"schedule": schedule, "reduction": reduction}
  given = {name: value for name, value in given.items() if value is not None}
  for name, value in given.items():
    inside = getattr(config, name)
    if inside is not None and value != inside:
      raise ValueError(
          f"{name}={value!r} was given and config.{name} is {inside!r}; one of "
          "them is allowed. Remove one."
      )
  config = dataclasses.replace(config, **given)
  if deterministic and config.reduction == "atomic":
    raise ValueError(
        f"deterministic={deterministic!r} was given with reduction='atomic', whose sums depend "
        "on the order of arrival; 'linear' and 'tree' are allowed. Choose one of "
        "these or deterministic=False."
    )
  if deterministic == "rows" and implementation == "xla":
    raise ValueError(
        "deterministic='rows' was given with implementation='xla', and XLA may add up a row in "
        "another order for each number of rows; the kernels do not. Leave implementation out, or "
        "choose another value of deterministic.")
  return Options(hashable(precision), preferred_element_type, out_sharding, activation, config,
                 deterministic, implementation, own, quantize_out)


# The same arguments need no second check. With typed=True 1 is not taken for True.
_kept = functools.lru_cache(maxsize=1024, typed=True)(_checked)

# Whether the product that is traced belongs to a layer or a recipe: its caller did not ask for it.
_is_own: contextvars.ContextVar[bool] = contextvars.ContextVar("is_own", default=False)


@contextlib.contextmanager
def own_products() -> Iterator[None]:
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


def hashable(precision):
  """The precision, hashable: jax also takes a list, which cannot be static in jit.

  Raises:
    TypeError: it is something that cannot be hashed, and so no precision.
  """
  given = tuple(precision) if isinstance(precision, list) else precision
  check_hashable(
      "precision", given, "a name, a jax.lax.Precision, a pair of these or an algorithm is "
      "allowed, as in jax.numpy.matmul")
  return given


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
    if given == "Quantized":
      advice = (f"Weights may be one. For others pass {name}.values and {name}.scales to "
                "jaxgemm.scaled_matmul or scaled_ragged_dot.")
    elif isinstance(x, np.ma.MaskedArray):
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


_VECTORS = "bias", "scale", "scale_lhs", "scale_rhs"


def given_vectors(arguments: Mapping[str, Any]) -> dict[str, Any]:
  """Bias and scales among the arguments of a public function, without absent ones.

  With fewer arguments a jitted call starts sooner.
  """
  return {name: array_argument(name, x) for name in _VECTORS
          if (x := arguments.get(name)) is not None}


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
