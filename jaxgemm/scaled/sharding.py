"""How a product with scales of blocks is sharded on automatic meshes.

Each device computes its part of the batch, of m and of n; m of a grouped product is gathered. If
both operands are sharded along k in the same way, and each device has whole blocks, it sums over
its part of k, and the float32 results are summed over the devices. Else k is gathered. Scales are
sharded as their operands. If a scale is for 128 columns, a device has whole blocks of these.
"""

import functools

from jax import lax

from jaxgemm.call import epilogue
from jaxgemm.call.options import QUANTIZE_OUT
from jaxgemm.sharding import rules
from jaxgemm.sharding.rules import Assigner, Assignment, first, partitioned_by, wishes

# The columns of rhs that share a scale, if several do.
BLOCK = 128
Labels = tuple[tuple[str, ...], ...]


def labels(form, operands) -> tuple[Labels, tuple[str, ...]]:
  """(the labels of each operand, those of out).

  Only "b", "m", "n", "k", "blocks_n" and "blocks_k" may be sharded; others are gathered.
  """
  m = "m" if form.mode == "none" else "gathered_m"
  # The epilogue has to follow a sum over devices, and a grouped bias is added in the kernel only.
  k = "gathered_k" if form.mode == "k" or form.mode == "m" and form.bias else "k"
  of_lhs = (m, k) if form.lhs_contracting else (k, m)
  of_rhs = ("n", k) if form.rhs_contracting else (k, "n")
  rows = m if form.block_m == 1 else "blocks_m"
  of_columns = (("n", "blocks_k") if form.mx else
                ("blocks_k", "n") if form.block_n == 1 else ("blocks_n", "blocks_k"))
  groups = ("groups",) if form.mode == "m" else ()
  without_batch = (of_lhs, (*groups, *of_rhs), ("sizes",), ("offset",), (rows, "blocks_k"),
                   (*groups, *of_columns), (*groups, "n"))
  found, batched = [], False
  for x, own in zip(form.split(operands), without_batch):
    if x is not None:
      has_batch = x.ndim > len(own)
      batched |= has_batch
      found.append(("b", *own) if has_batch else own)
  out = ("groups", m, "n") if form.mode == "k" else (m, "n")
  return tuple(found), ("b", *out) if batched else out


def _of_results(of_out, spec) -> list[tuple[str, ...]]:
  return [of_out, (*of_out[:-1], rules.BLOCKS)][:1 + (spec.quantize_out is not None)]


def _assign(of_operands: Labels, of_out, operands, results, mesh, block_k: int,
            spec) -> Assignment:
  """The mesh axes of each label: as the operands have them, else as the result does."""
  arrays = *operands, *results
  own = *of_operands, *_of_results(of_out, spec)[:len(results)]
  wanted, assigner = wishes(arrays, own), Assigner(mesh, arrays, own)
  size = assigner.size
  if spec.quantize_out is not None:
    assigner.quantizes("n", QUANTIZE_OUT[spec.quantize_out])
  assigner.take(first(wanted.get("b", ())), "b")
  assigner.take(first(wanted.get("m", ())), "m")
  blocks = size.get("blocks_n", size["n"])
  if blocks == size["n"] or size["n"] % BLOCK == 0:  # else the last block of columns is shorter
    assigner.take(first((*wanted["n"], *wanted.get("blocks_n", ()))), "n", "blocks_n",
                  rules.BLOCKS)
  # k is sharded if both operands have it along the same axes, and each device has whole blocks.
  if len({*wanted.get("k", ())}) == 1 and size["k"] == block_k * size["blocks_k"]:
    assigner.take(wanted["k"][0], "k", "blocks_k")
  return Assignment(assigner.axes, {})


@functools.lru_cache(maxsize=1024)
def partitioned(of_operands: Labels, of_out, compute, form, spec, within):
  """The product as a function of its operands that XLA can partition.

  Args:
    of_operands, of_out: see `labels`.
    compute: compute(*operands, form=form, spec=spec) computes it on one device, [out].
    form: its `ScaledParams`.
    spec: its `Spec`.
    within: see `mesh.partly_manual`.
  """
  def block(*operands, assigned):
    sum_over = assigned.axes.get("k")
    if not sum_over:
      return compute(*operands, form=form, spec=spec)
    *needed, bias = form.split(operands)
    acc, = compute(*(x for x in needed if x is not None), form=form._replace(bias=False),
                   spec=spec.accumulator(*operands[:2]))
    z = lax.psum(acc, sum_over)
    if bias is not None:
      z = z + epilogue.lifted(bias[..., None, :], z.ndim)
    return epilogue.results(z, spec)

  def assign(operands, results, mesh):
    assigned = _assign(of_operands, of_out, operands, results, mesh, form.block_k, spec)
    return (assigned, [assigned.sharding(mesh, x) for x in of_operands],
            [assigned.sharding(mesh, x) for x in of_results])

  of_results = _of_results(of_out, spec)
  used = {x for own in (*of_operands, *of_results) for x in own}
  return partitioned_by(assign, block, within, of_operands, of_results, reduced=("k", "blocks_k"),
                        replicated=used - {"b", "m", "n", "k", "blocks_k", rules.BLOCKS})
