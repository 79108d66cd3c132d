"""How a contraction is sharded, on automatic and on explicit meshes.

Each device computes its block. If a contracted label is sharded, the devices' float32
(int32) results are summed over the mesh axes first, and the epilogue follows the sum.
On automatic meshes XLA calls a partitioning rule for this: every label is a factor of
the Shardy rule, contracted ones are reduction factors. On explicit meshes the shardings
are part of the types, and the contraction is a `jax.shard_map`. If only some axes are
explicit, all are automatic inside the contraction: a shard_map over some axes would
gather arrays that are sharded over the others.
Inside a `jax.shard_map` over all axes none of this is needed, and nothing is inserted. Inside
one over some axes all others are automatic, and the partitioning rule is for these.
"""

import functools

import jax
from jax import lax

from jaxgemm.call import epilogue
from jaxgemm.call.options import QUANTIZE_OUT
from jaxgemm.dense.layout import Dims
from jaxgemm.sharding import rules
from jaxgemm.sharding.rules import BLOCKS, Assigner, Assignment, first, wishes


def _labels_of_results(dims: Dims, spec) -> list[tuple]:
  scales = [(*dims.out[:-1], BLOCKS)] if spec.quantize_out is not None else []
  return [dims.out] * (1 + spec.save_preact) + scales


def _assign(dims: Dims, spec, operands, results, mesh) -> Assignment:
  """The mesh axes of each label: as the operands have them, else as the results do.

  If two labels have the same mesh axis, a label of the batch gets it first, then a
  label that is sharded in the result, then a label of lhs: weights are gathered, not
  activations. Contracted labels come last: `Assigner.contracted` decides whether their
  axes are kept, with a sum over them, or gathered.
  """
  of_results = _labels_of_results(dims, spec)[:len(results)]
  arrays, labels = (*operands, *results), (*dims.operands(), *of_results)
  wanted, assigner = wishes(arrays, labels), Assigner(mesh, arrays, labels)
  wanted.pop(BLOCKS, None)
  if spec.quantize_out is not None:
    assigner.quantizes(dims.out[-1], QUANTIZE_OUT[spec.quantize_out])
  in_result = {x for x, axes in wishes(results, of_results).items() if any(axes)}
  lhs, rhs, out = set(dims.lhs), set(dims.rhs), set(dims.out)
  order = sorted(
      wanted,
      key=lambda x: (x not in out, x not in lhs & rhs, x not in in_result,
                     x not in lhs, x),
  )
  for label in order:
    if label in out:
      wish = first(wanted[label])
    else:
      wish = assigner.contracted(wanted[label], dims.lhs, dims.rhs, dims.out)
    assigner.take(wish, label, *([BLOCKS] if label in dims.out[-1:] else []))
  return Assignment(assigner.axes, {})


def _contracted(dims: Dims):
  return sorted({*dims.lhs, *dims.rhs} - {*dims.out})


def _block(*operands, dims: Dims, spec, compute, assigned):
  """What each device computes: [out], or [out, preact]."""
  sum_over = tuple(axis for x in _contracted(dims) for axis in assigned.axes.get(x, ()))
  if not sum_over:
    return compute(*operands, dims=dims, spec=spec)
  lhs, rhs, *vectors = dims.split(operands)
  acc, = compute(lhs, rhs, dims=Dims(dims.lhs, dims.rhs, dims.out),
                 spec=spec.accumulator(lhs, rhs))
  acc = lax.psum(acc, sum_over)
  return epilogue.apply(acc, dims.out, *vectors, dims=dims, spec=spec)


def _shardings(operands, results, mesh, *, dims: Dims, spec):
  """See `rules.partitioned_by`: its argument assign."""
  assigned = _assign(dims, spec, operands, results, mesh)
  return (assigned, [assigned.sharding(mesh, x) for x in dims.operands()],
          [assigned.sharding(mesh, x) for x in _labels_of_results(dims, spec)])


def explicit(mesh, operands, dims: Dims, spec, compute, result) -> jax.Array:
  """The contraction of operands with shardings in their types.

  Args:
    mesh: see `mesh.explicit_mesh`.
    operands: lhs, rhs, and the vectors that dims has.
    dims: its labels.
    spec: its `Spec`.
    compute: computes it on one device; see primitive.py.
    result: shape and sharding of jax's result.
  """
  return rules.explicit(
      mesh, functools.partial(_shardings, dims=dims, spec=spec),
      functools.partial(_block, dims=dims, spec=spec, compute=compute), operands, result)


@functools.lru_cache(maxsize=1024)
def partitioned(dims: Dims, spec, compute, within):
  """The contraction as a function of its operands that XLA can partition.

  Args:
    dims: its labels.
    spec: its `Spec`.
    compute: computes it on one device; see primitive.py.
    within: see `mesh.partly_manual`.
  """
  return rules.partitioned_by(
      functools.partial(_shardings, dims=dims, spec=spec),
      functools.partial(_block, dims=dims, spec=spec, compute=compute), within,
      dims.operands(), _labels_of_results(dims, spec), reduced=_contracted(dims))
