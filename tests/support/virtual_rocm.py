"""What tests of virtual ROCm devices share.

`skip` is for JAXGEMM_TEST_VIRTUAL_ROCM, with which tests that choose no device run on them.
"""

import os
import subprocess
import sys

import pytest

from jaxgemm.emulator import rocm
from tests.support.paths import ROOT


def _why_not() -> str:
  try:
    rocm._check_versions()
    rocm._check_no_real_rocm()
  except rocm.VirtualRocmError as error:
    return str(error)
  return ""


_REASON = _why_not()
needs_plugin = pytest.mark.skipif(bool(_REASON), reason=_REASON)


def run(*arguments, timeout=300, **environment):
  """Runs python -m jaxgemm.emulator.rocm, and returns the finished process."""
  variables = {k: v for k, v in os.environ.items()
               if k not in ("JAX_PLATFORMS", "XLA_FLAGS", "JAXGEMM_EMULATOR_LIBRARY")}
  return subprocess.run(
      [sys.executable, "-m", "jaxgemm.emulator.rocm", *arguments], text=True, cwd=ROOT,
      env=variables | environment, timeout=timeout, capture_output=True)


_TILES = "It names a tile, a kernel or a message of the CPU's kernels."
_FLOAT8 = "The chip has other formats of float8 than the test."
_XF32 = "gfx942 rounds float32 operands to XF32, and the test's tolerance is that of float32."
_ENDS = "Its reference, XLA's own product of integers with a float result, ends the process."
_COMPLEX = "XLA's compiler for ROCm ends the process: jax.lax.ragged_dot of complex numbers."
_BY_XLA = "It compares bits with those of XLA's CPU code."
_XLA_REFUSES = "XLA for ROCm does not compile this jax.lax.ragged_dot_general, the reference."
_XLA_ZEROS = "XLA's own product is 0 on GPUs: its collective-permute has lost its pairs."
_XLA_READS = "XLA's own product for ROCm multiplies rows of no group, too."
_MERGED = "XLA for GPUs gathers both arrays in one operation."
_RING = "It counts operations of XLA's CPU code; deviceless_programs.py has the GPU's."
_CPU_RING = "It reads what is said or lowered for the CPU, which has no copy engines."
_EMULATED = "implementation='emulated:...' is for the CPU."
_HOST = "Its producer is a program or a thread of the CPU's own."
_TRACE = "It reads the trace of the CPU's copies."
_MIOPEN = "It has a convolution, which is MIOpen's."
_BLOCKS = "AMD's kernels have scales for 128 x 128 of rhs; the test's are for other blocks."
_LARGE = "The emulator takes minutes for products of this size."

