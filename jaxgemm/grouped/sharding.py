"""How grouped products are sharded, on automatic and on explicit meshes.

Dimensions have letters: b, m, k and n, g for the groups of rhs (mode "m") or out, p for
the two columns of a pair. If a letter is sharded, a device computes:

  b, n  its block.
  m     mode "m": its rows, with the part of each group's size that falls among them.
  k     its part of each sum (mode "k": the part of each group's range of k that is among
        the device's elements). The float32 results are then summed over the devices, and
        the epilogue follows.
  g     its groups, by group_offset. In mode "m" the rows of other devices' groups are
        zero, and the results are added up: weights are not moved.

If rows and rhs's groups (or out's groups and a ragged k) use the same mesh axis, the array
that is cheaper to move is gathered. The result is then summed over that axis and scattered
along it.
"""

from collections.abc import Callable, Sequence
import dataclasses
import functools
import math

import jax
from jax import lax
import jax.numpy as jnp

from jaxgemm.call import epilogue
from jaxgemm.call.group_sizes import sizes_in_range
from jaxgemm.call.options import QUANTIZE_OUT
from jaxgemm.sharding import rules
from jaxgemm.sharding.rules import BLOCKS, Assigner, Assignment, Axes, first, wishes

# s: group sizes; o: group_offset; u and v: the columns of a scale that has one value for all
# columns; w: the rows of a row_scale that has one value for all rows; p: the two columns of a pair;
# x and y: the lines of a gathered lhs and rhs.
_REPLICATED = "souvwpxy"


def operand_labels(form, shapes) -> list[str]:
  """The letters of each operand's dimensions; _REPLICATED ones are not sharded.

  Args:
    form: the product's `GroupedParams`.
    shapes: the operands' shapes.
  """
  ranks = form.ranks()
  k, n = "k", "n"
  if form.contracts_pairs:
    k = "pk"
  elif form.paired:
    n = "pn"
  lhs = "m" + k if form.lhs_contracting else k + "m"
  rhs = n + k if form.rhs_contracting else k + n
  if form.mode == "m":
    rhs = "g" + rhs
  if form.lhs_gathered:
    lhs = lhs.replace(form.mode, "x")
  if form.rhs_gathered:
    rhs = rhs.replace(form.mode, "y")
  given = form.split(shapes)
  of_columns = lambda x: "g" + ("uv"[:len(n)] if x and math.prod(x[1:]) == 1 else n)
  labels = given._replace(
      lhs=lhs, rhs=rhs, sizes="s", offset="o", lhs_indices=form.mode, rhs_indices=form.mode,
      buffer="gm" + n, bias=of_columns(given.bias), scale=of_columns(given.scale),
      row_scale="w" if given.row_scale and given.row_scale[-1] == 1 else "m")
  batched = given._replace(offset=None, bias=None, scale=None)  # the others may have a batch
  return ["b" * (may is not None and len(shape) > rank) + x
          for shape, may, rank, x in zip(given, batched, ranks, labels) if shape is not None]


def out_labels(form, operands: Sequence[str]) -> list[str]:
  """The letters of out and of the value before its activation."""
  batch = "b" if any("b" in x for x in operands) else ""
  n = "pn" if form.paired and not form.contracts_pairs else "n"
  z = batch + ("g" if form.mode == "k" else "") + "m" + n
  return [batch + "mn" if form.gated else z, z]


def _result_labels(form, spec, operands: Sequence[str]) -> list[str]:
  """The letters of all results."""
  found = out_labels(form, operands)[:1 + spec.save_preact]
  return found + [found[0][:-1] + BLOCKS] * (spec.quantize_out is not None)


def _operand_shardings(assigned: Assignment, mesh, form, labels):
  # If the sum is scattered, each device adds its part of it to the same part of the buffer.
  buffer = form.buffer_index() if form.mode == "k" and form.accumulate else None
  return tuple(assigned.sharding(mesh, x, i == buffer) for i, x in enumerate(labels))


