"""Checks the model of multicast in all interleavings, and that it finds planted faults."""

import pytest

from tests.protocols.multicast import Cluster, MulticastGroup, Tiles, all_tiles, explore

INSIDE = Tiles((2, 2), (2, 2))
THREE_OUTSIDE = Tiles((2, 0), (2, 0))
ROW = Tiles((2,), (1, 1))  # of 1 x 2 tiles, with few boxes
COLUMN = Tiles((1, 1), (2,))


def product(corner: Tiles) -> tuple[Tiles, ...]:
  """The tiles of a cluster that computes one after the other: inside of out, at the end of its
  columns, at the end of its rows, and at both."""
  return (INSIDE, Tiles(INSIDE.rows, corner.columns), Tiles(corner.rows, INSIDE.columns), corner)


def of_tiles(tiles: Tiles, count: int, **how) -> Cluster:
  return Cluster(len(tiles.rows), len(tiles.columns), (tiles,) * count, **how)


def words(tiles: Tiles) -> str:
  return f"halves of {tiles.rows} x {tiles.columns}"


RIGHT = {
    **{words(tiles): of_tiles(tiles, 2, k_tiles=3, stages=2)
       for shape in ((1, 2), (2, 1), (2, 2)) for tiles in all_tiles(*shape)},
    **{f"a product whose corner has {words(tiles)}": Cluster(2, 2, product(tiles), 2, 2)
       for tiles in all_tiles(2, 2) if tiles.rows >= tiles.columns},
    **{f"{words(tiles)}, late": of_tiles(tiles, 1, k_tiles=4, stages=2, late_data=True,
                                         late_arrivals=True)
       for shape in ((1, 2), (2, 1)) for tiles in all_tiles(*shape)
       if sum(tiles.rows + tiles.columns) < 5},
    **{f"{words(tiles)}, {how}": of_tiles(tiles, **given)
       for tiles in (INSIDE, Tiles((1, 0), (2, 1)))
       for how, given in {
           "late arrivals": dict(count=1, k_tiles=5, stages=2, late_arrivals=True),
           "three stages": dict(count=1, k_tiles=7, stages=3),
           "two k tiles ahead": dict(count=1, k_tiles=7, stages=3, ahead=2),
           "as many stages as k tiles": dict(count=1, k_tiles=3, stages=3, ahead=2),
           "ping-pong": dict(count=3, k_tiles=2, stages=2, consumers=2, ping_pong=True),
       }.items()},
    "tiles of one k tile": of_tiles(INSIDE, 5, k_tiles=1, stages=2),
    **{f"{words(tiles)}, two consumers": of_tiles(tiles, 2, k_tiles=3, stages=2, consumers=2,
                                                  late_arrivals=True)
       for tiles in (ROW, COLUMN)},
    "two peers": of_tiles(ROW, 2, k_tiles=3, stages=2, peers=2),
    # What would allow three tiles outside of out.
    **{f"{words(tiles)}, {how}, released in all": of_tiles(tiles, **given, released_in_all=True)
       for tiles in (THREE_OUTSIDE, Tiles((1, 0), (2, 0)))
       for how, given in {
           "two stages": dict(count=2, k_tiles=3, stages=2),
           "three stages": dict(count=1, k_tiles=7, stages=3, ahead=2),
       }.items()},
    # A tile of 256 rows, in the forms of gemm.h.
    **{f"{words(tiles)}, last barrier": of_tiles(tiles, 2, k_tiles=3, stages=2, ahead=0,
                                                 consumers=2, last_barrier=True)
       for tiles in all_tiles(2, 1)},
}

