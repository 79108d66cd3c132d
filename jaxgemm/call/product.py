"""A kind of product: what its own primitive and the parts of the package that see all kinds ask.

Dense, grouped and chunked products and those with scales of blocks have one each, in product.py of
their folders. explain/ and tune/ ask it, and do not know the kinds themselves.
"""

import abc
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from jax.extend.core import Primitive

from jaxgemm import _ffi
from jaxgemm.call.plan import PLATFORMS, lacks_kernel, require_built

# Why the kernels do not quantise a result.
NOT_ON_MESHES = ("the mesh has explicit axes, where the kernels do not quantise results; they do "
                 "on automatic axes and inside jax.shard_map")


class Given(NamedTuple):
  """A public call: its operands and its other arguments by name."""

  lhs: Any
  rhs: Any
  arguments: dict[str, Any]


class Arranged(NamedTuple):
  """How operands and result of a call lie for its kernel.

  Attributes:
    transposed: the names of the arrays that a copy transposes.
    gradients: for each operand with a gradient, the arrays that this transposes; "cotangent" is
      the gradient of the result.
    swapped: whether the kernel's lhs is the call's rhs.
    fused: whether the kernel applies bias, scale and activation; else they follow it.
    reasons: sentences about what else is done before or after the kernel.
  """

  transposed: tuple[str, ...] = ()
  gradients: dict[str, tuple[str, ...]] = {}
  swapped: bool = False
  fused: bool = True
  reasons: tuple[str, ...] = ()


class Product(abc.ABC):
  """A kind of product. A call is an equation of its primitive: operands (avals) and parameters.

  Attributes:
    primitive: that of the calls of the kernels.
  """

  primitive: Primitive

  @abc.abstractmethod
  def plan(self, avals, params: dict[str, Any], target: str) -> dict[str, Any]:
    """The plan of a call; see `plan_call`.

    Raises:
      ValueError: there is no plan.
    """

  def arrange(self, avals, params: dict[str, Any], given: Given | None) -> Arranged:
    """How a call's arrays lie for its kernel. `given` is the public call, where it is known."""
    del avals, params, given
    return Arranged()

  def described(self, avals, params: dict[str, Any], plan: dict[str, Any]) -> dict[str, Any]:
    """What `explain` says of this kind only, by name."""
    del avals, params, plan
    return {}

  def xla(self, avals, params: dict[str, Any]) -> Callable | None:
    """XLA's own product, a function of the operands, or None if it does not compete."""
    del avals, params
    return None

  def why_not_tuned(self, params: dict[str, Any]) -> str:
    """Why calls like this one are not tuned, or ""."""
    del params
    return ""

  def read_before_transpose(self, params: dict[str, Any], i: int, permutation):
    """The rule of call/transposes.py: the parameters of a call that reads x in place of operand i,
    which is transpose(x, permutation), or None if it cannot."""
    del params, i, permutation

  def why_not_quantized(self, avals, params: dict[str, Any], explicit: bool) -> str:
    """Why the kernels do not quantise the result of a call with spec.quantize_out; "" if they do.

    Args:
      avals, params: see `plan`.
      explicit: whether the call is for a mesh with explicit axes.
    """
    if explicit:
      return NOT_ON_MESHES
    try:
      self.plan(avals, params, params["spec"].target(_ffi.default_platform()))
    except ValueError as error:
      return str(error).removesuffix(".")
    return ""

  def require_plan(self, avals, params: dict[str, Any]) -> None:
    """Raises the errors of a call's plan while it is traced; its lowering makes the plan again.

    Raises:
      ValueError: see `plan`; or this build lacks the kernel of the plan.
    """
    spec, platform = params["spec"], _ffi.default_platform()
    if spec.emulated or platform in _ffi.platforms():
      target = spec.target(platform)
      require_built(self.plan(avals, params, target), spec, target, platform)

  def can_be_lowered(self, avals, params: dict[str, Any], platforms: Iterable[str]) -> bool:
    """Whether a call has a plan on each of these platforms, and this build the kernels for it.

    Platforms without kernels do not count.
    """
    spec = params["spec"]
    for platform in platforms:
      if platform in PLATFORMS:
        try:
          planned = self.plan(avals, params, spec.target(platform))
        except ValueError:  # a tile or a kernel that the user chose does not fit
          return False
        if lacks_kernel(planned, spec, platform):
          return False
    return True
