// Tests the maps from claimed indices to work tiles against each other, and the divisions in them.
#include <vector>

#include "schedule/one_tile_map.h"
#include "schedule_cases.h"

namespace jaxgemm {
namespace {

// All slices of all cut tiles must have different slots.
void CheckSlots(const StreamKMap& map) {
  std::vector<int> used(map.num_slots());
  for (Index index = 0; index < map.size(); ++index) {
    WorkTile tile = map(index);
    if (!tile.valid || tile.num_peers == 1) continue;
    int64_t slot = tile.first_slot + tile.peer;
    CHECK_THAT(slot >= 0 && slot < map.num_slots(), "slot %ld of %d", slot, map.num_slots());
    CHECK_THAT(++used[slot] == 1, "slot %ld is shared", slot);
  }
}

// ClusterSplitKMap must cut tiles as StreamKMap does if all tiles have the same number of shares.
void CheckPeers(TileGrid grid) {
  grid.num_xcds = 1;
  const ClusterSplitKMap peers{grid, RandomIndex(1, grid.tiles_k)};
  const StreamKMap shares{grid, 0, grid.num_tiles(), peers.size()};
  for (Index index = 0; index < peers.size(); ++index) {
    const WorkTile mine = peers(index), its = shares(index);
    CHECK_THAT(its.valid && mine.batch == its.batch && mine.m == its.m && mine.n == its.n &&
                   mine.k_begin == its.k_begin && mine.k_end == its.k_end &&
                   mine.peer == its.peer && mine.num_peers == its.num_peers,
               "peer %d of %d is not share %d", mine.peer, peers.peers, index);
    CHECK_THAT(!shares(peers.size() + index).valid, "share %d has two parts", index);
  }

  ClusterSplitKMap clusters{grid, peers.peers, RandomIndex(1, 2), RandomIndex(1, 3)};
  TileGrid tiles = grid;
  tiles.tiles_m *= clusters.cluster_m, tiles.tiles_n *= clusters.cluster_n;
  std::vector<int> count(tiles.num_tiles() * peers.peers);
  CHECK_THAT(clusters.size() == static_cast<Index>(count.size()), "size %d", clusters.size());
  for (Index index = 0; index < clusters.size(); ++index) {
    const WorkTile mine = clusters(index);
    const Index cluster = index / clusters.cluster_size();
    const WorkTile its = peers(cluster * peers.peers + mine.peer);
    CHECK_THAT(mine.batch == its.batch && mine.m / clusters.cluster_m == its.m &&
                   mine.n / clusters.cluster_n == its.n && mine.k_begin == its.k_begin &&
                   mine.k_end == its.k_end,
               "peer %d of a tile of cluster %d", mine.peer, cluster);
    const Index tile = (mine.batch * tiles.tiles_m + mine.m) * tiles.tiles_n + mine.n;
    CHECK_THAT(++count[tile * peers.peers + mine.peer] == 1, "tile %d twice", tile);
  }
}

// OneTileMap must give the work tiles that StreamKMap gives, if all tiles have as many slices.
void CheckEqualSlices(const TileGrid& grid) {
  const Index tiles = grid.num_tiles(), slices = RandomIndex(1, grid.tiles_k);
  if (tiles == 0) return;
  const StreamKMap whole{grid, tiles, 0, 0}, cut{grid, 0, tiles, tiles * slices};
  const StreamKMap& map = slices == 1 ? whole : cut;
  CHECK_THAT(map.EqualSlices() == slices, "%d of %d slices", map.EqualSlices(), slices);
  const OneTileMap one_tile = OneTileMap::Of(map);
  CHECK_THAT(one_tile.size == tiles * slices, "%d workgroups", one_tile.size);
  for (Index index = 0; index < tiles * slices; ++index) {
    const WorkTile mine = one_tile(index), its = map(index);
    CHECK_THAT(its.valid && mine.batch == its.batch && mine.m == its.m && mine.n == its.n &&
                   mine.k_begin == its.k_begin && mine.k_end == its.k_end &&
                   mine.peer == its.peer && mine.num_peers == its.num_peers,
               "slice %d of %d", index, tiles * slices);
    CHECK_THAT(slices == 1 || (mine.first_slot == its.first_slot && mine.cut_tile == its.cut_tile &&
                               !map(tiles * slices + index).valid),
               "slot of slice %d of %d", index, tiles * slices);
  }
  const StreamKMap unequal{grid, 0, tiles, tiles * slices - 1},
      mixed{grid, 1, tiles - 1, 2 * tiles};
  CHECK_THAT(tiles == 1 || slices == 1 || unequal.EqualSlices() == 0, "%d tiles", tiles);
  CHECK_THAT(tiles == 1 || mixed.EqualSlices() == 0, "%d tiles", tiles);
}

// Divisor must divide as the processor does, also the largest numbers.
void CheckDivisor(Index divisor) {
  const Divisor by = Divisor::Of(divisor);
  constexpr Index kLargest = 0x7fffffff;
  auto check = [&](Index a) {
    CHECK_THAT(by.Quotient(a) == a / divisor, "%d / %d = %d", a, divisor, by.Quotient(a));
  };
  const Index last = kLargest / divisor * divisor;
  for (Index a : {0, 1, divisor - 1, divisor, last - 1, last, kLargest}) check(a);
  for (int i = 0; i < 100; ++i) {
    const Index multiple = RandomIndex(0, kLargest / divisor) * divisor;
    check(multiple);
    if (multiple > 0) check(multiple - 1);
    check(RandomIndex(0, kLargest));
  }
}
void CheckDivisors() {
  for (Index divisor = 1; divisor <= 5000; ++divisor) CheckDivisor(divisor);
  for (int bits = 2; bits < 31; ++bits) {
    for (Index off : {-1, 0, 1}) CheckDivisor((Index{1} << bits) + off);
  }
  CheckDivisor(0x7fffffff);
  for (int i = 0; i < 5000; ++i) CheckDivisor(RandomIndex(1, 0x7fffffff));
}

}  // namespace
}  // namespace jaxgemm

int main() {
  using namespace jaxgemm;
  for (int trial = 0; trial < 1000; ++trial) {
    const StreamKMap map = RandomCase().map;
    CheckSlots(map);
    CheckPeers(map.grid);
    CheckEqualSlices(map.grid);
  }
  CheckDivisors();
  std::printf("schedule_maps_test: %d failures\n", failures);
  return failures != 0;
}