def assign(form, spec, labels, arrays, results, mesh) -> Assignment:
  """Assigns mesh axes to letters.

  Args:
    form: the product's `GroupedParams`.
    spec: its `Spec`.
    labels: the letters of the operands.
    arrays: the operands, with shardings.
    results: the results, with shardings; empty while these are unknown.
    mesh: the mesh.
  """
  out = _result_labels(form, spec, labels)[:len(results)]
  (lhs, rhs), z = labels[:2], out_labels(form, labels)[0]
  assigner = Assigner(mesh, (*arrays, *results), (*labels, *out), g=form.local_groups)
  axes, count = assigner.axes, assigner.count
  if spec.quantize_out is not None:
    assigner.quantizes("n", QUANTIZE_OUT[spec.quantize_out])
  of_operands, of_results = wishes(arrays[:2], labels), wishes(results, out)
  if form.mode == "k" and form.accumulate:
    index = form.buffer_index()
    for x, of_buffer in wishes(arrays[index:], labels[index:index + 1]).items():
      of_results.setdefault(x, []).extend(of_buffer)
  wanted, result = ({x: first(of.get(x, ())) for x in "bmnkg"} for of in (of_operands, of_results))
  # The axes that the results should have.
  target = result if results else dict(wanted)

  def without(letter, clash):
    wanted[letter] = tuple(a for a in wanted[letter] if a not in clash)

  assigner.take(wanted["b"] or result["b"], "b")
  summed, others = ("g", "mn") if form.mode == "m" else ("k", "gmn")
  if form.mode == "m":
    weights_are_less = count(rhs) <= count(lhs) + count(z)
    without("g" if weights_are_less else "m", {*wanted["g"]} & {*wanted["m"]})
    assigner.take(wanted["g"], "g")
  for letter in sorted("mn", key=lambda x: not {*wanted[x]} & {*result[x]}):
    assigner.take(wanted[letter], *letter.replace("n", "n" + BLOCKS))
  wanted["k"] = assigner.contracted(of_operands["k"], lhs, rhs, z)
  if form.mode == "k" and count(lhs) + count(rhs) < count(z):
    without("k", {a for x in others for a in result[x]})
  assigner.take(wanted["k"], "k")
  for letter in others:
    assigner.take(result[letter], *letter.replace("n", "n" + BLOCKS))

  scattered: dict[str, Axes] = {}
  not_scattered = set(axes.get(summed, ()))
  for letter in others:
    own = axes.get(letter, ())
    further = target[letter][len(own):]
    if (further and target[letter] == own + further and not_scattered.issuperset(further)
        and assigner.divides(letter, own + further)):
      scattered[letter] = further
      not_scattered.difference_update(further)
  return Assignment(axes, scattered)


def _sum(x, over: Axes, labels: str, scattered: dict[str, Axes]):
  for letter, axes in scattered.items():
    x = lax.psum_scatter(x, axes, scatter_dimension=labels.index(letter), tiled=True)
  return lax.psum(x, over) if over else x


def _rest(assigned: Assignment, letter: str) -> Axes:
  """The axes of the letter over which results are summed but not scattered."""
  scattered = set().union(*assigned.scattered.values())
  return tuple(a for a in assigned.axes.get(letter, ()) if a not in scattered)