WRONG = {
    **{f"three tiles outside, {how}": (of_tiles(THREE_OUTSIDE, **given), "which still reads")
       for how, given in {
           "two stages": dict(count=2, k_tiles=3, stages=2),
           "three stages": dict(count=1, k_tiles=7, stages=3),
           "two k tiles ahead": dict(count=1, k_tiles=7, stages=3, ahead=2),
           "tiles of one k tile": dict(count=5, k_tiles=1, stages=2),
           "ping-pong": dict(count=3, k_tiles=2, stages=2, consumers=2, ping_pong=True),
       }.items()},
    "three tiles outside, the last ones of a product": (
        Cluster(2, 2, product(THREE_OUTSIDE) + (THREE_OUTSIDE,), 2, 2), "which still reads"),
    **{fault: (of_tiles(INSIDE, 2, k_tiles=3, stages=2, faults=(fault,)), text)
       for fault, text in (
           ("no release to the same rows", "deadlock"),
           ("all released", "has not released all stages in it"),
           ("no cluster barrier", "not initialised"),
           ("all as the first", "not all boxes have landed"),
           ("lhs to all", "not all boxes have landed"),
           ("one CTA loads none ahead", "deadlock"),
           ("own boxes expected", "not all boxes have landed"))},
    "no release to the same rows, which is not counted": (
        of_tiles(INSIDE, 2, k_tiles=3, stages=2,
                 faults=("no release to the same rows", "one release less counted")),
        "which still reads"),
    "no wait for empty": (
        of_tiles(INSIDE, 2, k_tiles=3, stages=2, faults=("no wait for empty",)),
        "which still reads"),
    # Here no load shows the fault, so the barriers must.
    "no wait for empty, nothing is loaded": (
        Cluster(1, 1, (Tiles((0,), (0,)),) * 2, 3, 2, faults=("no wait for empty",)),
        "is full again"),
    "released twice": (
        Cluster(1, 1, (Tiles((2,), (2,)),) * 2, 3, 2, faults=("released twice",)),
        "is empty again"),
    **{f"own boxes expected, late data of {words(tiles)}": (
        of_tiles(tiles, 1, k_tiles=4, stages=2, late_data=True, faults=("own boxes expected",)),
        "not all boxes have landed") for tiles in (ROW, COLUMN, INSIDE)},
    "all released, late arrivals": (
        of_tiles(ROW, 1, k_tiles=4, stages=2, late_arrivals=True, faults=("all released",)),
        "exits"),
    "no last cluster barrier": (
        of_tiles(COLUMN, 1, k_tiles=5, stages=2, ahead=0, last_barrier=True,
                 faults=("no last cluster barrier",)), "has not released all stages in it"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_multicast_is_right(name):
  report = explore(RIGHT[name])
  assert report.fault is None, "\n".join([report.fault or "", *report.trace])
  assert report.states > 50 and report.ends == 1


@pytest.mark.parametrize("name", WRONG)
def test_a_planted_fault_is_found(name):
  cluster, text = WRONG[name]
  report = explore(cluster)
  assert report.fault is not None and text in report.fault
  assert report.trace


@pytest.mark.parametrize("cluster_m, cluster_n, peers", [
    (1, 1, 8), (1, 2, 4), (2, 1, 4), (2, 2, 1), (2, 2, 2)])
def test_ctas_load_for_those_of_their_rows_and_columns(cluster_m, cluster_n, peers):
  """ClusterSplitKMap numbers the CTAs: peers last, then columns, then rows."""
  places = {rank: (rank // (cluster_m * cluster_n), rank // cluster_m % cluster_n, rank % cluster_m)
            for rank in range(cluster_m * cluster_n * peers)}
  for rank, (peer, column, row) in places.items():
    group = MulticastGroup(rank, cluster_m, cluster_n)
    of_column = [other for other, place in places.items() if place[:2] == (peer, column)]
    of_row = [other for other, place in places.items() if place[::2] == (peer, row)]
    assert sorted(group.ranks()) == sorted({*of_column, *of_row})
    assert group.rhs_mask() == sum(1 << other for other in of_column)
    assert cluster_n == 1 or group.lhs_mask() == sum(1 << other for other in of_row)
