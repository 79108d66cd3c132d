"""The plan of a kernel call: which kernel runs, on which grid, and what is copied before it.

`Product.plan` of each kind of product makes the `Geometry` of its kernel call, and asks for its
plan here. The lowering of the call (lower.py) makes the same plan again.
"""

import dataclasses
import re

import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm.call import copies
from jaxgemm.call.dtypes import across_groups, kernel_dtypes
from jaxgemm.call.spec import Geometry, Spec
from jaxgemm.call.tuned import tuned_plan

# The platforms that jaxgemm's products are lowered for.
PLATFORMS = ("cpu", "cuda", "rocm")


def plan_call(geometry: Geometry, lhs_dtype, rhs_dtype, spec: Spec, target: str,
              **vectors: int) -> dict:
  """The native plan with more entries.

  "operand_dtypes" are the dtypes in which the kernel reads lhs and rhs. "passes" is 3 if float32
  is split into parts (`split_in_three` in lower.py), else 1. "copies" says how lhs, rhs and
  out are copied (copies.py). "problem" is what the native plan was asked. The native entry
  "relayout" has the layout and the sizes of the kernel call, which "attrs" are for.

  Args:
    geometry: the sizes and layouts of the call.
    lhs_dtype, rhs_dtype: those of the operands, before a conversion for the kernel.
    spec: what the call computes.
    target: the target of the kernel.
    vectors: bias, scale and row_scale: whether the call has this vector operand. bias_bf16:
      whether the bias is bfloat16; targets other than Hopper get it as float32. block_m, block_n
      and block_k: the sizes of blocks with scales. mx: whether these are of an MX format.

  Raises:
    ValueError: the problem or the config does not fit the target; or lhs arrives in chunks, and
      would have to be converted for the kernel.
  """
  if target not in _ffi.CUDA_ARCHS:
    vectors["bias_bf16"] = False
  dtypes = kernel_dtypes(lhs_dtype, rhs_dtype, target, mx=bool(vectors.get("mx")))
  passes = _passes(dtypes, spec, target)
  if geometry.ragged == "k" and target in _ffi.CUDA_ARCHS:
    dtypes, passes = across_groups(dtypes)
  if geometry.tiles_per_chunk and (dtypes[0] != lhs_dtype or passes != 1):
    raise ValueError(
        f"lhs is {lhs_dtype.name} and rhs {rhs_dtype.name}, which the kernels multiply "
        f"as {dtypes[0].name}; lhs cannot be converted before it has "
        "arrived. Let the producer write that type, or convert rhs.")
  lines = passes if geometry.ragged == "k" else 1
  problem = {
      **dataclasses.replace(
          geometry, k=passes * geometry.k, lhs_lines=lines * geometry.lhs_lines,
          rhs_lines=lines * geometry.rhs_lines).to_native(),
      "lhs_dtype": dtypes[0].name,
      "rhs_dtype": dtypes[1].name,
      "out_dtype": spec.out_dtype.name,
      **{name: int(is_there) for name, is_there in vectors.items()},
      "activation": spec.activation or "none",
      "save_preact": int(spec.save_preact),
      "quantize_out": spec.quantize_out or "none",
  }
  planned = tuned_plan(problem, spec.config.to_native(spec.deterministic), target,
                       spec.config.is_open, spec.chip)
  return planned | {
      "problem": problem,
      "operand_dtypes": dtypes, "passes": passes,
      "copies": copies.described(planned["relayout"], geometry, passes)}


def is_bf16(bias) -> bool:
  """Whether there is a bias and it is bfloat16: the argument bias_bf16 of `plan_call`."""
  return bias is not None and bias.dtype == jnp.bfloat16


def _passes(dtypes, spec: Spec, target: str) -> int:
  # Hopper multiplies float32 as tf32.
  tf32 = target in _ffi.CUDA_ARCHS and jnp.float32 in dtypes
  return 3 if spec.precise and tf32 else 1


def lacks_kernel(planned: dict, spec: Spec, platform: str) -> bool:
  """Whether the plan's kernel is denied, or this process would run it and this build lacks it."""
  if planned["denied"]:
    return True
  # A program for another platform than this process's may run with another build.
  here = spec.emulated is not None or platform == _ffi.default_platform()
  return here and not planned["built"]


def require_built(planned: dict, spec: Spec, target: str, platform: str) -> None:
  """Raises ValueError if the plan's kernel is denied, or missing in the build that would run it."""
  if not lacks_kernel(planned, spec, platform):
    return
  if planned["denied"]:
    raise ValueError(f"{planned['denied']}. Pass implementation='xla', or another config.")
  # A kernel is called gemm_<lhs dtype>_<rhs dtype>_<m>x<n>x<k>_...
  types = re.sub(r"^gemm_(\w+?)_\d+x.*", r"\1", planned["kernel"])
  built = ", ".join(sorted(
      name for name in _ffi.built_kernels(target) if name.startswith(f"gemm_{types}_")))
  others = (f"For these operand types it has {built}; one of them may be chosen by "
            "GemmConfig(kernel=...). ") if built else (
                "It has none for these operand types. ")
  raise ValueError(
      f"this build has no code object of {planned['kernel']} for {target}. {others}"
      f"Build jaxgemm again with JAXGEMM_GPU_KERNELS='auto;{target}/.*{types}', or pass "
      "implementation='xla'."
  )
