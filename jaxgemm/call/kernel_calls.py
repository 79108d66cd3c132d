"""The primitives of our kernels that are no products, which `make` makes.

The kernels are in ffi/routing/. Where there is none, XLA computes the same.
"""

from collections.abc import Callable

import jax
from jax.extend.core import Primitive
from jax.interpreters import batching, mlir
import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm.call import denied
from jaxgemm.call.fallback import warn_once
from jaxgemm.call.primitives import batched_in_front, reshaped, run_by_jit
from jaxgemm.sharding.mesh import is_exported

# What a lane of these kernels loads and stores at once.
VECTOR_BYTES = 16


def make(name: str, results: Callable, by_xla: Callable, limits: Callable,
         workspace: Callable | None = None, attributes: tuple[str, ...] = (),
         in_place: dict[int, int] | None = None, platforms=("cuda", "rocm"),
         exported: bool = True) -> Primitive:
  """A primitive whose results are those of the custom call of the same name.

  Operands and results may have leading dimensions, which `vmap` adds.

  Args:
    results: a function of the operands and the parameters that gives the shapes and dtypes of the
      results.
    by_xla: the same results by XLA's operations.
    limits: why a GPU's target has no kernel for operands and parameters, or "".
    workspace: the number of integers in a GPU's workspace, which is the call's last result.
    attributes: the parameters that the custom call has, too.
    in_place: for an operand the result that is written over it. XLA copies an operand that is read
      later.
    platforms: those that have the custom call.
    exported: whether programs that `jax.export` makes have the custom call, whose name must then be
      allowed; else XLA computes there.
  """
  primitive = Primitive(name)
  primitive.multiple_results = True
  lower_to_xla = mlir.lower_fun(by_xla, multiple_results=True)

  def lower_on(platform: str):
    def lower(ctx, *operands, **params):
      if not exported and is_exported(ctx):
        return lower_to_xla(ctx, *operands, **params)
      avals = ctx.avals_in
      reason = lack(platform, *avals) or (
          platform != "cpu" and limits(_ffi.target(platform), *avals, **params))
      if reason:
        warn_once(f"jaxgemm leaves {name.removeprefix('jaxgemm_')} to XLA: {reason}.")
        return lower_to_xla(ctx, *operands, **params)
      avals_out = [*ctx.avals_out]
      if workspace:
        words = 0 if platform == "cpu" else workspace(*avals, **params)
        avals_out.append(reshaped(avals[0], (words,)).update(dtype=jnp.dtype(jnp.int32)))
      call = jax.ffi.ffi_lowering(name, operand_output_aliases=in_place)
      outs = call(ctx.replace(avals_out=avals_out), *operands, **{x: params[x] for x in attributes})
      return outs[:len(ctx.avals_out)]
    return lower

  def batch(operands, axes, **params):
    out = primitive.bind(*batched_in_front(operands, axes), **params)
    return out, [0] * len(out)

  primitive.def_abstract_eval(lambda *operands, **params: [
      reshaped(operands[0], shape).update(dtype=jnp.dtype(dtype), weak_type=False)
      for shape, dtype in results(*operands, **params)])
  run_by_jit(primitive)
  batching.primitive_batchers[primitive] = batch
  mlir.register_lowering(primitive, lower_to_xla)
  for platform in platforms:
    mlir.register_lowering(primitive, lower_on(platform), platform=platform)
  return primitive


def lack(platform: str, *operands) -> str:
  """Why a call with these operands has no kernel on a platform, whatever its sizes are, or ""."""
  for x in operands:
    if not all(type(size) is int for size in x.shape):
      return f"the shape {x.shape} is symbolic"
  if platform == "cpu":
    return ""
  try:
    target = _ffi.target(platform)
  except ValueError as refusal:
    return str(refusal).removesuffix(".")
  # A program for another platform than this process's may run with another build.
  if platform == _ffi.default_platform() and not _ffi.is_built(target, "routing"):
    return f"this build has no kernel for {target} (build with JAXGEMM_GPU_KERNELS=all)"
  if rule := denied.rule_for(chip := _ffi.chip(target), "routing"):
    return f"denied on {chip}: {rule}"
  return ""
