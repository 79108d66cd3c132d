"""Primus-Turbo's Triton grouped products, compiled from a checkout of its repository.

    git clone https://github.com/AMD-AGI/Primus-Turbo
    python -m benchmarks predicted --primus=Primus-Turbo

It gives the predicted cycles of one output tile on gfx950; no GPU is used. PyPI's `triton`
compiles the kernels without a GPU; PyTorch is not needed. The configurations are those that the
library takes on gfx950 without origami.
"""

import dataclasses
import importlib.util
import pathlib
import struct
import sys
import types
from typing import Any

import numpy as np
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from benchmarks.amd import tile_times
from jaxgemm import emulator

ARCH = "gfx950"
TILE = (256, 256)
OPS = ("fwd", "dgrad", "wgrad")
_FILE = "primus_turbo/triton/grouped_gemm/grouped_gemm_kernel.py"


@dataclasses.dataclass(frozen=True)
class Kernel:
  """The kernel of an operation."""

  op: str
  name: str
  tile_k: int
  code_object: bytes
  lds_bytes: int
  waves: int


def _stub(name: str, **names: Any) -> types.ModuleType:
  module = types.ModuleType(name)
  module.__dict__.update(names)
  return module


def _load(checkout: pathlib.Path) -> types.ModuleType:
  """The module of the kernels, with stand-ins for what only its host code uses."""
  matmul = types.SimpleNamespace(allow_tf32=False)
  backends = types.SimpleNamespace(cuda=types.SimpleNamespace(matmul=matmul))
  stubs = {
      "torch": _stub("torch", backends=backends),
      "primus_turbo": _stub("primus_turbo"),
      "primus_turbo.pytorch.core.utils": _stub("utils", get_num_cus=None, is_gfx950=None),
      "primus_turbo.triton.utils.origami": _stub("origami", origama_select_params=None),
      "primus_turbo.triton.utils.triton_knobs_helper": _stub(
          "helper", scoped_amd_knobs=lambda function: function)}
  before = {name: sys.modules.get(name) for name in stubs}
  sys.modules.update(stubs)
  try:
    spec = importlib.util.spec_from_file_location("primus_grouped", checkout / _FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
  finally:
    for name, old in before.items():
      if old is None:
        del sys.modules[name]
      else:
        sys.modules[name] = old


def compile_kernels(checkout: str, num_cus: int) -> dict[str, Kernel]:
  """The kernel of each of OPS."""
  module = _load(pathlib.Path(checkout))
  amd = triton.knobs.amd
  knobs = ("use_async_copy", "scalarize_packed_fops", "use_block_pingpong")
  before = {knob: getattr(amd, knob) for knob in knobs if hasattr(amd, knob)}
  try:
    for knob in before:
      setattr(amd, knob, True)
    return {op: _compile(module, op, num_cus) for op in OPS}
  finally:
    for knob, old in before.items():
      setattr(amd, knob, old)


def _compile(module, op: str, num_cus: int) -> Kernel:
  tile_k, stages = (64, 2) if op == "dgrad" else (32, 3)
  constants = dict(
      BLOCK_SIZE_M=TILE[0], BLOCK_SIZE_N=TILE[1], BLOCK_SIZE_K=tile_k, GROUP_SIZE_M=4,
      NUM_SMS=num_cus, NUM_XCDS=8, CHUNK_SIZE=32, CACHE_MODIFIER_A=".ca",
      CACHE_MODIFIER_B=".ca", ALLOW_TF32=False)
  if op == "wgrad":
    kernel = module._grouped_variable_k_gemm_kernel
    signature = {"LHS": "*bf16", "RHS": "*bf16", "C": "*bf16", "LHS_scale_ptr": "*fp32",
                 "RHS_scale_ptr": "*fp32", "group_offs_ptr": "*i64", "G": "i32"}
    integers = ("OUT_M", "OUT_N", "stride_lhs_m", "stride_rhs_m", "stride_cg", "stride_cm")
    constants |= dict(stride_cn=1, stride_lhs_n=1, stride_rhs_n=1, IS_FP8=False, BETA_IS_ONE=False)
  else:
    kernel = module._grouped_bf16_persistent_gemm_kernel
    signature = {"A": "*bf16", "B": "*bf16", "C": "*bf16", "group_offs_ptr": "*i64", "G": "i32"}
    integers = ("N", "K", "stride_am", "stride_bg", "stride_cm")
    constants |= dict(stride_cn=1, stride_ak=1, EVEN_K=True)
    if op == "fwd":  # rhs is [G, N, K]
      constants |= dict(stride_bk=1)
      integers = ("N", "K", "stride_am", "stride_bg", "stride_bn", "stride_cm")
    else:  # rhs is [G, K, N]; its stride along k would be N, here fixed for the tile
      constants |= dict(stride_bn=1, stride_bk=_DGRAD_COLUMNS)
  signature |= dict.fromkeys(integers, "i32")
  names = list(kernel.arg_names)
  attributes = {
      (names.index(name),): [["tt.divisibility", 16]] for name in signature if name != "G"}
  signature = {name: signature.get(name, "constexpr") for name in names}
  compiled = triton.compile(
      ASTSource(kernel, signature, constants, attributes), target=GPUTarget("hip", ARCH, 64),
      options=dict(num_warps=8, num_stages=stages, waves_per_eu=0, matrix_instr_nonkdim=16,
                   kpack=1))
  return Kernel(op, compiled.metadata.name, tile_k, compiled.asm["hsaco"],
                compiled.metadata.shared, compiled.metadata.num_warps)


_DGRAD_COLUMNS = 4096  # of rhs, in the one tile that is timed


def times(kernel: Kernel, constants: dict[str, float] | None = None) -> tile_times.TileTimes:
  """The predicted cycles of one output tile of a group of 256 rows."""
  k_tiles = tile_times.K_TILES * 64 // kernel.tile_k
  k = k_tiles * kernel.tile_k
  rows, columns = TILE
  zeros = lambda *shape: tile_times.aligned(shape)
  out = zeros(rows, columns)
  if kernel.op == "wgrad":
    lhs, rhs, offsets = zeros(k, rows), zeros(k, columns), np.array([0, k], np.int64)
    scale = np.ones(1, np.float32)
    arguments = struct.pack(
        "<6Q7i4x2Q", *(a.ctypes.data for a in (lhs, rhs, out, scale, scale, offsets)), 1,
        rows, columns, rows, columns, rows * columns, columns, 0, 0)
  else:
    lhs, offsets = zeros(rows, k), np.array([0, rows], np.int64)
    pointers = lambda rhs: [a.ctypes.data for a in (lhs, rhs, out, offsets)]
    if kernel.op == "fwd":
      rhs = zeros(columns, k)
      arguments = struct.pack("<4Q7i4x2Q", *pointers(rhs), 1, columns, k, k, columns * k, k,
                              columns, 0, 0)
    else:
      rhs = zeros(k, _DGRAD_COLUMNS)
      arguments = struct.pack("<4Q6i2Q", *pointers(rhs), 1, columns, k, k, rhs.size, columns, 0, 0)
  record = emulator.launch(
      kernel.code_object, kernel.name, arguments, grid=1, block=64 * kernel.waves, arch=ARCH,
      dynamic_lds=kernel.lds_bytes, buffers=[lhs, rhs, out, offsets],
      options=emulator.Options.unchecked(clock=1, constants=constants))
  assert record.clock is not None
  return tile_times.of_clock(record.clock, k_tiles)
