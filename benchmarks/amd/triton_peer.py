"""Triton's persistent matmul, for the reports on AMD kernels.

    python -m benchmarks resources --triton
    python -m benchmarks predicted
    python -m benchmarks amd_plan --triton

PyPI's `triton` compiles it without a GPU and without ROCm. The kernel has the form that
Triton's tutorials and tritonBLAS use: pointers that advance along k, one program per
compute unit that visits the tiles in groups of rows, and rows past the edge wrapped around. If k is
no multiple of a tile's k, it masks its loads, as Triton's tutorial does in every iteration, or as
tritonBLAS does in a last one of its own; reports take the faster one.
"""

import dataclasses
import functools
import itertools
import struct

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
import triton.language as tl

from jaxgemm import emulator
from jaxgemm.emulator import clock

TILE = (256, 256, 64)
# Tiles and warps to choose from for products of any size, one program on a compute unit.
SMALLER = tuple(((m, n, 64), 8 if m * n > 128 * 128 else 4) for m, n in (
    (256, 256), (256, 128), (128, 256), (128, 128), (128, 64), (64, 128), (64, 64), (32, 128),
    (32, 64), (16, 128), (16, 64)))
GROUP_M = 8

# The options of tritonBLAS for its persistent kernel: 8 warps, 2 stages, 16x16 matrix
# instructions. enable_fp_fusion is Triton's default, given to keep Triton quiet.
OPTIONS = dict(num_warps=8, num_stages=2, matrix_instr_nonkdim=16, enable_fp_fusion=True)


@triton.jit
def persistent_matmul(
    lhs, rhs, out, m, n, k, lhs_stride, rhs_stride, out_stride,
    LHS_CONTRACTING: tl.constexpr, RHS_CONTRACTING: tl.constexpr,
    TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr,
    GROUP: tl.constexpr, NUM_PROGRAMS: tl.constexpr, MASK: tl.constexpr):
  """out = lhs @ rhs; strides are those of lines.

  MASK: "none", for a k of whole tiles; "each", masked loads in every iteration; or "last", one or
  more whole tiles and then a masked one.
  """
  tiles_m = tl.cdiv(m, TILE_M)
  tiles_n = tl.cdiv(n, TILE_N)
  tiles_per_group = GROUP * tiles_n
  for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, NUM_PROGRAMS):
    first_m = tile // tiles_per_group * GROUP
    group_rows = min(tiles_m - first_m, GROUP)
    tile_m = first_m + (tile % tiles_per_group) % group_rows
    tile_n = (tile % tiles_per_group) // group_rows
    tl.assume(tile_m >= 0)
    tl.assume(tile_n >= 0)

    rows = (tile_m * TILE_M + tl.arange(0, TILE_M)) % m
    columns = (tile_n * TILE_N + tl.arange(0, TILE_N)) % n
    rows = tl.max_contiguous(tl.multiple_of(rows, TILE_M), TILE_M)
    columns = tl.max_contiguous(tl.multiple_of(columns, TILE_N), TILE_N)
    depth = tl.arange(0, TILE_K)
    if LHS_CONTRACTING == 1:
      lhs_ptrs = lhs + rows[:, None] * lhs_stride + depth[None, :]
      lhs_step = TILE_K
    else:
      lhs_ptrs = lhs + rows[:, None] + depth[None, :] * lhs_stride
      lhs_step = TILE_K * lhs_stride
    if RHS_CONTRACTING == 1:
      rhs_ptrs = rhs + columns[None, :] * rhs_stride + depth[:, None]
      rhs_step = TILE_K
    else:
      rhs_ptrs = rhs + columns[None, :] + depth[:, None] * rhs_stride
      rhs_step = TILE_K * rhs_stride

    sums = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    tiles_k = k // TILE_K if MASK == "last" else tl.cdiv(k, TILE_K)
    tl.assume(tiles_k > 0)
    for k_tile in range(0, tiles_k):
      if MASK == "each":
        inside = depth < k - k_tile * TILE_K
        sums += tl.dot(tl.load(lhs_ptrs, mask=inside[None, :], other=0.0),
                       tl.load(rhs_ptrs, mask=inside[:, None], other=0.0))
      else:
        sums += tl.dot(tl.load(lhs_ptrs), tl.load(rhs_ptrs))
      lhs_ptrs += lhs_step
      rhs_ptrs += rhs_step
    if MASK == "last":
      inside = depth < k - tiles_k * TILE_K
      sums += tl.dot(tl.load(lhs_ptrs, mask=inside[None, :], other=0.0),
                     tl.load(rhs_ptrs, mask=inside[:, None], other=0.0))

    rows = tile_m * TILE_M + tl.arange(0, TILE_M)
    columns = tile_n * TILE_N + tl.arange(0, TILE_N)
    out_ptrs = out + rows[:, None] * out_stride + columns[None, :]
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(out_ptrs, sums.to(out.type.element_ty), mask=inside)


