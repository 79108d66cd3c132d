// The top_k experts of each token, and the softmax of their scores: a wave takes the largest of its
// scores top_k times.
#pragma once

#include "kernel/epilogue.h"
#include "routing/routing_args.h"
#include "routing/wave.h"

namespace jaxgemm {

// A score that was taken, or is not there: less than all keys.
inline constexpr int32_t kTaken = INT32_MIN;

// Integers in the total order of the floats with these bits, as in jax.lax.top_k: -NaN, -inf, ..,
// -0, 0, .., inf, NaN. (The last two of -NaN's bit patterns become the same.)
JAXGEMM_GPU int32_t Key(int32_t bits) {
  const int32_t key = bits < 0 ? bits ^ INT32_MAX : bits;
  return key == kTaken ? kTaken + 1 : key;
}
JAXGEMM_GPU float ScoreOf(int32_t key) {
  return __builtin_bit_cast(float, key < 0 ? key ^ INT32_MAX : key);
}

// Lane i has the scores of kSlots neighbouring experts. Of equal scores the first wins: a lane
// prefers its own first one, and the wave its first lane.
template <int kSlots>
JAXGEMM_GPU void ChooseExperts(const TopKArgs& args, int64_t token) {
  const int first = LaneId() * kSlots;
  int32_t keys[kSlots];
  for (int i = 0; i < kSlots; ++i) {
    const int expert = first + i;
    keys[i] =
        expert < args.num_experts ? Key(args.scores[token * args.num_experts + expert]) : kTaken;
  }
  int mine = 0, of_mine = 0;
  for (int place = 0; place < args.top_k; ++place) {
    int best = 0;
    int32_t key = keys[0];
    for (int i = 1; i < kSlots; ++i) {
      best = keys[i] > key ? i : best;
      key = keys[i] > key ? keys[i] : key;
    }
    const int largest = WaveMax(key), winner = FirstLane(Ballot(key == largest));
    const int expert = FromLane(first + best, winner);
    if (LaneId() == place) mine = expert, of_mine = largest;
    for (int i = 0; i < kSlots; ++i) keys[i] = first + i == expert ? kTaken : keys[i];
  }
  // The first lane has the largest score.
  const float largest = ScoreOf(FromLane(of_mine, 0));
  const float power = LaneId() < args.top_k ? Exp(ScoreOf(of_mine) - largest) : 0;
  float sum = power;
  for (int mask = kWaveSize / 2; mask > 0; mask /= 2) sum += FromOther(sum, mask);
  if (LaneId() < args.top_k) {
    args.chosen[token * args.top_k + LaneId()] = mine;
    args.weights[token * args.top_k + LaneId()] = power / sum;
  }
}

JAXGEMM_GPU void ChooseExperts(const TopKArgs& args) {
  constexpr int kWaves = kTopKThreads / kWaveSize;
  const int64_t token = int64_t{WorkgroupId()} * kWaves + WaveId();
  if (token >= args.tokens) return;
  const int slots = (args.num_experts + kWaveSize - 1) / kWaveSize;
  if (slots <= 1) return ChooseExperts<1>(args, token);
  if (slots <= 2) return ChooseExperts<2>(args, token);
  if (slots <= 4) return ChooseExperts<4>(args, token);
  if (slots <= 8) return ChooseExperts<8>(args, token);
  ChooseExperts<kMostTopKExperts / kWaveSize>(args, token);
}

}  // namespace jaxgemm
