"""GemmConfig: what a user may choose about a GEMM; the plan chooses the rest."""

import dataclasses
import difflib
import operator

import numpy as np

from jaxgemm._ffi import NAMES, native

SCHEDULES = NAMES["schedules"]
REDUCTIONS = NAMES["reductions"]
ACTIVATIONS = tuple(name for name in NAMES["activations"] if name != "none")

_SIZES = ("tile_m", "tile_n", "tile_k", "num_workgroups", "group_m", "num_queues",
          "num_shares")
_GPU_KERNELS = frozenset(name for _, name in NAMES["gpu_kernels"])


def did_you_mean(given, allowed) -> str:
  """" Did you mean 'x'?" for the allowed name that is most like `given`, or "".

  Of a name such as "emulated:gfx942" what follows the colon is compared, too.
  """
  if not isinstance(given, str):
    return ""
  given = given.lower()
  begin = given[:given.rfind(":") + 1]
  if not any(name.lower().startswith(begin) for name in allowed):
    begin = ""
  rest = given[len(begin):]
  by_lower = {name.lower().removeprefix(begin): name for name in allowed
              if name.lower().startswith(begin)}
  by_lower |= {name.rpartition(":")[2]: by_lower[name] for name in by_lower}
  close = ([name for name in by_lower if name.startswith(rest)]
           or difflib.get_close_matches(rest, by_lower, 1))
  return f" Did you mean {by_lower[close[0]]!r}?" if close else ""


def check_choice(name: str, given, allowed: tuple[str, ...], none: str = "the default",
                 remedy: str = "Pass one of these.") -> None:
  """Raises ValueError unless `given` is None or one of `allowed`.

  Args:
    name: name of the argument, for the message.
    given: value of the argument.
    allowed: the allowed names.
    none: what None stands for, in the message.
    remedy: what to do, at the end of the message.
  """
  # Without isinstance, `in` would compare an array with each of the names.
  if given is not None and not (isinstance(given, str) and given in allowed):
    raise ValueError(
        f"{name}={given!r} is unknown; allowed are the names "
        f"{', '.join(map(repr, allowed))}, or None for {none}. {remedy}"
        f"{did_you_mean(given, allowed)}")


def check_bool(name: str, given) -> None:
  """Raises TypeError unless the argument is a bool."""
  if not isinstance(given, bool):
    raise TypeError(f"{name}={given!r} was given; True and False are allowed. Pass one of these.")


def check_deterministic(given) -> None:
  """Raises TypeError unless the argument is a bool or "rows"."""
  if not isinstance(given, bool) and not (isinstance(given, str) and given == "rows"):
    raise TypeError(
        f"deterministic={given!r} was given; True and False are allowed, and 'rows'. Pass one of "
        "these.")


def timeout_ns(given) -> int:
  """A timeout in nanoseconds, from one in seconds: more than 0, and a day at most.

  Raises:
    ValueError: the timeout is no such number.
  """
  most = native.most_timeout_ns // 10**9
  if (isinstance(given, bool) or not isinstance(given, (int, float))
      or not 0 < given <= most):
    raise ValueError(
        f"timeout={given!r} was given; a number of seconds above 0 is allowed, {most} at most. "
        "Pass timeout=10.0, for example.")
  return max(1, round(given * 1e9))


def check_activation(given) -> None:
  """Raises ValueError unless `given` is None or the name of an activation."""
  remedies = {"swish": "Pass 'silu', which is the same.", "none": "Pass None."}
  check_choice("activation", given, ACTIVATIONS, "no activation", remedies.get(
      str(given).lower(), "Pass one of these, or None and apply it to the result."))


def check_config(given) -> None:
  """Raises TypeError unless the argument is a GemmConfig or None."""
  if given is not None and not isinstance(given, GemmConfig):
    raise TypeError(
        f"config is a {type(given).__name__}; a jaxgemm.GemmConfig is allowed, or "
        "None. Pass jaxgemm.GemmConfig(...).")


