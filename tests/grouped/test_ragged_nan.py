"""Rows and weights of no group are not read: else their NaN would reach results as NaN times 0."""

import functools

import jax
from jax import lax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxgemm
from tests.grouped.ragged_reference import array, assert_close
from tests.support.environment import cpu_tile

# Group sizes for an lhs of 200 rows; the last 61 rows belong to no group.
SIZES = np.array([0, 45, 0, 33, 61, 0])
STARTS = np.concatenate([[0], np.cumsum(SIZES)])
ROWS = [np.arange(*ends) for ends in zip(STARTS[:-1], STARTS[1:])]
UNUSED = np.arange(STARTS[-1], 200)
SCHEDULES = [("persistent", None), ("work_stealing", None), ("stream_k", "linear"),
             ("stream_k", "tree"), ("stream_k", "atomic")]
schedules = pytest.mark.parametrize("schedule, reduction", SCHEDULES)
CONFIG = jaxgemm.GemmConfig(**cpu_tile(tile_m=32, tile_n=32, tile_k=32), num_workgroups=5)


@functools.cache
def run(schedule, reduction):
  """A jitted function: all operands -> (out, d_lhs, d_rhs, d_bias, d_scale)."""
  @jax.jit
  def results(lhs, rhs, bias, scale, cotangent, offset):
    def f(lhs, rhs, bias, scale):
      return jaxgemm.ragged_dot(
          lhs, rhs, jnp.asarray(SIZES), group_offset=offset, bias=bias, scale=scale,
          activation="gelu", schedule=schedule, reduction=reduction, config=CONFIG)
    out, vjp = jax.vjp(f, lhs, rhs, bias, scale)
    return out, *vjp(cotangent)

  return results


def operands(rng, groups=6, dtype=jnp.float32):
  return [array(rng, *shape, dtype=dtype) for shape in (
      (200, 70), (groups, 70, 50), (groups, 50), (groups, 50), (200, 50))]


def poison(operands, parts):
  """The operands with NaN at `parts`, which are (operand index, places) pairs."""
  dirty = list(operands)
  for index, places in parts:
    dirty[index] = dirty[index].at[places].set(jnp.nan)
  return dirty


@schedules
@pytest.mark.parametrize("dtype", [
    jnp.float32, pytest.param(jnp.bfloat16, marks=pytest.mark.whole)])
def test_rows_and_weights_of_no_group_are_not_read(rng, schedule, reduction, dtype):
  results = run(schedule, reduction)
  clean, none = operands(rng, dtype=dtype), jnp.zeros(1, jnp.int32)
  wanted = results(*clean, none)
  assert all(np.isfinite(np.asarray(x, np.float32)).all() for x in wanted)
  empty = np.flatnonzero(SIZES == 0)
  # lhs, rhs, bias, scale and the cotangent: rows of no group are constant in out.
  dirty = poison(clean, [(0, UNUSED), (1, empty), (2, empty), (3, empty), (4, UNUSED)])
  given = results(*dirty, none)
  for x, y in zip(given, wanted):
    assert_close(x, y, 1e-5 if reduction == "atomic" else 0)
  for x, places in zip(given, (UNUSED, UNUSED, empty, empty, empty)):
    assert not np.asarray(x, np.float32)[places].any()


@schedules
def test_nan_of_a_group_stays_in_that_group(rng, schedule, reduction):
  results = run(schedule, reduction)
  clean, none = operands(rng), jnp.zeros(1, jnp.int32)
  wanted = results(*clean, none)
  group, others = 3, [1, 4]
  elsewhere = np.setdiff1d(np.arange(200), ROWS[group])
  for parts in ([(0, ROWS[group])], [(1, group)], [(2, group)], [(3, group)],
                [(4, ROWS[group])]):
    given = results(*poison(clean, parts), none)
    assert any(np.isnan(x).any() for x in given)
    for x, y, places in zip(given, wanted, (elsewhere,) * 2 + (others,) * 3):
      assert_close(np.asarray(x)[places], np.asarray(y)[places],
                   1e-5 if reduction == "atomic" else 0)


@pytest.mark.parametrize("schedule, reduction", SCHEDULES[:3])
@pytest.mark.parametrize("first, local", [(0, 3), (2, 2), (3, 3), (4, 6)])
def test_a_shard_reads_its_groups_only(rng, schedule, reduction, first, local):
  """NaN is in rows of other shards and in weights of empty or missing groups."""
  results = run(schedule, reduction)
  clean, offset = operands(rng, local), jnp.array([first])
  wanted = results(*clean, offset)
  mine = [g for g in range(first, min(first + local, 6)) if SIZES[g]]
  rows = np.setdiff1d(np.arange(200), np.concatenate([ROWS[g] for g in mine]))
  groups = np.setdiff1d(np.arange(local), np.array(mine) - first)
  given = results(*poison(clean, [(0, rows), (1, groups), (2, groups), (3, groups),
                                  (4, rows)]), offset)
  for x, y, places in zip(given, wanted, (rows, rows, groups, groups, groups)):
    assert_close(x, y, 1e-5 if reduction == "atomic" else 0)
    assert not np.asarray(x)[places].any()


@schedules
def test_contracted_groups_do_not_read_rows_of_no_group(rng, schedule, reduction):
  numbers = lax.RaggedDotDimensionNumbers((((0,), (0,)), ((), ())), (0,), ())
  lhs, rhs = array(rng, 200, 70), array(rng, 200, 50)
  cotangent = array(rng, 6, 70, 50)

  @jax.jit
  def results(lhs, rhs, cotangent):
    out, vjp = jax.vjp(lambda *x: jaxgemm.ragged_dot_general(
        *x, jnp.asarray(SIZES), numbers, schedule=schedule, reduction=reduction,
        config=CONFIG), lhs, rhs)
    return out, *vjp(cotangent)

  wanted, empty = results(lhs, rhs, cotangent), np.flatnonzero(SIZES == 0)
  dirty = [x.at[UNUSED].set(jnp.nan) for x in (lhs, rhs)]
  given = results(*dirty, cotangent.at[empty].set(jnp.nan))
  for x, y, places in zip(given, wanted, (empty, UNUSED, UNUSED)):
    assert_close(x, y, 1e-5 if reduction == "atomic" else 0)
    assert not np.asarray(x)[places].any()


def test_xla_does_not_read_rows_of_no_group(rng):
  lhs, rhs, bias, _, cotangent = operands(rng)

  def results(lhs, implementation):
    out, vjp = jax.vjp(lambda *x: jaxgemm.ragged_dot(
        *x[:2], jnp.asarray(SIZES), bias=x[2], activation="gelu",
        implementation=implementation), lhs, rhs, bias)
    return out, *vjp(cotangent)

  for x, y in zip(results(lhs.at[UNUSED].set(jnp.nan), "xla"),
                  results(lhs, "jaxgemm")):
    assert_close(x, y)