@dataclasses.dataclass(frozen=True)
class Peer:
  """A compiled kernel; lds_bytes are those that a launch sets."""

  name: str
  arch: str
  code_object: bytes
  lds_bytes: int
  waves: int
  tile: tuple[int, int, int]
  mask: str = "none"  # the kernel's MASK

  @classmethod
  def of(cls, source: ASTSource, arch: str, tile: tuple[int, int, int], mask: str = "none",
         **options) -> "Peer":
    compiled = triton.compile(source, target=GPUTarget("hip", arch, 64), options=options)
    data = compiled.metadata
    return cls(data.name, arch, compiled.asm["hsaco"], data.shared, data.num_warps, tile, mask)

  def clock(self, form: str, arrays, *numbers: int, constants: dict[str, float] | None = None
            ) -> clock.Clock:
    """Emulates one program. Its arguments have a form of `struct`: addresses, then numbers."""
    # The last two arguments are Triton's own scratch, unused here.
    arguments = struct.pack(f"<{len(arrays)}Q{form}2Q", *(x.ctypes.data for x in arrays), *numbers,
                            0, 0)
    record = emulator.launch(
        self.code_object, self.name, arguments, grid=1, block=64 * self.waves, arch=self.arch,
        dynamic_lds=self.lds_bytes, buffers=[*arrays],
        options=emulator.Options.unchecked(clock=1, constants=constants))
    assert record.clock is not None
    return record.clock


@functools.cache
def variants(arch: str, lhs_contracting: int, rhs_contracting: int,
             num_programs: int, tile: tuple[int, int, int] = TILE, num_warps: int = 8,
             waves_per_eus: tuple[int, ...] = (0, 2), masks: tuple[str, ...] = ("none",)
             ) -> list[Peer]:
  """The kernel for bfloat16 with each setting that tuners try; the reports take the best one.

  waves_per_eu: 0 is the compiler's choice, 2 is that of 8 warps on 4 SIMDs. kpack 2
  is for gfx942 (Triton sets it to 1 on gfx950). Pointers known to span less than 2 GiB
  let Triton use buffer instructions with 32-bit offsets. `masks` are values of MASK.
  """
  kpacks = (1, 2) if arch == "gfx942" else (1,)
  return [
      _compile(arch, lhs_contracting, rhs_contracting, num_programs, tile, num_warps, *options)
      for options in itertools.product(masks, waves_per_eus, kpacks, (False, True))]


def _compile(arch, lhs_contracting, rhs_contracting, num_programs, tile, num_warps,
             mask, waves_per_eu, kpack, small) -> Peer:
  signature = dict.fromkeys(("lhs", "rhs", "out"), "*bf16")
  signature |= dict.fromkeys(("m", "n", "k", "lhs_stride", "rhs_stride", "out_stride"), "i32")
  constants = dict(
      LHS_CONTRACTING=lhs_contracting, RHS_CONTRACTING=rhs_contracting, TILE_M=tile[0],
      TILE_N=tile[1], TILE_K=tile[2], GROUP=GROUP_M, NUM_PROGRAMS=num_programs, MASK=mask)
  multiple = ["tt.divisibility", 16]
  attributes = {(i,): [multiple] for i in range(len(signature))}
  if small:
    attributes |= {(i,): [multiple, ["tt.pointer_range", 32]] for i in range(3)}
  source = ASTSource(
      persistent_matmul, signature | dict.fromkeys(constants, "constexpr"), constants, attributes)
  return Peer.of(source, arch, tile, mask, **OPTIONS | {
      "num_warps": num_warps, "waves_per_eu": waves_per_eu, "kpack": kpack})