@dataclasses.dataclass(frozen=True)
class GemmConfig:
  """The schedule of a GEMM and its sizes; hashable, so it can be static in jit.

  Every field may be None: the plan then chooses (see `jaxgemm.explain`). A value that
  does not fit the problem is an error while tracing.

  Attributes:
    schedule: "auto", "persistent" (a fixed grid strides over the output tiles),
      "work_stealing" (workgroups take tiles from shared queues) or "stream_k" (the
      tiles of the last, partial round are cut along k).
    reduction: how stream-K sums the parts of a tile: "linear" or "tree" (bitwise
      the same on every run) or "atomic" (not reproducible).
    tile_m: rows of an output tile, also where the kernel computes out^T.
    tile_n: columns of an output tile.
    tile_k: elements along k of a k tile, which is one step of the main loop.
    num_workgroups: number of workgroups in the grid; by default as many as run at the same
      time, or fewer if there is less work. On AMD GPUs dense products may have one for each
      tile.
    group_m: number of tile rows that are visited together, so that a cache holds their
      operands.
    num_queues: number of queues that workgroups take tiles from, with work stealing or
      stream-K.
    num_shares: number of shares into which stream-K cuts the k tiles.
    claim_ahead: whether a workgroup claims its next tile before it stores the tile
      that it has computed, which hides the latency of stealing on GPUs.
    kernel: the name of a kernel instance, as `jaxgemm.explain` prints it.
    partition: whether to insert the partitioning rule that keeps sharded operands
      sharded on automatic meshes. None inserts it if the process has several
      devices, but not in a `jax.shard_map` over all axes of the mesh. False is for
      `jax.export` for several devices and for the persistent compilation cache, which do
      not work with the rule; use such a `jax.shard_map` then.
    multicast: for Hopper's dense kernels that store out^T or divide each tile along k in a
      cluster: whether CTAs whose tiles are neighbours are in one cluster and load operands
      for each other. Two whose tiles have the same rows of out load half of these rows of
      lhs each, two whose tiles have the same columns of out half of these columns of rhs.
      By default the plan decides.

  Raises:
    ValueError: an unknown name, or a size that is not a positive int.

  Gradients keep schedule, reduction, num_workgroups, num_queues, claim_ahead,
  partition and a CPU kernel; their problems have other shapes and layouts, so the
  plan chooses their tiles and GPU kernels.
  """

  schedule: str | None = None
  reduction: str | None = None
  tile_m: int | None = None
  tile_n: int | None = None
  tile_k: int | None = None
  num_workgroups: int | None = None
  group_m: int | None = None
  num_queues: int | None = None
  num_shares: int | None = None
  claim_ahead: bool | None = None
  kernel: str | None = None
  partition: bool | None = None
  multicast: bool | None = None

  def __post_init__(self):
    check_choice("schedule", self.schedule, SCHEDULES)
    check_choice("reduction", self.reduction, REDUCTIONS)
    for name in _SIZES:
      value = getattr(self, name)
      if value is None:
        continue
      try:
        size = operator.index(value)  # this takes integers of numpy, too
      except TypeError:
        size = 0
      if isinstance(value, bool) or not 0 < size < 2**31:
        raise ValueError(
            f"{name}={value!r} is not allowed; a positive int below 2**31 is, or "
            "None. Pass one, or leave it out and the plan chooses."
        )
      object.__setattr__(self, name, size)
    if self.kernel is not None and not isinstance(self.kernel, str):
      raise ValueError(
          f"kernel={self.kernel!r} is not allowed; a kernel's name is, or None. "
          "Pass a name that jaxgemm.explain prints, or leave it out."
      )
    for name, hint in (
        ("claim_ahead", "to let the plan choose"),
        ("multicast", "to let the plan choose"),
        ("partition", "unless jax.export or the compilation cache needs False")):
      value = getattr(self, name)
      # Without np.ndim, `in` would compare an array with each of them.
      if value is not None and not (np.ndim(value) == 0 and value in (True, False)):
        raise ValueError(
            f"{name}={getattr(self, name)!r} is not allowed; True, False and None "
            f"are. Leave it out {hint}."
        )

  def for_gradient(self) -> "GemmConfig":
    """The config of the GEMMs that this one's gradients need."""
    return dataclasses.replace(
        self, tile_m=None, tile_n=None, tile_k=None, group_m=None,
        num_shares=None, multicast=None,
        kernel=None if self.kernel in _GPU_KERNELS else self.kernel,
    )

  @property
  def is_open(self) -> bool:
    """Whether the config leaves all to the plan, so that a tuned entry may decide.

    `partition` does not count: it is not the plan's.
    """
    return all(getattr(self, name) is None or (name, getattr(self, name)) in (
        ("schedule", "auto"), ("reduction", "linear"))
               for name in ("schedule", "reduction", "claim_ahead", "multicast", "kernel",
                            *_SIZES))

  def to_native(self, deterministic: bool | str) -> tuple[tuple[str, str | int], ...]:
    """The config as the native plan reads it.

    0 and "", and -1 for claim_ahead and multicast, leave the choice to the plan.
    """
    sizes = [(name, getattr(self, name) or 0) for name in _SIZES]
    return (
        ("schedule", self.schedule or "auto"),
        ("reduction", self.reduction or "linear"),
        ("deterministic", int(bool(deterministic))),
        ("same_rows", int(deterministic == "rows")),
        ("kernel", self.kernel or ""),
        *((name, -1 if getattr(self, name) is None else int(getattr(self, name)))
          for name in ("claim_ahead", "multicast")),
        *sizes,
    )
