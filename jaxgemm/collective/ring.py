"""The products of a ring of devices: each step computes one product beside one transfer.

Three arrays meet in a product of sharded rows, in `jnp` terms `full = all_gather(rows) @
weights`, where each device has its own block of m rows:

  rows     [*f, *r, m, K]      the block of one device
  weights  [*f, K, N]          or [*f, N, K]
  full     [*f, *r, d * m, N]  the rows of all d devices

Any two of them give the third, and these three products are each other's derivatives:

  full     all_gather(rows) @ weights: the blocks travel round the ring. Each device multiplies
           the block that it has while the next one arrives.
  rows     full @ weights^T, summed over the devices: the sum for each block travels, and
           ends at the block's device. A device computes its part of the next sum while
           that sum arrives.
  weights  all_gather(rows)^T @ full: the blocks travel, and their products are added up.

f are dimensions of a batch. r are further dimensions of the rows; the product that gives
weights sums over these.
"""

from collections.abc import Callable, Iterator
import functools
import operator
from typing import Any, NamedTuple

import jax
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import mlir
import jax.numpy as jnp
import numpy as np

from jaxgemm.call import epilogue
from jaxgemm.call.dtypes import accumulator_dtype
from jaxgemm.call.options import Options
from jaxgemm.call.spec import Spec
from jaxgemm.dense.call import dense_results
from jaxgemm.dense.dimensions import dot_general_product
from jaxgemm.dense.layout import Dims
from jaxgemm.dense.vectors import Vectors
from jaxgemm.sharding import mesh as meshes

ROLES = ("rows", "weights", "full")


class Form(NamedTuple):
  """Which product of the ring is computed, and with which options.

  Attributes:
    gives: the array that it computes from the other two, which are its operands in the
      order of ROLES.
    axis_name: the mesh axis, or a tuple of axes, that the devices are along.
    num_batch: the number of batch dimensions f.
    transposed: whether weights are [*f, N, K].
    spec: dtype and epilogue of the result, and the config of each product.
    sum_dtype: the dtype in which sums travel; None is that of the accumulators.
    options: the caller's; those in spec are of this product.
    transfers: "copies", "ring" or None: see `jaxgemm.allgather_matmul`.
  """

  gives: str
  axis_name: Any
  num_batch: int
  transposed: bool
  spec: Spec
  sum_dtype: Any = None
  options: Options = Options()
  transfers: str | None = None

  def operand_names(self) -> tuple[str, ...]:
    return tuple(x for x in ROLES if x != self.gives)

  def for_gradient(self, gives: str, dtype) -> "Form":
    """The product of a derivative, which has no epilogue."""
    transfers = "ring" if self.transfers == "ring" else None
    return self._replace(gives=gives, spec=self.spec.for_gradient(dtype), transfers=transfers)


def results(first, second, *bias, form: Form) -> list[jax.Array]:
  """The result of one device: [out], or [out, preact] with form.spec.save_preact."""
  return _COMPUTE[form.gives](first, second, *bias, form=form)


def _product(lhs, rhs, contracted, form: Form, out_dtype=None, *, bias=None, activation=None,
             save_preact: bool = False) -> list[jax.Array]:
  """The results of one product on this device.

  Args:
    lhs, rhs: arrays with `form.num_batch` batch dimensions in front.
    contracted: the contracted dimensions of lhs and of rhs.
    form: the product of the ring that this one is a part of.
    out_dtype: dtype of the result; None is that of form.spec.
    bias, activation, save_preact: the epilogue.
  """
  batch = tuple(range(form.num_batch))
  options = form.options._replace(
      preferred_element_type=form.spec.out_dtype if out_dtype is None else out_dtype,
      activation=activation, config=form.spec.config)
  product = dot_general_product(lhs, rhs, (contracted, (batch, batch)), options)
  return dense_results(lhs, rhs, Vectors(bias), product, options, save_preact=save_preact)


def weights_axis(form: Form, name: str) -> int:
  """The dimension of weights that has this name, "K" or "N"."""
  return form.num_batch + ((name == "N") != form.transposed)


# An array that the products of a ring are written to; all its elements are.
room_p = Primitive("jaxgemm_room")
room_p.def_abstract_eval(lambda *, shape, dtype: jax.core.ShapedArray(shape, dtype))
room_p.def_impl(lambda *, shape, dtype: lax.empty(shape, dtype))


def _room_lowering(ctx, *, shape, dtype):
  # In a program for several platforms XLA moves lax.empty of GPUs into the code for the CPU, which
  # does not have it.
  make = jnp.zeros if meshes.is_exported(ctx) else lax.empty
  return mlir.lower_fun(lambda: make(shape, dtype), multiple_results=False)(ctx)


mlir.register_lowering(room_p, _room_lowering)


