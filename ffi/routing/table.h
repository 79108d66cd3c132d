// The routing table by a stable counting sort.
//
// Few choices are sorted by one workgroup of StoreTable. For many there are several workgroups, and
// StoreCounts first counts the rows of each. No result depends on the order in which workgroups or
// waves run.
#pragma once

#include "routing/routing_args.h"
#include "routing/wave.h"

namespace jaxgemm {

constexpr int kTableWaves = kTableThreads / kWaveSize;

struct TableShared {
  // For each wave and expert how many choices the wave has passed; then the place after them.
  int32_t passed[kTableWaves][kMostTableExperts];
  int32_t sums[2][kMostTableExperts];
};

// Calls visit(choice, expert, place) for the choices of this wave, in their order from iteration to
// iteration, and from lane to lane. `place` is what passed[expert] was, plus the number of this
// wave's earlier choices of the expert, by which passed[expert] grows.
template <class Visit>
JAXGEMM_GPU void ForEachChoice(const TableArgs& args, int workgroup, int32_t* passed,
                               Visit&& visit) {
  const int mine = args.part / kTableWaves;
  const int64_t begin = int64_t{workgroup} * args.part + WaveId() * mine;
  const int64_t end = begin + mine < args.choices ? begin + mine : args.choices;
  constexpr int kAhead = 4;  // so many loads are in flight
  for (int64_t first = begin; first < end; first += kAhead * kWaveSize) {
    int experts[kAhead];
    for (int i = 0; i < kAhead; ++i) {
      const int64_t choice = first + i * kWaveSize + LaneId();
      const int chosen = args.chosen[choice < end ? choice : end - 1];
      const int not_less = chosen < 0 ? 0 : chosen;
      experts[i] = not_less < args.num_experts ? not_less : args.num_experts - 1;
    }
    for (int i = 0; i < kAhead && first + i * kWaveSize < end; ++i) {
      const int64_t choice = first + i * kWaveSize + LaneId();
      const bool is_there = choice < end;
      const int expert = experts[i];
      // The lanes with the same expert have the same votes on all of its bits.
      Lanes same = Ballot(is_there);
      for (int bit = 1; bit < args.num_experts; bit *= 2) {
        const Lanes votes = Ballot(expert & bit);
        same &= expert & bit ? votes : ~votes;
      }
      const int before = Count(same & ((Lanes{1} << LaneId()) - 1));
      const int place = passed[expert] + before;
      WaveBarrier();
      if (is_there && before == 0) passed[expert] = place + Count(same);
      WaveBarrier();
      if (is_there) visit(static_cast<int>(choice), expert, place);
    }
  }
}

// Counts the choices of each wave. Afterwards shared.passed[wave][expert] has the number of those
// that earlier waves of the workgroup have; the result is the number of all that the workgroup has
// of the expert with this thread's id.
JAXGEMM_GPU int CountChoices(const TableArgs& args, int workgroup, TableShared& shared) {
  const int expert = ThreadId();
  const bool is_there = expert < args.num_experts;
  for (int wave = 0; wave < kTableWaves && is_there; ++wave) shared.passed[wave][expert] = 0;
  Barrier();
  ForEachChoice(args, workgroup, shared.passed[WaveId()], [](int, int, int) {});
  Barrier();
  int count = 0;
  for (int wave = 0; wave < kTableWaves && is_there; ++wave) {
    const int of_wave = shared.passed[wave][expert];
    shared.passed[wave][expert] = count;
    count += of_wave;
  }
  return count;
}

// Sums the counts of all workgroups: for the expert with this thread's id, *total is that of all,
// and *before that of the workgroups before this one.
JAXGEMM_GPU void SumCounts(const TableArgs& args, int workgroup, TableShared& shared, int* total,
                           int* before) {
  const int thread = ThreadId(), count = args.num_experts;
  for (int i = 0; i < 2; ++i) shared.sums[i][thread] = 0;
  Barrier();
  const int readers = kTableThreads / count;  // the threads of each expert
  if (thread < readers * count) {
    const int expert = thread % count;
    int all = 0, earlier = 0;
#pragma unroll 16
    for (int w = thread / count; w < args.workgroups; w += readers) {
      const int of_workgroup = args.counts[int64_t{w} * count + expert];
      all += of_workgroup;
      earlier += w < workgroup ? of_workgroup : 0;
    }
    AddToShared(&shared.sums[0][expert], all);
    AddToShared(&shared.sums[1][expert], earlier);
  }
  Barrier();
  *total = shared.sums[0][thread];
  *before = shared.sums[1][thread];
  Barrier();
}

// The sum of `value` of all threads before this one; values after num_experts are 0.
JAXGEMM_GPU int SumBefore(int value, int num_experts, TableShared& shared) {
  const int thread = ThreadId();
  int sum = value, buffer = 0;
  for (int distance = 1; distance < num_experts; distance *= 2, buffer ^= 1) {
    shared.sums[buffer][thread] = sum;
    Barrier();
    if (thread >= distance) sum += shared.sums[buffer][thread - distance];
  }
  return sum - value;
}

JAXGEMM_GPU void StoreCounts(const TableArgs& all, TableShared& shared) {
  const TableArgs args = all.OfBatch(WorkgroupId() / all.workgroups);
  const int workgroup = WorkgroupId() % all.workgroups;
  const int count = CountChoices(args, workgroup, shared);
  if (ThreadId() < args.num_experts) {
    args.counts[int64_t{workgroup} * args.num_experts + ThreadId()] = count;
  }
}

JAXGEMM_GPU void StoreTable(const TableArgs& all, TableShared& shared) {
  const TableArgs args = all.OfBatch(WorkgroupId() / all.workgroups);
  const int workgroup = WorkgroupId() % all.workgroups;
  int total = CountChoices(args, workgroup, shared), before = 0;
  if (args.workgroups > 1) SumCounts(args, workgroup, shared, &total, &before);
  before += SumBefore(total, args.num_experts, shared);
  const int expert = ThreadId();
  if (expert < args.num_experts) {
    for (int wave = 0; wave < kTableWaves; ++wave) shared.passed[wave][expert] += before;
    if (workgroup == 0) args.group_sizes[expert] = total;
  }
  Barrier();
  ForEachChoice(args, workgroup, shared.passed[WaveId()], [&](int choice, int expert, int row) {
    args.experts[row] = expert;
    args.choice[row] = choice;
    args.token[row] = static_cast<uint32_t>(choice) / static_cast<uint32_t>(args.top_k);
    args.row[choice] = row;
  });
}

}  // namespace jaxgemm
