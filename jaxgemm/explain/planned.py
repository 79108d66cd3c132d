"""The data of a call that the kernels compute: its plan, with the reasons of copies."""

import math
from typing import Any

import jax.numpy as jnp

from jaxgemm import _ffi
from jaxgemm.call.dtypes import is_float4
from jaxgemm.chunked.primitive import chunked_p, plan_chunked
from jaxgemm.dense import layout
from jaxgemm.dense.layout import Dims
from jaxgemm.dense.plan import plan_contraction
from jaxgemm.grouped import layout as grouped_layout
from jaxgemm.grouped.checks import BASIC
from jaxgemm.grouped.primitive import plan_ragged, ragged_p
from jaxgemm.scaled.primitive import plan_scaled, scaled_p


def plan_of(eqn):
  """(layout or None, plan) of a call."""
  operands = [x.aval for x in eqn.invars]
  platform = _ffi.default_platform()
  spec = eqn.params["spec"]
  target = spec.target(platform if platform in _ffi.platforms() else "cpu")
  if eqn.primitive is ragged_p:
    return None, plan_ragged(operands, eqn.params["form"], spec, target)
  if eqn.primitive is chunked_p:
    return None, plan_chunked(operands, eqn.params["form"], spec, target)
  if eqn.primitive is scaled_p:
    return None, plan_scaled(operands, eqn.params["form"], spec, target)
  return plan_contraction(operands, eqn.params["labels"], spec, target)


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


def _gradients(dims: Dims, sizes, lhs, rhs) -> dict[str, tuple[str, ...]]:
  """By operand: the arrays that its gradient transposes; "out" is the gradient itself."""
  found = {}
  for name, x, contraction, names in (
      ("lhs", lhs, Dims(dims.out, dims.rhs, dims.lhs), {"lhs": "cotangent"}),
      ("rhs", rhs, Dims(dims.lhs, dims.out, dims.rhs), {"rhs": "cotangent"}),
  ):
    if jnp.issubdtype(x.dtype, jnp.inexact):
      chosen = layout.of_product(contraction, sizes)
      found[name] = tuple(names.get(r, r) for r in chosen.relayouts)
  return found


def data_of(eqn, arranged: grouped_layout.RaggedLayout | None = None, kwargs=None,
             devices=(), gradients: bool = False) -> dict[str, Any]:
  """The data of a call of the kernels.

  Args:
    eqn: the equation of the call.
    arranged: the layout of a grouped product's operands, if it is known.
    kwargs: the arguments of the public function.
    devices: reasons that come from the operands' shardings.
    gradients: see `explain`.
  """
  kwargs = kwargs or {}
  chosen, plan = plan_of(eqn)
  operands, spec = [x.aval for x in eqn.invars], eqn.params["spec"]
  swap, fused = False, True
  transposed: tuple[str, ...] = ()
  copied: dict[str, tuple[str, ...]] = {}
  if arranged is not None:
    transposed, copied = arranged.relayouts, arranged.gradient_relayouts(*operands[:2])
  elif eqn.primitive is chunked_p:
    form, (lhs, rhs) = eqn.params["form"], operands[:2]
    shape = form.geometry(lhs.shape, rhs.shape, operands[2].shape).out_shape()
    dims = form.dims(lhs.shape, rhs.shape, None, None, shape)
    sizes = layout.label_sizes(dims, lhs.shape, rhs.shape)
    copied = _gradients(dims, sizes, lhs, rhs)
  elif eqn.primitive not in (ragged_p, scaled_p):
    dims = eqn.params["labels"]
    sizes = layout.label_sizes(dims, *(x.shape for x in operands))
    how = chosen or layout.of_product(dims, sizes)
    swap, fused, transposed = how.swap, chosen is not None, how.relayouts
    copied = _gradients(dims, sizes, *operands[:2])
  names = {"lhs": "rhs", "rhs": "lhs"} if swap else {}
  moved = {names.get(x, x): done for x, done in plan["copies"].items()}
  reasons = list(plan["reasons"])
  reasons += _dtype_reasons(plan, operands, swap)
  reasons += [f"{name} is {done}" for name, done in moved.items()]
  reasons += [f"{name} is transposed by a copy: its dimensions are not in an order "
              "that a kernel reads or writes" for name in transposed]
  if arranged is not None:
    reasons += _ragged_reasons(arranged, kwargs)
  reasons += devices
  if not fused:
    reasons.append("the epilogue runs outside the kernel: bias or scale varies "
                   "along rows of one matrix")
  if gradients:
    saves = spec.activation is not None or bool(kwargs.get("gated"))
    reasons += _gradient_reasons(copied, saves)
  form = eqn.params.get("form")
  keys = ("target", "chip", "num_cus", "candidates", "kernel", "schedule", "reduction", "tile",
          "tiles", "num_workgroups", "num_queues", "workspace_bytes", "zeroed_bytes",
          "predicted_cycles", "predicted_us")
  chosen_keys = "group_m", "num_xcds", "cut_tiles", "num_shares"
  data = {
      "implementation": (f"emulated:{spec.emulated}" if spec.emulated
                         else "jaxgemm"),
      **{key: plan[key] for key in keys},
      **{key: plan["attrs"][key] for key in chosen_keys},
      "tuned": plan.get("tuned"),
      "relayouts": tuple(dict.fromkeys((*transposed, *moved))),
      "batch": plan["batch"],
      "sizes": tuple(plan["problem"][name] for name in ("m", "n", "k")),
      "operations": _operations_of_plan(plan),
      "fused_epilogue": fused,
      "gradients": copied,
      "reasons": reasons,
  }
  if eqn.primitive is ragged_p or (eqn.primitive is scaled_p and form.mode != "none"):
    data |= {"ragged": form.mode, "groups": operands[2].shape[-1],
             "local_groups": form.local_groups}
  if eqn.primitive is chunked_p:
    data["chunk_rows"] = plan["tile"][0] * form.tiles_per_chunk
  return data


def _operations_of_plan(plan) -> int:
  """The multiplications and additions of a product that the kernels compute."""
  problem = plan["problem"]
  sizes = (problem[name] for name in ("batch", "m", "n", "k"))
  return 2 * math.prod(sizes) * (2 if problem["gated"] else 1) // plan["passes"]


def ragged_layout(a, b, eqn, kwargs):
  numbers = kwargs.get("ragged_dot_dimension_numbers", BASIC)
  form = eqn.params["form"]
  return grouped_layout.arrange(a.shape, b.shape, numbers, form.local_groups, form.gated)


def _gradient_reasons(copied: dict[str, tuple[str, ...]], saves: bool) -> list[str]:
  reasons = [
      f"the gradient of {name} transposes {' and '.join(arrays)} by a copy" if arrays
      else f"the gradient of {name} reads arrays in other layouts, without a copy"
      for name, arrays in copied.items()]
  if saves:
    reasons.append("under differentiation the value before the activation is saved")
  return reasons


def _ragged_reasons(how, kwargs) -> list[str]:
  reasons = []
  if how.repeats_rhs:
    reasons.append("rhs is repeated by a copy: the group sizes have more dimensions "
                   "than its batch")
  if kwargs.get("accumulate") is not None:
    reasons.append("accumulate is added outside the kernel: the result is a sum of "
                   "several products of the kernel" if how.is_summed else
                   "the kernel adds to accumulate, in place if jax may overwrite it")
  if kwargs.get("rhs_grad") is not None:
    reasons.append("rhs is a constant; the kernel adds the gradient of rhs to rhs_grad")
  return reasons
