// What the kernels of a routing table get.
//
// A mixture of experts sends each token to several experts, its choices. The table sorts the
// choices by expert, so that the products of the experts read rows: row i is for expert experts[i],
// and belongs to choice[i]. It is stable: an expert's rows are in the order of their choices.
#pragma once

#include <cstdint>

#include "spec/types.h"

namespace jaxgemm {

inline constexpr int kRoutingThreads = 512;
// In a workgroup each expert has a thread.
inline constexpr int kMostRoutedExperts = kRoutingThreads;

// Arrays of a batch follow one another.
struct RoutingArgs {
  const int32_t* chosen;  // [choices]: experts. Other numbers stand for the nearest expert.
  int32_t* group_sizes;   // [num_experts]: the rows of each expert
  int32_t* experts;       // [choices]: the expert of each row, ascending
  int32_t* choice;        // [choices]: the choice of each row
  int32_t* row;           // [choices]: the row of each choice
  int32_t* counts;        // [workgroups, num_experts]: the rows of each workgroup's choices
  int32_t choices, num_experts;
  // Workgroup w of a batch has the choices from w * part to (w + 1) * part, a multiple of
  // kRoutingThreads. A workgroup that is alone needs no `counts`.
  int32_t workgroups, part;

  JAXGEMM_DEVICE RoutingArgs OfBatch(int64_t batch) const {
    RoutingArgs args = *this;
    args.chosen += batch * choices;
    args.group_sizes += batch * num_experts;
    args.experts += batch * choices;
    args.choice += batch * choices;
    args.row += batch * choices;
    args.counts += batch * workgroups * num_experts;
    return args;
  }
};

}  // namespace jaxgemm
