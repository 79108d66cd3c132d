"""aiter's Triton matmuls, compiled from a checkout of its repository for gfx950.

    git clone https://github.com/ROCm/aiter
    python -m benchmarks predicted --aiter=aiter --table=aiter-gemm.csv.xz

It gives the predicted cycles of a launch, with the tile and the options that aiter takes for a
product of bfloat16, or of float8 with scales of blocks of 128; no GPU is used. PyPI's `triton`
compiles the kernels without a GPU; PyTorch is not needed.
"""

import dataclasses
import functools
import importlib.util
import json
import pathlib
import struct
import sys
import types
from unittest import mock

from triton.compiler import ASTSource

from benchmarks.amd import resources, tile_times, triton_peer
from jaxgemm import emulator
from jaxgemm.emulator import clock, grid

ARCH = "gfx950"
_FOLDER = "aiter/ops/triton"
_UTILS = "aiter.ops.triton.utils"
_KERNELS = "aiter.ops.triton._triton_kernels.gemm.basic"
_BOUNDS = tuple(2**x for x in range(14))  # of m, in the names of aiter's configurations
# The clock runs so many k tiles of a tile; more of them are on the line through these.
K_TILES = (12, 24)
_SCALED = 128  # elements of a block


@dataclasses.dataclass(frozen=True)
class Matmul:
  """A kernel of aiter's: its module and name, and the name of its files of options."""

  module: str
  name: str
  options: str


# By the kinds of the tables. The weights of the second are shuffled before they are timed.
MATMULS = {
    "bfloat16": Matmul("gemm_a16w16", "_gemm_a16_w16_kernel", "A16W16"),
    "fp8_block128": Matmul("gemm_a8w8_blockscale", "_gemm_a8w8_blockscale_preshuffle_kernel",
                           "A8W8_BLOCKSCALE_PRESHUFFLED")}


@functools.cache
def _kernel(checkout: str, matmul: Matmul):
  """The kernel, with stand-ins for what only its host code uses."""
  stubs = {name: types.ModuleType(name) for name in (
      "aiter", "aiter.ops", "aiter.ops.triton", _UTILS, f"{_UTILS}._triton")}
  config = types.ModuleType(f"{_UTILS}.gemm_config_utils")
  config.__dict__.update(compute_splitk_params=None, get_gemm_config=None)
  stubs[config.__name__] = config
  root = pathlib.Path(checkout)
  with mock.patch.dict(sys.modules, stubs):
    for name in (f"{_UTILS}._triton.kernel_repr", f"{_UTILS}._triton.pid_preprocessing",
                 f"{_KERNELS}.{matmul.module}"):
      spec = importlib.util.spec_from_file_location(name, root / f"{name.replace('.', '/')}.py")
      assert spec is not None and spec.loader is not None
      module = sys.modules[name] = importlib.util.module_from_spec(spec)
      spec.loader.exec_module(module)
  return getattr(module, matmul.name).fn  # without its heuristics


def config(checkout: str, kind: str, m: int, n: int, k: int) -> dict:
  """aiter's options for a product."""
  folder = pathlib.Path(checkout) / _FOLDER / "configs/gemm"
  files = [folder / f"{ARCH}-GEMM-{MATMULS[kind].options}{part}.json"
           for part in (f"-N={n}-K={k}", "")]
  given = json.loads(next(file for file in files if file.exists()).read_text())
  names = [f"M_LEQ_{bound}" for bound in _BOUNDS if m <= bound]
  names += [f"M_GEQ_{bound}" for bound in reversed(_BOUNDS) if m >= bound]
  return next(given[name] for name in [*names, "any"] if name in given)


@functools.cache
def _compile(checkout: str, kind: str, options: tuple, even_mn: bool, even_k: bool,
             split: int) -> triton_peer.Peer:
  kernel, given = _kernel(checkout, MATMULS[kind]), dict(options)
  tile = tuple(given[f"BLOCK_SIZE_{name}"] for name in "MNK")
  every = {
      **dict(zip(("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K"), tile)), "bias_ptr": None,
      "GROUP_SIZE_M": given["GROUP_SIZE_M"], "NUM_KSPLIT": 1, "SPLITK_BLOCK_SIZE": split,
      "EVEN_K": even_k, "EVEN_MN": even_mn, "cache_modifier": given["cache_modifier"] or "",
      "activation": "", "use_activation": False, "ADD_BIAS": False, "SKIP_REDUCE": False,
      "GROUP_K": _SCALED, "GROUP_N": _SCALED, "GRID_MN": 1, "stride_ascale_k": 1,
      "stride_bscale_k": 1, "stride_ak": 1, "stride_bk": 1, "stride_cn": 1, "stride_ck": 1 << 28}
  names = list(kernel.arg_names)
  constants = {name: value for name, value in every.items() if name in names}
  element = "*bf16" if kind == "bfloat16" else "*fp8e4nv"
  types = {"a_ptr": element, "b_ptr": element, "c_ptr": "*bf16", "a_scale_ptr": "*fp32",
           "b_scale_ptr": "*fp32"}
  signature = {name: "constexpr" if name in constants else types.get(name, "i32")
               for name in names}
  attributes = {(names.index(name),): [["tt.divisibility", 16]] for name, kind in signature.items()
                if kind != "constexpr" and name not in ("M", "N") and "scale_" not in name}
  return triton_peer.Peer.of(
      ASTSource(kernel, signature, constants, attributes), ARCH, tile, kpack=1,
      **{name: given[name] for name in (
          "num_warps", "num_stages", "waves_per_eu", "matrix_instr_nonkdim")})