class Ring(NamedTuple):
  """The devices along the axes.

  Attributes:
    axes: the axes in the order of the mesh. `jax.lax.ppermute` numbers devices in this order,
      whatever the order of the names that it is given.
    place: the number of each device in that order. All other numbers of devices are those of
      `jax.lax.axis_index`, `jax.lax.all_gather` and `jax.sharding.PartitionSpec`: in the order of
      the names that the caller gave.
    size: the number of devices.
    index: the number of this device.
  """

  axes: tuple[str, ...]
  place: tuple[int, ...]
  size: int
  index: Any

  @classmethod
  def of(cls, axis_name) -> "Ring":
    given = meshes.names(axis_name)
    axes = tuple(a for a in jax.sharding.get_abstract_mesh().axis_names if a in given)
    places = np.arange(lax.axis_size(axes)).reshape([lax.axis_size(a) for a in axes])
    place = places.transpose([axes.index(a) for a in given]).reshape(-1)
    return cls(axes, tuple(place.tolist()), place.size, lax.axis_index(given))

  def send(self, x, places: int = 1):
    """Sends x to the device `places` after this one; returns what comes from that before it."""
    return lax.ppermute(x, self.axes, [(p, self.place[(i + places) % self.size])
                                       for i, p in enumerate(self.place)])

  def before(self, steps: int):
    """The number of the device that is `steps` before this one."""
    return (self.index - steps) % self.size

  def products(self, rows, compute: Callable) -> Iterator[tuple[Any, Any]]:
    """Yields (number, compute(rows, number)) for the rows of each device.

    This device's rows come first, then those that arrive.
    """
    for step in range(self.size):
      number, arriving = self.before(step), None
      if step + 1 < self.size:
        arriving = self.send(rows)
      result = compute(rows, number)
      if arriving is not None:
        # The next transfer begins after this product and runs beside the next one. Without this
        # barrier XLA's scheduler puts several products beside one transfer, and none beside the
        # others.
        arriving, result = lax.optimization_barrier((arriving, result))
      yield number, result
      rows = arriving


def _full(rows, weights, *bias, form: Form):
  """all_gather(rows) @ weights, with the epilogue."""
  ring = Ring.of(form.axis_name)
  count, axis = rows.shape[-2], rows.ndim - 2

  def compute(block, _):
    return _product(
        block, weights, ((rows.ndim - 1,), (weights_axis(form, "K"),)), form,
        bias=bias[0] if bias else None, activation=form.spec.activation,
        save_preact=form.spec.save_preact)

  outs = None
  for number, parts in ring.products(rows, compute):
    if ring.size == 1:
      return parts
    if outs is None:
      shape = (*rows.shape[:axis], ring.size * count, parts[0].shape[-1])
      outs = [room_p.bind(shape=shape, dtype=part.dtype) for part in parts]
    outs = [lax.dynamic_update_slice_in_dim(out, part, number * count, axis)
            for out, part in zip(outs, parts)]
  return outs


def _rows(weights, full, *bias, form: Form):
  """This device's block of the sum of full @ weights^T over the devices."""
  ring = Ring.of(form.axis_name)
  axis = full.ndim - 2
  count = full.shape[axis] // ring.size
  contracted = (full.ndim - 1,), (weights_axis(form, "N"),)
  wide = accumulator_dtype(full, weights)
  total = arriving = None
  for step in range(ring.size):
    # This device begins the sum for the device before it. The sum travels round the ring, and
    # reaches that device last.
    number = ring.before(step + 1)
    if total is not None:
      # The next part is computed beside this transfer. Without this barrier XLA's scheduler may
      # compute all parts first, and hold them while sums travel.
      total, number = lax.optimization_barrier((total, number))
      arriving = ring.send(
          total.astype(wide if form.sum_dtype is None else form.sum_dtype))
    block = lax.dynamic_slice_in_dim(full, number * count, count, axis)
    total, = _product(block, weights, contracted, form, wide)
    if arriving is not None:
      total += arriving.astype(wide)
  return finish_sum(total, *bias, form=form)


def finish_sum(total, *bias, form: Form) -> list[jax.Array]:
  """The results of the ring's product, from the sum over all devices: adds the epilogue."""
  labels = tuple(range(total.ndim))
  dims = Dims((), (), labels, labels[-1:] if bias else None)
  return epilogue.apply(total, labels, bias[0] if bias else None, None, None, dims=dims,
                        spec=form.spec)


def _weights(rows, full, *, form: Form):
  """all_gather(rows)^T @ full."""
  ring = Ring.of(form.axis_name)
  summed = tuple(range(form.num_batch, rows.ndim - 1))
  count, axis = rows.shape[-2], rows.ndim - 2

  def compute(block, number):
    part = lax.dynamic_slice_in_dim(full, number * count, count, axis)
    lhs, rhs = (part, block) if form.transposed else (block, part)
    return _product(lhs, rhs, (summed, summed), form, accumulator_dtype(rows, full))[0]

  products = (product for _, product in ring.products(rows, compute))
  return [functools.reduce(operator.add, products).astype(form.spec.out_dtype)]


_COMPUTE: dict[str, Callable] = {"full": _full, "rows": _rows, "weights": _weights}