def _block(*operands, form, spec, labels, compute, finish, assigned: Assignment):
  """What each device computes: [out], or [out, preact]."""
  out, z = out_labels(form, labels)
  given, local, axes = form.split(operands), form, assigned.axes
  lhs, rhs, sizes, offset, buffer = given.lhs, given.rhs, given.sizes, given.offset, given.buffer
  if axes.get(form.mode):
    count = next(x.shape[own.index(form.mode)] for x, own in zip(operands, labels)
                 if form.mode in own)
    sizes = sizes_in_range(sizes, lax.axis_index(axes[form.mode]) * count, count)
  if axes.get("g"):
    parts = math.prod(lax.axis_size(a) for a in axes["g"])
    # The rows of other devices' groups are zero, because the results are added up.
    local = form._replace(
        offset=True, local_groups=form.local_groups // parts, skips_rest=False)
    first = 0 if offset is None else jnp.clip(offset, 0, sizes.shape[-1])
    first += lax.axis_index(axes["g"]) * local.local_groups
    offset = jnp.full(1, first, jnp.int32)

  given = given._replace(sizes=sizes, offset=offset)
  sum_of_k, sum_of_g = axes.get("k"), form.mode == "m" and axes.get("g")
  of_sum = spec.not_quantized() if sum_of_g else spec
  if not sum_of_k:
    outs = compute(*given.there(), form=local, spec=of_sum)
  else:
    no_epilogue = local._replace(
        accumulate=False, bias=False, scale=False, row_scale=False, gated=False)
    alone = given._replace(buffer=None, bias=None, scale=None, row_scale=None)
    acc, = compute(*alone.there(), form=no_epilogue, spec=spec.accumulator(lhs, rhs))
    if form.mode == "k":
      acc = _sum(acc, _rest(assigned, "k"), z, assigned.scattered)
      return [(acc if buffer is None else buffer + acc).astype(spec.out_dtype)]
    outs = finish(lax.psum(acc, sum_of_k), sizes, offset, given.bias, given.scale,
                  given.row_scale, form=local, spec=of_sum)
  if sum_of_g:
    outs = [_sum(x, _rest(assigned, "g"), x_labels, assigned.scattered)
            for x, x_labels in zip(outs, (out, z))]
    if of_sum != spec:
      outs = epilogue.quantized(outs[0], outs[1:], spec)
  return outs


def _without_rule(spec):
  return dataclasses.replace(
      spec, weak_type=False, config=dataclasses.replace(spec.config, partition=False))


@functools.lru_cache(maxsize=1024)
def partitioned(form, spec, labels: tuple[str, ...], compute, finish, within):
  """The product as a function of its operands that XLA can partition.

  Args:
    form: its `GroupedParams`; in mode "m" without a buffer.
    spec: its `Spec`.
    labels: see `operand_labels`.
    compute: compute(*operands, form=, spec=) computes it on one device.
    finish: finish(z, sizes, offset, bias, scale, row_scale, form=, spec=) computes the results
      from the accumulators.
    within: see `mesh.partly_manual`.
  """
  of_results = _result_labels(form, spec, labels)
  letters = {*"".join((*labels, *of_results))}
  shardings, block = _rule(form, spec, labels, compute, finish)
  return rules.partitioned_by(
      shardings, block, within, labels, of_results,
      reduced=letters.difference(_REPLICATED, *of_results), replicated=_REPLICATED)


def _rule(form, spec, labels: Sequence[str], compute, finish) -> tuple[Callable, Callable]:
  """(assign, block) of `rules.partitioned_by`; see `partitioned` for the arguments."""
  def shardings(operands, results, mesh):
    assigned = assign(form, spec, labels, operands, results, mesh)
    return (assigned, _operand_shardings(assigned, mesh, form, labels),
            [assigned.sharding(mesh, x, True)
             for x in _result_labels(form, spec, labels)])

  return shardings, functools.partial(
      _block, form=form, spec=_without_rule(spec), labels=labels, compute=compute, finish=finish)


def explicit(mesh, operands, *, form, spec, compute, finish, result) -> jax.Array:
  """The product of operands with shardings in their types.

  Args:
    mesh: see `mesh.explicit_mesh`.
    operands: the `Operands`. In mode "m" there is no buffer. An inverse is not used: it numbers the
      rows of all devices.
    form: mode, layouts and whether it is gated.
    spec: its `Spec`.
    compute, finish: as in `partitioned`; these must be differentiable.
    result: shape and sharding of jax's result, which is also the product's shape.
  """
  operands = operands._replace(inverse=None)
  form, given = form.for_operands(operands), operands.there()
  labels = operand_labels(form, [x.shape for x in given])
  shardings, block = _rule(form, spec, labels, compute, finish)
  return rules.explicit(mesh, shardings, block, given, result)