@functools.cache
def _clock(peer: triton_peer.Peer, kind: str, workgroups: int, m: int, n: int, k: int,
           constants: tuple) -> tuple[float, float]:
  """The cycles of workgroups that share a compute unit, and those of a SIMD's matrix pipe."""
  n *= workgroups
  shapes, sizes = [(m, k), (n, k), (m, n)], [m, n, k, k, k, n]
  if kind != "bfloat16":
    blocks = -(-k // _SCALED)
    # Each line of the shuffled weights has 16 columns. A scale has the bytes of two elements.
    shapes = [(m, k // 2), (n, k // 2), (m, n), (m, 2 * blocks), (n, 2 * blocks)]
    sizes = [m, n, k, k, 16 * k, n, blocks, blocks]
  arrays = [tile_times.aligned(shape) for shape in shapes]
  arguments = struct.pack(f"<{len(arrays)}Q{len(sizes)}i2Q", *(x.ctypes.data for x in arrays),
                          *sizes, 0, 0)
  record = emulator.launch(
      peer.code_object, peer.name, arguments, grid=workgroups, block=64 * peer.waves, arch=ARCH,
      dynamic_lds=peer.lds_bytes, buffers=arrays,
      options=emulator.Options.unchecked(clock=workgroups, constants=dict(constants)))
  assert record.clock is not None
  return record.clock.cycles, sum(record.clock.matrix_cycles) / 4


def launch(checkout: str, kind: str, m: int, n: int, k: int) -> dict[str, float]:
  """The number of launches, the first one's cycles and matrix pipes' activity, and the traffic.

  If aiter divides k, a second launch adds the parts, which are float32. The first one's
  workgroups take as long as those of a product with a part of k.
  """
  given = config(checkout, kind, m, n, k)
  tile_m, tile_n, tile_k = (given[f"BLOCK_SIZE_{name}"] for name in "MNK")
  parts = given["NUM_KSPLIT"]
  depth = k if parts == 1 else -(-k // parts // tile_k) * tile_k

  def compiled(k: int) -> triton_peer.Peer:
    # The loop of the kernel with scales has a constant length; that of bfloat16 ends with k.
    return _compile(checkout, kind, tuple(sorted(given.items())), m % tile_m == n % tile_n == 0,
                    depth % tile_k == 0, 1 << 30 if kind == "bfloat16" else k)

  peer = compiled(depth)
  metadata = emulator.kernels(peer.code_object)[0]
  waves = resources.occupancy(ARCH, metadata["vgprs"], max(peer.lds_bytes, metadata["lds_bytes"]),
                              peer.waves)["waves_per_simd"]
  cus = int(clock.constants(ARCH)["cus"].value)
  tiles = -(-m // tile_m) * -(-n // tile_n) * parts
  resident = max(1, min(4 * waves // peer.waves, -(-tiles // cus)))
  traffic = grid.matmul_traffic(ARCH, m, n, k, tile=(min(tile_m, m), min(tile_n, n)),
                                itemsize=2 if kind == "bfloat16" else 1)
  rounded = dataclasses.replace(traffic, l2_hit_percent=round(traffic.l2_hit_percent, -1))
  constants = tuple(grid.constants_for(
      ARCH, rounded, clock.constants(ARCH)["peak_mhz"].value).items())

  def of_round(workgroups: int) -> tuple[float, float]:
    time = lambda k: _clock(compiled(k), kind, workgroups, min(m, tile_m), min(n, tile_n), k,
                            constants)
    low, high = (tiles_k * tile_k + depth % tile_k for tiles_k in K_TILES)
    if depth <= high:
      return time(depth)
    first, second = time(low), time(high)
    return tuple(b + (b - a) * (depth - high) / (high - low) for a, b in zip(first, second))

  full, last = divmod(tiles, cus * resident)
  cycles, matrix = of_round(resident)
  total = full * cycles + (of_round(min(resident, -(-last // cus)))[0] if last else 0)
  of_parts = 0 if parts == 1 else 8 * parts * m * n  # they are written and read
  return {"launches": 1 + (parts > 1), "cycles": total,
          "activity": matrix / resident * tiles / cus / total, "hbm_bytes": traffic.hbm_bytes,
          "infinity_cache_bytes": traffic.infinity_cache_bytes + of_parts}
