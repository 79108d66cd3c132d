"""Enumerates the work of the schedule core: each (tile, k) is computed exactly once."""

import numpy as np
import pytest

from jaxgemm import _jaxgemm as native

WORKGROUP, BATCH, M, N, K_BEGIN, K_END, PEER, NUM_PEERS = range(8)


def random_problem(rng):
  """Random arguments of enumerate_work_tiles: grid, queues, XCDs, cut, claim order."""
  batch, tiles_m, tiles_n = rng.integers([1, 0, 1], [4, 12, 12])
  tiles_k = rng.integers(1, 20)
  tiles = batch * tiles_m * tiles_n
  grid = rng.integers(1, 40)
  cut = min(rng.integers(0, 12), tiles) if rng.random() < 0.6 else 0
  shares = rng.integers(cut, cut * tiles_k + 1) if cut else 0
  order = rng.integers(0, grid, rng.integers(0, 200)) if rng.random() < 0.7 else []
  return dict(
      batch=int(batch), tiles_m=int(tiles_m), tiles_n=int(tiles_n),
      tiles_k=int(tiles_k), num_workgroups=int(grid),
      num_queues=int(rng.integers(0, 10)), group_m=int(rng.integers(1, 9)),
      num_xcds=int(rng.integers(1, 9)), cut_tiles=int(cut), num_shares=int(shares),
      order=[int(w) for w in order],
  )


def coverage(problem, tiles):
  """How often each (batch, m, n, k tile) is computed."""
  count = np.zeros([problem[k] for k in ("batch", "tiles_m", "tiles_n", "tiles_k")], int)
  for tile in tiles:
    index = tuple(tile[[BATCH, M, N]]) + (slice(tile[K_BEGIN], tile[K_END]),)
    count[index] += 1
  return count


@pytest.mark.parametrize("seed", range(20))
def test_each_tile_and_k_exactly_once(seed):
  rng = np.random.default_rng(seed)
  for _ in range(250):
    problem = random_problem(rng)
    tiles = native.enumerate_work_tiles(**problem)
    assert (coverage(problem, tiles) == 1).all(), problem
    assert (tiles[:, WORKGROUP] < problem["num_workgroups"]).all()
    # The slices of a tile are numbered 0 .. num_peers - 1 along k.
    slices = {}
    for tile in tiles:
      slices.setdefault(tuple(tile[[BATCH, M, N]]), []).append(tile)
    for parts in slices.values():
      parts.sort(key=lambda tile: tile[K_BEGIN])
      assert [tile[PEER] for tile in parts] == list(range(len(parts)))
      assert all(tile[NUM_PEERS] == len(parts) for tile in parts)


def test_stride_claims_are_workgroup_plus_grid():
  tiles = native.enumerate_work_tiles(
      batch=1, tiles_m=1, tiles_n=10, tiles_k=1, num_workgroups=4)
  assert all(tile[N] % 4 == tile[WORKGROUP] for tile in tiles)


def test_a_lone_workgroup_empties_every_queue():
  tiles = native.enumerate_work_tiles(
      batch=1, tiles_m=6, tiles_n=7, tiles_k=1, num_workgroups=8, num_queues=8,
      order=[3] * 60)
  assert (tiles[:, WORKGROUP] == 3).all() and len(tiles) == 42


def test_group_m_keeps_tile_rows_together():
  tiles = native.enumerate_work_tiles(
      batch=1, tiles_m=6, tiles_n=5, tiles_k=1, num_workgroups=1, group_m=2)
  assert (tiles[:10, M] < 2).all() and (tiles[10:20, M] // 2 == 1).all()


def test_xcd_remap_gives_each_xcd_a_contiguous_share():
  """Workgroups go to one XCD after the other; still each XCD computes neighbouring tiles."""
  tiles = native.enumerate_work_tiles(
      batch=1, tiles_m=1, tiles_n=64, tiles_k=1, num_workgroups=16, num_xcds=8)
  for xcd in range(8):
    mine = sorted(tile[N] for tile in tiles if tile[WORKGROUP] % 8 == xcd)
    assert mine == list(range(8 * xcd, 8 * xcd + 8))


def test_stream_k_shares_are_even():
  """The k tiles of cut tiles are divided so that no share has more than one k tile more."""
  tiles = native.enumerate_work_tiles(
      batch=1, tiles_m=1, tiles_n=5, tiles_k=13, num_workgroups=7, cut_tiles=5,
      num_shares=7)
  work = np.bincount(tiles[:, WORKGROUP], tiles[:, K_END] - tiles[:, K_BEGIN])
  assert work.sum() == 65 and work.max() - work.min() <= 1


@pytest.mark.parametrize("wrong", [
    dict(num_workgroups=0), dict(group_m=0), dict(cut_tiles=9, num_shares=9),
    dict(cut_tiles=2, num_shares=1), dict(cut_tiles=2, num_shares=99),
    dict(order=[7]), dict(tiles_k=-1),
])
def test_impossible_schedules_are_refused(wrong):
  problem = dict(batch=1, tiles_m=2, tiles_n=2, tiles_k=3, num_workgroups=4)
  with pytest.raises(ValueError):
    native.enumerate_work_tiles(**{**problem, **wrong})
