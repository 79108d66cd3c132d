// The reasons of a plan, for explain(). jaxgemm/explain/planned.py adds those
// of copies and shardings.
#include <utility>

#include "plan/amd/model.h"
#include "plan/amd/path.h"
#include "plan/hopper/tma.h"
#include "plan/plan.h"
#include "sm90/forms.h"
#include "spec/text.h"

namespace jaxgemm {
namespace {

// Why a GPU kernel loads an operand element by element, which is slower, or "". Else it loads 16
// bytes at a time, which needs lines of a multiple of 16 bytes, and on Hopper a layout that TMA
// reads.
std::string WhyLoadedByElement(const Problem& p, bool is_lhs, const GpuInstance& instance,
                               KernelForm form) {
  constexpr int64_t kVectorBytes = 16;
  const int64_t contracting = is_lhs ? p.lhs_contracting : p.rhs_contracting;
  const DType dtype = is_lhs ? p.lhs_dtype : p.rhs_dtype;
  const int64_t size = contracting == 1 ? p.k : is_lhs ? p.m : p.num_columns();
  const std::string dimension = contracting == 1 ? "k" : is_lhs ? "m" : "n";
  const std::string operand = is_lhs ? "lhs" : "rhs", end = ": loads by element, slower";
  if (size / PackedElements(dtype) * Bytes(dtype) % kVectorBytes != 0) {
    return dimension + "=" + Str(size) + ": the rows of " + operand +
           " are not a multiple of 16 bytes long" + end;
  }
  const bool by_registers = (LhsInRegisters(instance) && is_lhs != instance.transposed) ||
                            (RhsInRegisters(instance, form) && !is_lhs);
  const Tma tma(p);
  if (instance.family != Family::kHopper || by_registers ||
      (is_lhs ? tma.reads_lhs : tma.reads_rhs)) {
    return "";
  }
  if (p.ragged == Ragged::kM && contracting == 0 && Bytes(dtype) == 2) {
    return (is_lhs ? "k is not the last dimension of lhs, and groups begin at any of its rows"
                   : "the up projection begins at column " + Str(p.n) + " of rhs") +
           std::string("; TMA begins at multiples of 16 bytes") + end;
  }
  return "k is not the last dimension of " + operand + ", which is " + Str(Name(dtype)) +
         "; TMA reads this layout only of 16-bit operands" + end;
}

// What explain says of a form that stores in this way. "": nothing.
std::string ReasonOf(FormStore store) {
  switch (store) {
#define JAXGEMM_STORE(id, reason) \
  case FormStore::id: return reason;
#include "sm90/forms.def"
#undef JAXGEMM_STORE
  }
  return "";
}

// How the predicted time changes if workgroups claim the same tiles in the other way: by stealing
// instead of a fixed stride, or by a fixed stride. "" if there is no such candidate, or no time.
std::string OfOtherClaim(const std::vector<Candidate>& candidates, const Chip& chip) {
  const Choice& c = candidates.front().plan.choice;
  if (chip.family() != Family::kAmd) return "";
  for (const Candidate& other : candidates) {
    const Choice& its = other.plan.choice;
    if (its.kernel != c.kernel || its.cut_tiles > 0) continue;
    if ((its.num_queues > 0) == (c.num_queues > 0)) continue;
    auto us = [](const Candidate& each) { return Fixed1(each.cost / each.margin) + " us"; };
    return " (predicted: " + us(candidates.front()) +
           (c.num_queues > 0 ? ", at a fixed stride " : ", by stealing ") + us(other) + ")";
  }
  return "";
}

}  // namespace

std::vector<std::string> Reasons(const Listing& listing, const Config& asked, const Chip& chip) {
  const Problem& p = listing.problem;
  const Candidate& chosen = listing.kernels.front();
  const Plan& plan = chosen.plan;
  const Choice& c = plan.choice;
  std::vector<std::string> reasons;
  auto say = [&reasons](std::string reason) { reasons.push_back(std::move(reason)); };
  // Of groups the most that there can be.
  const int64_t tiles =
      p.grouped() && chip.family() == Family::kAmd && c.path == KernelPath::kOneTile
          ? MostTilesOfGroups(p, *plan.instance)
          : plan.grid.num_tiles();
  if (c.transposed) {
    say("out has few " + Str(p.n < p.m ? "columns" : "rows") +
        ": the kernel computes out^T = rhs^T lhs^T, without copies, so its own tile is " +
        Str(c.tile_m) + "x" + Str(c.tile_n));
  }
  if (c.path == KernelPath::kSmall) {
    say("each product of the batch is small: one after the other is multiplied, and nothing is "
        "packed");
  } else if (c.path == KernelPath::kFewRows) {
    say("few rows: the kernel reads the larger operand in place, and does not pack it");
  }
  if (asked.same_rows) {
    say("deterministic='rows': no tile is cut along k" +
        std::string(chip.gpu() ? ", and no waves divide it" : ", and every tile packs rhs") +
        ", so that a row has the same bits whatever the other rows are");
  }
  say("tile " + Str(c.out_tile_m()) + "x" + Str(c.out_tile_n()) + "x" + Str(c.tile_k) + ": " +
      Str(tiles) + (tiles == 1 ? " tile of " : " tiles of ") + Str(plan.grid.tiles_k) + " k tiles");
  if (chip.family() == Family::kAmd && plan.instance->waves_k > 1) {
    say("the waves of a workgroup divide k, and load their parts straight to registers");
  }
  if (p.block_k > 0) {
    say("the sum over each " + Str(p.block_k) +
        " of k is multiplied by the scales of its blocks and added to float32 accumulators");
  }
  if (plan.instance) {
    for (bool is_lhs : {true, false}) {
      std::string reason = WhyLoadedByElement(p, is_lhs, *plan.instance, c.form);
      if (!reason.empty()) say(std::move(reason));
    }
  }
  if (plan.instance && RhsInRegisters(*plan.instance, c.form)) {
    say("k is not the last dimension of rhs: the tensor cores get it through registers, so it is "
        "not copied");
  }
  // cluster_m and cluster_n count tiles of out^T if the kernel computes that.
  if ((c.transposed ? c.cluster_m : c.cluster_n) > 1) {
    say("two CTAs of a cluster have tiles of the same rows of out: each loads half of these rows "
        "of lhs for both");
  }
  if ((c.transposed ? c.cluster_n : c.cluster_m) > 1) {
    say("two CTAs of a cluster have tiles of the same columns of out: each loads half of these "
        "columns of rhs for both");
  }
  if (c.cluster_k > 1) {
    if (asked.schedule == Schedule::kAuto) {
      say("stream_k: whole tiles are too few to occupy all multiprocessors");
    }
    say("stream_k: each tile is cut along k among " + Str(c.cluster_k) +
        " CTAs, a cluster, which add up in shared memory (the same bits on every run)");
  } else if (c.cut_tiles > 0) {
    if (asked.schedule == Schedule::kAuto) {
      say("stream_k: by estimate cut tiles are faster, because the last round has fewer tiles than "
          "there are workgroups");
    }
    say("stream_k: the last " + Str(c.cut_tiles) + " of " + Str(tiles) +
        " tiles are cut along k into " + Str(c.num_shares) + " shares, summed by '" +
        Str(Name(c.reduction)) + "'" +
        (c.reduction == Reduction::kAtomic ? " (not reproducible)"
                                           : " (the same bits on every run)"));
    if (chosen.fewer_shares) {
      say("fewer shares keep the workspace under its cap of " + Str(kWorkspaceCapMiB) + " MiB");
    }
  } else if (chosen.whole_is_faster) {
    say("stream_k: by estimate whole tiles take no longer than cut ones, whose partial sums have "
        "to be added up: runs whole tiles");
  } else if (asked.schedule == Schedule::kStreamK || c.schedule == Schedule::kStreamK) {
    const std::string whole = "runs whole tiles";
    if (p.grouped() && c.schedule == Schedule::kStreamK) {
      say("stream_k: the kernel cuts the last tiles along k, when it has read the groups' sizes, "
          "into at most " +
          Str(c.num_shares) + " shares");
    } else if (tiles == 0) {
      say("stream_k: there are no tiles to cut: " + whole);
    } else if (plan.grid.tiles_k < 2) {
      say("stream_k: a tile has one k tile, which is not cut: " + whole);
    } else if (chosen.last_round > 0) {
      say("stream_k: k=" + Str(p.k) + " is too short for the " + Str(chosen.last_round) +
          (chosen.last_round == 1 ? " tile" : " tiles") +
          " of the last round to be worth cutting: " + whole);
    } else {
      say("stream_k: the tiles fill whole rounds of " + Str(c.num_workgroups) +
          " workgroups, and there is nothing to cut: " + whole);
    }
  } else if (asked.schedule == Schedule::kAuto) {
    const std::string times = OfOtherClaim(listing.kernels, chip);
    say(c.schedule == Schedule::kWorkStealing
            ? "work_stealing: more tiles than workgroups, which may run at different speeds" + times
        : c.path == KernelPath::kOneTile && p.grouped()
            ? "persistent: a workgroup for each tile that the groups may have; it finds its tile "
              "by the groups' sizes, which takes less time than to claim it" +
                  times
        : tiles > c.num_workgroups
            ? "persistent: tiles at a fixed stride; to steal them takes longer, because counters "
              "are zeroed first" +
                  times
        : chip.family() == Family::kAmd && tiles > AtOnce(*plan.instance, chip)
            ? "persistent: a workgroup for each tile, of which " +
                  Str(AtOnce(*plan.instance, chip)) +
                  " run at the same time; the hardware starts the next one where one ends, which "
                  "takes less time than to claim a tile" +
                  times
            : "persistent: no more tiles than workgroups");
  }
  if (p.tiles_per_chunk > 0) {
    say("chunks of " + Str(p.tiles_per_chunk) + " tile rows, " + Str(p.tiles_per_chunk * c.tile_m) +
        " rows, are waited for" +
        (p.pivot ? " from tile row " + Str(p.pivot) + " round" : " from the first on"));
    if (c.order_at_launch) {
      say("if all chunks have arrived when the kernel starts, " + Str(int64_t{plan.grid.group_m}) +
          " tile rows are visited together, for the cache; else " + Str(p.tiles_per_chunk) +
          ", so that its first tiles need only the first chunk");
    }
  }
  // What a plain form does depends on the product, too (HasOnlyVectors).
  const FormStore store = !IsPlain(c.form)  ? StoreOf(c.form)
                          : p.has_vectors() ? FormStore::kVectors
                                            : FormStore::kCast;
  if (!ReasonOf(store).empty()) say(ReasonOf(store));
  if (IsPingPong(c.form, c.tile_n)) {
    say("ping-pong: a CTA's two warpgroups take turns, each with a tile of its own: one stores "
        "while the other multiplies");
  }
  if (IsFewRows(c.form)) {
    say("few rows: a form of the kernel for groups of few rows, which takes as long as rhs is read; "
        "it loads no more rows of lhs than the group has");
  }
  if (IsMx(c.form)) {
    say("mx: the matrix instruction multiplies by the scales of the MX format, one for each 32 k");
  }
  say(Str(c.num_workgroups) + (c.num_workgroups == 1 ? " workgroup" : " workgroups") +
      (c.num_queues ? ", " + Str(c.num_queues) + " queues to steal from" : ", fixed stride"));
  return reasons;
}

}  // namespace jaxgemm
