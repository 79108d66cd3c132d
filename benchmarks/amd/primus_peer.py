"""Primus-Turbo's Triton grouped products, compiled from a checkout of its repository.

    git clone https://github.com/AMD-AGI/Primus-Turbo
    python -m benchmarks predicted --primus=Primus-Turbo

It gives the predicted cycles of one output tile on gfx950; no GPU is used. PyPI's `triton`
compiles the kernels without a GPU; PyTorch is not needed. The configurations are those that the
library takes on gfx950 without origami.
"""

import importlib.util
import pathlib
import sys
import types
from typing import Any
from unittest import mock

import numpy as np
import triton
from triton.compiler import ASTSource

from benchmarks.amd import tile_times, triton_peer

ROWS, COLUMNS = 256, 256  # of a tile
OPS = ("fwd", "dgrad", "wgrad")
_DGRAD_COLUMNS = 4096  # of rhs, in the one tile that is timed
_FILE = "primus_turbo/triton/grouped_gemm/grouped_gemm_kernel.py"


def _load(checkout: pathlib.Path) -> types.ModuleType:
  """The module of the kernels, with stand-ins for what only its host code uses."""
  names = types.SimpleNamespace
  stubs: dict[str, Any] = {
      "torch": names(backends=names(cuda=names(matmul=names(allow_tf32=False)))),
      "primus_turbo": names(),
      "primus_turbo.pytorch.core.utils": names(get_num_cus=None, is_gfx950=None),
      "primus_turbo.triton.utils.origami": names(origama_select_params=None),
      "primus_turbo.triton.utils.triton_knobs_helper": names(
          scoped_amd_knobs=lambda function: function)}
  spec = importlib.util.spec_from_file_location("primus_grouped", checkout / _FILE)
  assert spec is not None and spec.loader is not None
  module = importlib.util.module_from_spec(spec)
  with mock.patch.dict(sys.modules, stubs):
    spec.loader.exec_module(module)
  return module


def compile_kernels(checkout: str, num_cus: int) -> dict[str, triton_peer.Peer]:
  """The kernel of each of OPS."""
  module, knobs = _load(pathlib.Path(checkout)), triton.knobs.amd
  with knobs.scope():
    knobs.use_async_copy = knobs.scalarize_packed_fops = knobs.use_block_pingpong = True
    return {op: _compile(module, op, num_cus) for op in OPS}


def _compile(module, op: str, num_cus: int) -> triton_peer.Peer:
  tile_k, stages = (64, 2) if op == "dgrad" else (32, 3)
  constants = dict(
      BLOCK_SIZE_M=ROWS, BLOCK_SIZE_N=COLUMNS, BLOCK_SIZE_K=tile_k, GROUP_SIZE_M=4,
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
  return triton_peer.Peer.of(
      ASTSource(kernel, signature, constants, attributes), "gfx950", (ROWS, COLUMNS, tile_k),
      num_warps=8, num_stages=stages, waves_per_eu=0, matrix_instr_nonkdim=16, kpack=1)


def times(op: str, kernel: triton_peer.Peer, constants: dict[str, float] | None = None
          ) -> tile_times.TileTimes:
  """The predicted cycles of one output tile of a group of 256 rows."""
  k_tiles = tile_times.K_TILES * 64 // kernel.tile[2]
  k, zeros = k_tiles * kernel.tile[2], tile_times.aligned
  out = zeros((ROWS, COLUMNS))
  if op == "wgrad":
    lhs, rhs, offsets = zeros((k, ROWS)), zeros((k, COLUMNS)), np.array([0, k], np.int64)
    scales = [np.ones(1, np.float32) for _ in range(2)]
    found = kernel.clock("7i4x", (lhs, rhs, out, *scales, offsets), 1, ROWS, COLUMNS, ROWS,
                         COLUMNS, out.size, COLUMNS, constants=constants)
  else:
    lhs, offsets = zeros((ROWS, k)), np.array([0, ROWS], np.int64)
    rhs = zeros((COLUMNS, k) if op == "fwd" else (k, _DGRAD_COLUMNS))
    strides = (k, rhs.size, k, COLUMNS) if op == "fwd" else (k, rhs.size, COLUMNS)
    found = kernel.clock("7i4x" if op == "fwd" else "6i", (lhs, rhs, out, offsets), 1, COLUMNS, k,
                         *strides, constants=constants)
  return tile_times.of_clock(found, k_tiles)
