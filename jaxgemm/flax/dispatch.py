"""How rows of tokens get to their experts and back, on one device and between devices.

Rows are moved by gathers on a device (rows.py), and between devices by an exchange of slices of
different sizes. Shapes do not depend on the routing: a device has room for all rows that could
come to it, so that no row is dropped.
"""

from collections.abc import Callable
import functools
from typing import Any

import jax
from jax import lax
from jax.ad_checkpoint import checkpoint_name
import jax.numpy as jnp

from jaxgemm.call.transposes import INLINE
from jaxgemm.flax.experts import ROWS, Tokens
from jaxgemm.grouped.routing_calls import routing_table
from jaxgemm.grouped.rows import RoutingTable, combine, spread

# A permutation and its transpose never add up rows at one index, which a GPU does in no fixed
# order. So results are bitwise the same on every run.
_PERMUTATION: dict[str, Any] = dict(unique_indices=True, mode="promise_in_bounds")


def _permuted_back(rows, order):
  return jnp.zeros_like(rows).at[order].set(rows, **_PERMUTATION)


def _before(sizes):
  """The sum of the sizes before each, along the first axis."""
  return jnp.cumsum(sizes, 0, dtype=sizes.dtype) - sizes


def _exchange_slices(rows, slices, *, room, axis_name):
  out = jnp.zeros_like(rows, shape=(room, rows.shape[1]))
  return lax.ragged_all_to_all(rows, out, *slices, axis_name=axis_name)


def _exchange_blocks(rows, slices, *, room, most, axis_name):
  """`_exchange_slices` by an all-to-all of blocks of `most` rows, where there is no ragged one."""
  input_offsets, send_sizes, _, recv_sizes = slices
  places = jnp.arange(most, dtype=jnp.int32)[None]
  blocks = rows.at[input_offsets[:, None] + places].get(mode="clip")
  blocks = jnp.where((places < send_sizes[:, None])[..., None], blocks, 0)
  blocks = lax.all_to_all(blocks, axis_name, 0, 0)
  to = jnp.where(places < recv_sizes[:, None], _before(recv_sizes)[:, None] + places, room)
  out = jnp.zeros_like(blocks, shape=(room, rows.shape[1]))
  return out.at[to].set(blocks, mode="drop")


def exchange(rows, counts, *, room: int, most: int, axis_name) -> jax.Array:
  """Sends slices of rows to the devices along a mesh axis.

  It uses `lax.ragged_all_to_all`. XLA does not have it on CPUs; there it uses an all-to-all of
  blocks.

  Args:
    rows: [R, C], the rows for device 0 first, then those for device 1, and so on.
    counts: int32[D, D], the same on all devices: counts[i, j] rows go from device i to device j.
    room: the number of rows of the result.
    most: the largest number of rows that one device may send to one other.
    axis_name: the mesh axis, or axes, of a `jax.shard_map`.

  Returns:
    [room, C]: the rows from device 0, then those from device 1, and so on, then zeros.
  """
  index = lax.axis_index(axis_name)
  slices = (_before(counts[index]), counts[index], _before(counts)[index], counts[:, index])
  return lax.platform_dependent(
      rows, slices,
      cpu=functools.partial(_exchange_blocks, room=room, most=most, axis_name=axis_name),
      default=functools.partial(_exchange_slices, room=room, axis_name=axis_name))


# Outside of jax.jit each function that moves rows is compiled as one program.
_compiled = functools.partial(jax.jit, inline=INLINE)


def gathered_through_experts(
    x, weights, chosen, table: RoutingTable, group_sizes, *, dtype, sharded_tokens: bool, axis_name,
    compute: Callable, rounds: bool = False,
):
  """[T, C]: as `through_experts`, where each device has all tokens or gathers them.

  Args:
    x, weights, table, group_sizes, dtype: see `through_experts`.
    chosen: int32[T, top_k], the experts.
    sharded_tokens: whether tokens are sharded along axis_name. Then all devices gather them, and a
      reduce-scatter brings the results.
    axis_name: the mesh axes along which the experts are sharded; () for none.
    compute: a function of (x, sizes, `Tokens`) that gives the sums of x's tokens. sizes are those
      of all experts. Rows of experts on other devices count as zero.
    rounds: whether a device that has all experts gives the sums in dtype, because nothing is added
      to them later. Else they are float32. The backward pass reads their cotangent in dtype.
  """
  x, sizes, weights, table = _gathered_tokens(
      x, weights, chosen, table, group_sizes, dtype=dtype,
      axis_name=axis_name if sharded_tokens else ())
  of_sums = dtype if rounds and not axis_name else jnp.promote_types(dtype, jnp.float32)
  out = compute(x, sizes, Tokens(table, weights, of_sums))
  return _summed(out, axis_name=axis_name, scatters=sharded_tokens)


