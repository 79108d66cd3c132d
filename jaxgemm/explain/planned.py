"""The data of a call that the kernels compute: its plan, with the reasons of copies."""

import dataclasses
import math
from typing import Any

import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm.call import few_rows
from jaxgemm.call.dtypes import is_float4
from jaxgemm.call.options import Options
from jaxgemm.call.product import NOT_ON_MESHES, Given, Product
from jaxgemm.explain.program import PRODUCTS

# Measured times on an H100 follow the predicted cycles best at this clock.
HOPPER_MHZ = 1755


def predicted_us(call: dict[str, Any]) -> float | None:
  """The predicted microseconds of one call of the kernels, from its data, or None."""
  cycles = call.get("predicted_cycles")
  return cycles / HOPPER_MHZ if cycles else call.get("predicted_us")


def plan_of(eqn) -> dict[str, Any]:
  """The plan of a call."""
  if eqn.primitive is few_rows.few_rows_p:
    return {"workspace_bytes": 0}
  platform = _ffi.default_platform()
  target = eqn.params["spec"].target(platform if platform in _ffi.platforms() else "cpu")
  return PRODUCTS[eqn.primitive].plan([x.aval for x in eqn.invars], eqn.params, target)


def _dtype_reasons(plan, operands, swap: bool) -> list[str]:
  """Sentences on operands that are converted, or split in three passes, before the kernel."""
  dtypes = plan["operand_dtypes"][::-1] if swap else plan["operand_dtypes"]
  if plan["passes"] == 3:
    parts = "bfloat16" if dtypes[0] == jnp.bfloat16 else "tf32"
    return [f"float32 is multiplied in three passes of {parts} parts, as one product "
            "of three times k: the operands are split by copies"]
  why = "the kernels do not take the operands' types together"
  if any(is_float4(x.dtype) for x in operands[:2]):
    why = "the kernels of this target do not read float4"
  return [f"{name} is converted from {x.dtype.name} to {dtype.name} by a copy: {why}"
          for name, x, dtype in zip(("lhs", "rhs"), operands, dtypes)
          if x.dtype != dtype]


def _quantizing_reasons(product: Product, eqn, given: Given | None) -> list[str]:
  """A sentence on why XLA quantises the result, if quantize_out was given."""
  options = Options.of(given.arguments) if given else Options()
  spec = eqn.params["spec"]
  if options.quantize_out is None or spec.quantize_out is not None:
    return []
  asked = dataclasses.replace(spec, quantize_out=options.quantize_out,
                              out_dtype=jnp.dtype(options.preferred_element_type))
  why = product.why_not_quantized(
      [x.aval for x in eqn.invars], eqn.params | {"spec": asked}, explicit=False)
  return [f"XLA quantises the float32 result: {why or NOT_ON_MESHES}"]


def data_of(eqn, given: Given | None = None, more=(), gradients: bool = False) -> dict[str, Any]:
  """The data of a call of the kernels.

  Args:
    eqn: the equation of the call.
    given: the public call, if it is known.
    more: reasons that come from the operands' shardings, or from weights.
    gradients: see `explain`.
  """
  if eqn.primitive is few_rows.few_rows_p:
    return few_rows.described(*(x.aval for x in eqn.invars), **eqn.params)
  product, params, spec = PRODUCTS[eqn.primitive], eqn.params, eqn.params["spec"]
  operands, plan = [x.aval for x in eqn.invars], plan_of(eqn)
  arranged = product.arrange(operands, params, given)
  names = {"lhs": "rhs", "rhs": "lhs"} if arranged.swapped else {}
  moved = {names.get(x, x): done for x, done in plan["copies"].items()}
  reasons = list(plan["reasons"])
  reasons += _dtype_reasons(plan, operands, arranged.swapped)
  reasons += [f"{name} is {done}" for name, done in moved.items()]
  reasons += [f"{name} is transposed by a copy: its dimensions are not in an order "
              "that a kernel reads or writes" for name in arranged.transposed]
  reasons += [*arranged.reasons, *more, *_quantizing_reasons(product, eqn, given)]
  if gradients:
    saves = spec.activation is not None or bool(given and given.arguments.get("gated"))
    reasons += _gradient_reasons(arranged.gradients, saves)
  keys = ("target", "chip", "num_cus", "candidates", "kernel", "schedule", "reduction", "tile",
          "tiles", "num_workgroups", "num_queues", "workspace_bytes", "zeroed_bytes",
          "predicted_cycles", "predicted_us", "predicted_parts")
  chosen_keys = "group_m", "num_xcds", "cut_tiles", "num_shares"
  data = {
      "implementation": (f"emulated:{spec.emulated}" if spec.emulated
                         else "jaxgemm"),
      **{key: plan[key] for key in keys},
      **{key: plan["attrs"][key] for key in chosen_keys},
      "tuned": plan.get("tuned"),
      "relayouts": tuple(dict.fromkeys((*arranged.transposed, *moved))),
      "batch": plan["batch"],
      "sizes": tuple(plan["problem"][name] for name in ("m", "n", "k")),
      "operations": _operations_of_plan(plan),
      "fused_epilogue": arranged.fused,
      "gradients": arranged.gradients,
      "reasons": reasons,
  }
  return data | product.described(operands, params, plan)


def _operations_of_plan(plan) -> int:
  """The multiplications and additions of a product that the kernels compute."""
  problem = plan["problem"]
  sizes = (problem[name] for name in ("batch", "m", "n", "k"))
  return 2 * math.prod(sizes) * (2 if problem["gated"] else 1) // plan["passes"]


def _gradient_reasons(copied: dict[str, tuple[str, ...]], saves: bool) -> list[str]:
  reasons = [
      f"the gradient of {name} transposes {' and '.join(arrays)} by a copy" if arrays
      else f"the gradient of {name} reads arrays in other layouts, without a copy"
      for name, arrays in copied.items()]
  if saves:
    reasons.append("under differentiation the value before the activation is saved")
  return reasons