# Parts of the names of tests that do not run on virtual devices: the targets, and why.
_BOTH, _GFX942, _GFX950 = ("gfx942", "gfx950"), ("gfx942",), ("gfx950",)
_SKIPPED = {
    "test_explain_shows_gradients_on_request": (_BOTH, _TILES),
    "test_the_rocm_architecture_is_read_once": (_BOTH, _TILES),
    "test_bad_options_are_errors_while_tracing[options10": (_BOTH, _TILES),
    "test_more_shares_than_k_tiles_are_refused": (_BOTH, _TILES),
    "test_chunks_of_another_size": (_BOTH, _TILES),
    "test_explain_says_which_part_of_a_product_is_planned": (_BOTH, _TILES),
    "test_lowering_for_rocm": (_BOTH, _TILES),
    "test_algorithms_are_left_to_xla_or_computed": (_BOTH, _FLOAT8),
    "test_narrow_results_round_as_astype_does": (_GFX942, _FLOAT8),
    "test_narrow_results_round_as_astype_does[float8_e4m3fnuz]": (_GFX950, _FLOAT8),
    "test_narrow_results_round_as_astype_does[float8_e5m2fnuz]": (_GFX950, _FLOAT8),
    "test_the_sign_of_a_zero_is_kept": (_GFX942, _FLOAT8),
    "test_the_epilogue_of_a_narrow_result_is_the_same_by_xla": (_BOTH, _BY_XLA),
    "test_dtypes[int8-int8-float32]": (_BOTH, _ENDS),
    "test_other_dtypes_go_to_xla": (_BOTH, _COMPLEX),
    "test_sizes_by_xla": (_GFX942, _XF32),
    "test_flax_fp8.py::test_as_in_flax": (_GFX942, _FLOAT8),
    "in_float64[top8-no-gate-lax": (_GFX942, _XF32),  # the gradient of relu jumps
    "test_shard_map_over_one_axis_beside_an_explicit_one[kinds3": (_BOTH, _XLA_ZEROS),
    "test_gated_shards[xla": (_GFX942, _XF32),
    "test_gated_on_an_explicit_mesh[xla": (_GFX942, _XF32),
    "test_sharding.py::test_collectives": (_GFX942, _XF32),
    "test_meshes_with_explicit_and_automatic_axes": (_GFX942, _XF32),
    "test_one_mesh_axis_on_rows_and_k_gathers_the_weights": (_GFX942, _XF32),
    "test_sharding.py::test_shard_map": (_GFX942, _XF32),
    "test_the_gradient_of_an_array_of_no_mesh_is_on_the_explicit_mesh": (_GFX942, _XF32),
    "test_training_gradients": (_GFX942, _XF32),
    "test_rhs_grad_emulated": (_BOTH, _EMULATED),
    "test_fp8.py::test_emulated": (_BOTH, _EMULATED),
    "test_what_the_program_has[blockwise": (_BOTH, _BLOCKS),
    "test_what_the_program_has[mxfp8": (_BOTH, _BLOCKS),
    "test_ragged_dot.py::test_general[k of two]": (_BOTH, _XLA_REFUSES),
    "test_ragged_dot.py::test_general[k after another]": (_BOTH, _XLA_REFUSES),
    "test_ragged_dot.py::test_general[m": (_BOTH, _XLA_REFUSES),
    "test_rows_inside_the_ragged_dimension[xla": (_BOTH, _XLA_REFUSES),
    "-float8_e4m3fnuz-float8_e4m3fnuz]": (_GFX950, _FLOAT8),
    "test_scales.py::test_rows_and_columns[float8_e4m3fnuz": (_GFX950, _FLOAT8),
    "test_scales.py::test_rows_and_columns[float8_e5m2fnuz": (_GFX950, _FLOAT8),
    "test_xla_does_not_read_rows_of_no_group": (_BOTH, _XLA_READS),
    "test_contracted_rows[False-lhs5": (_BOTH, _MERGED),
    "test_contracted_rows[True-lhs5": (_BOTH, _MERGED),
    "test_compiled_programs_have_the_transfers_of_a_ring_and_no_copies": (_BOTH, _RING),
    "test_explain_lists_the_products_of_a_ring": (_BOTH, _CPU_RING),
    "test_a_program_has_one_transfer_for_each_other_device": (_BOTH, _CPU_RING),
    "test_bfloat16_and_the_dtype_of_travelling_sums[matmul_reduce": (_BOTH, _CPU_RING),
    "testConv0DIsDot": (_BOTH, _MIOPEN),
    "test_joins_by_an_epoch": (_BOTH, _HOST),
    "test_the_copies_are_traced": (_BOTH, _TRACE),
    "test_copies_end_if_the_consumer": (_BOTH, _TRACE),
    "test_chunks.py::test_gradients": (_GFX942, _XF32),
    "test_products_of_chunks_may_be_inside": (_GFX942, _XF32),
    "test_producer_processes.py": (_BOTH, _HOST),
    "test_every_row_arrives[float8_e4m3fn": (_GFX942, _FLOAT8),
    "test_errors_while_tracing[given3-": (_BOTH, _TILES),
    "test_errors_while_tracing[given4-": (_BOTH, _TILES),
    "test_errors_while_tracing[given15-": (_BOTH, _TILES),
    "test_composable_kernels_case": (_BOTH, _LARGE),
    "test_scaled.py::test_special_scales": (_BOTH, _BLOCKS),
    "test_scaled.py::test_one_call_and_derivatives": (_BOTH, _BLOCKS),
    "1024-1024-1024": (_BOTH, _LARGE), "2048-2048-2048": (_BOTH, _LARGE),
    "4096": (_BOTH, _LARGE), "8192": (_BOTH, _LARGE),
}


def skip(items, target: str) -> None:
  """Marks the tests that do not run on virtual devices of the target, with the reason."""
  for item in items:
    for part, (targets, reason) in _SKIPPED.items():
      if part in item.nodeid and target in targets:
        item.add_marker(pytest.mark.skip(reason=reason))
