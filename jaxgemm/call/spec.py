"""Records of a product: Spec, what it computes; Geometry, its sizes and layouts."""

import dataclasses

import jax.numpy as jnp
import numpy as np

from jaxgemm import _ffi
from jaxgemm.call.config import GemmConfig
from jaxgemm.call.dtypes import accumulator_dtype
from jaxgemm.call.options import Options

Labels = tuple[int, ...]  # those of an array's dimensions, as in einsum


@dataclasses.dataclass(frozen=True)
class Spec:
  """What a product computes, without its shapes.

  Attributes:
    out_dtype: dtype of out.
    activation: the name of an activation, or None.
    save_preact: whether the value before the activation is a second result.
    config: what the user chose.
    deterministic: whether the plan refuses options whose results differ between runs. "rows": the
      bits of a row of out must not depend on the other rows, either.
    weak_type: whether out has a weak type in jax.
    emulated: the name of the GPU target or chip whose kernels the CPU emulates, or None.
    precise: whether kernels that would round float32 to tf32 multiply it in three passes.
    quantize_out: "block" or "mx" if out is quantised, and the scales of its blocks are the last
      result; see `quantize`. The value before the activation is then bfloat16.
  """

  out_dtype: np.dtype
  activation: str | None = None
  save_preact: bool = False
  config: GemmConfig = GemmConfig()
  deterministic: bool | str = False
  weak_type: bool = False
  emulated: str | None = None
  precise: bool = False
  quantize_out: str | None = None

  @classmethod
  def of(cls, out_dtype, options: Options, **more) -> "Spec":
    """That of a call with these options."""
    return cls(jnp.dtype(out_dtype), options.activation, config=options.config,
               deterministic=options.deterministic, emulated=options.emulated,
               quantize_out=options.quantize_out, **more)

  def accumulator(self, lhs, rhs) -> "Spec":
    """The product without its epilogue, which is computed outside the kernel."""
    return self._plain(accumulator_dtype(lhs, rhs), self.config)

  def for_gradient(self, out_dtype) -> "Spec":
    """A product without an epilogue, as gradients need it."""
    return self._plain(jnp.dtype(out_dtype), self.config.for_gradient())

  def before_activation(self) -> "Spec":
    """The same product without its activation."""
    return dataclasses.replace(self, activation=None, save_preact=False)

  def _plain(self, out_dtype, config: GemmConfig) -> "Spec":
    return dataclasses.replace(self, out_dtype=out_dtype, activation=None, save_preact=False,
                               config=config, weak_type=False, quantize_out=None)

  def not_quantized(self) -> "Spec":
    """The same product with a float32 result in place of a quantised one."""
    if self.quantize_out is None:
      return self
    return dataclasses.replace(self, out_dtype=jnp.dtype(jnp.float32), quantize_out=None)

  @property
  def preact_dtype(self) -> np.dtype:
    """The dtype of the value before the activation."""
    return self.out_dtype if self.quantize_out is None else jnp.dtype(jnp.bfloat16)

  def for_derivative(self, gated: bool = False) -> "Spec":
    """The same product, with the value before the activation if its derivative needs that."""
    saves = self.save_preact or self.activation is not None or gated
    return dataclasses.replace(self, save_preact=saves)

  def target(self, platform: str) -> str:
    """The target of the plan if the program runs on `platform`; see `_ffi.target`."""
    if self.emulated is not None:
      return _ffi.target_of(self.emulated) or ""
    return _ffi.target(platform)

  @property
  def same_rows(self) -> bool:
    """Whether the bits of a row of out must not depend on the other rows."""
    return self.deterministic == "rows"

  @property
  def chip(self) -> str | None:
    """The chip that the plan is for, if the call names one."""
    return self.emulated if self.emulated in _ffi.NAMES["chips"] else None


def with_absent(operands, required: int, *there: bool) -> tuple:
  """A primitive's operands, with None for each optional operand that is absent.

  Args:
    operands: those that the primitive has.
    required: the number of operands that are always there; they come first.
    there: for each optional operand, whether it is there.
  """
  optional = iter(operands[required:])
  return *operands[:required], *(next(optional) if x else None for x in there)


@dataclasses.dataclass(frozen=True)
class Geometry:
  """The sizes of a kernel call and the layouts of its operands.

  If `ragged` is "m" or "k", group sizes cut that dimension: see grouped/form.py. n is the
  number of columns of out; rhs, bias and scale of a gated product have twice as many.
  """

  batch: int
  m: int
  n: int
  k: int
  lhs_contracting: int
  rhs_contracting: int
  lhs_batched: bool
  rhs_batched: bool
  ragged: str = "none"
  groups: int = 0
  local_groups: int = 0
  group_offset: bool = False
  sizes_batched: bool = False
  # Operands that are read by index along the ragged dimension: how many lines they have.
  lhs_gathered: bool = False
  rhs_gathered: bool = False
  lhs_lines: int = 0
  rhs_lines: int = 0
  lhs_indices_batched: bool = False
  rhs_indices_batched: bool = False
  accumulate: bool = False
  skips_rest: bool = False  # rows of no group are not written
  gated: bool = False
  # For an lhs that arrives in chunks: see chunked/primitive.py. num_chunks is -1 while it is
  # unknown.
  tiles_per_chunk: int = 0
  pivot: int = 0
  num_chunks: int = 0
  signals_batched: bool = False
  timeout_ns: int = 0

  @classmethod
  def of(cls, lhs_shape, rhs_shape, lhs_contracting, rhs_contracting):
    lhs_batched, rhs_batched = len(lhs_shape) == 3, len(rhs_shape) == 3
    batch = lhs_shape[0] if lhs_batched else rhs_shape[0] if rhs_batched else 1
    *_, m, k = lhs_shape
    *_, k_rhs, n = rhs_shape
    if not lhs_contracting:
      m, k = k, m
    if rhs_contracting:
      n = k_rhs
    return cls(batch, m, n, k, lhs_contracting, rhs_contracting, lhs_batched,
               rhs_batched)

  def out_shape(self):
    batched = (self.lhs_batched or self.rhs_batched or self.sizes_batched
               or self.signals_batched or self.lhs_indices_batched or self.rhs_indices_batched)
    batch = (self.batch,) if batched else ()
    groups = (self.local_groups,) if self.ragged == "k" else ()
    return (*batch, *groups, self.m, self.n)

  def to_native(self) -> dict[str, str | int]:
    return {name: value if isinstance(value, str) else int(value)
            for name, value in dataclasses.asdict(self).items()}