@functools.partial(_compiled, static_argnames=("dtype", "axis_name"))
def _gathered_tokens(x, weights, chosen, table, group_sizes, *, dtype, axis_name):
  if axis_name:
    x, weights, chosen = (
        lax.all_gather(a, axis_name, tiled=True) for a in (x, weights, chosen))
    table, group_sizes = routing_table(chosen, group_sizes.size)
  return x.astype(dtype), group_sizes, weights, table


@functools.partial(_compiled, static_argnames=("axis_name", "scatters"))
def _summed(out, *, axis_name, scatters: bool):
  if scatters:
    return lax.psum_scatter(out, axis_name, tiled=True)
  return lax.psum(out, axis_name) if axis_name else out


def through_experts(
    x, weights, table: RoutingTable, group_sizes, *, dtype, most_per_token: int, axis_name,
    compute: Callable,
):
  """f32[T, C]: the weighted sums of the experts' results for this device's tokens.

  Each row is sent to the device that has its expert, and its result is sent back.

  Args:
    x: [T, C], the tokens of this device.
    weights: f32[T, top_k].
    table: the routing table of these tokens.
    group_sizes: int32[E], this device's rows for each expert.
    dtype: the dtype in which rows travel.
    most_per_token: the largest number of a token's rows for the experts of one device.
    axis_name: the mesh axis, or axes, along which the experts are sharded.
    compute: a function of (rows, sizes, experts) that gives the results of sorted rows for the
      experts of a device. sizes and experts are as in `experts.grouped_products`, for these
      experts. Rows after those of all experts are zero, and their results are not used.
  """
  room = dict(most=len(x) * most_per_token, axis_name=axis_name)
  rows, sizes, experts, order, sent = _rows_of_device(x, table, group_sizes, dtype=dtype, **room)
  rows = compute(rows, sizes, experts)
  return _sent_back(rows, weights, table, order, sent, **room)


@functools.partial(_compiled, static_argnames=("dtype", "most", "axis_name"))
def _rows_of_device(x, table, group_sizes, *, dtype, most: int, axis_name):
  """The rows for the experts of this device; see `through_experts`.

  Returns:
    rows, sizes and experts, the arguments of `compute`; the order of the rows; and int32[D, D],
    the numbers of rows that devices sent.
  """
  devices, num_experts = lax.axis_size(axis_name), group_sizes.size
  num_local = num_experts // devices
  # counts[i, j, e]: the rows that device i sends for expert e of device j.
  counts = lax.all_gather(group_sizes, axis_name).reshape(devices, devices, num_local)
  rows = spread(x, table, dtype=dtype)
  sent = counts.sum(axis=2, dtype=jnp.int32)
  rows = exchange(rows, sent, room=devices * most, most=most, axis_name=axis_name)

  # Rows arrive in the order of their devices, and those of one device are sorted by expert.
  mine = counts[:, lax.axis_index(axis_name)]
  of_rows = jnp.tile(jnp.arange(num_local + 1, dtype=jnp.int32), devices)
  repeats = jnp.pad(mine, ((0, 0), (0, 1))).reshape(-1)
  repeats = repeats.at[-1].set(devices * most - repeats.sum(dtype=jnp.int32))
  of_rows = jnp.repeat(of_rows, repeats, total_repeat_length=devices * most)
  arrived, _ = routing_table(of_rows[:, None], num_local + 1)
  rows = rows.at[arrived.choice].get(**_PERMUTATION)
  return rows, mine.sum(axis=0, dtype=jnp.int32), arrived.experts, arrived.choice, sent


@functools.partial(_compiled, static_argnames=("most", "axis_name"))
def _sent_back(rows, weights, table, order, sent, *, most: int, axis_name):
  rows = exchange(_permuted_back(rows, order), sent.T, room=weights.size, most=most,
                  axis_name=axis_name)
  return combine(checkpoint_name(rows, ROWS), table, weights)
