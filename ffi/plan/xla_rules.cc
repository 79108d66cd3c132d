#include "plan/xla_rules.h"

#include <algorithm>
#include <utility>

#include "host/large_pages.h"
#include "spec/text.h"

namespace jaxgemm {
namespace {

// What the conditions of xla_rules.def ask about a product.
struct XlaFacts {
  XlaFacts(const Problem& problem, const Relayout& relayout)
      : p(problem),
        lhs_bytes(Bytes(p.lhs_dtype)),
        num_out(Double(p.batch) * Double(p.m) * Double(p.n)),
        out_bytes(Double(Bytes(p.out_dtype))),
        operations(2 * num_out * Double(p.k)),
        has_epilogue(p.has_vectors() || p.activation != Activation::kNone),
        has_vector(p.m == 1 || p.n == 1),
        is_f32(p.lhs_dtype == DType::kF32 && p.rhs_dtype == DType::kF32),
        is_bf16(IsF32OrBF16(p.lhs_dtype) && IsF32OrBF16(p.rhs_dtype) && !is_f32),
        k_lies_outside(p.lhs_contracting == 0 && p.rhs_contracting == 1),
        has_short_k_of_others(p.lhs_dtype != DType::kS8 && p.lhs_dtype != DType::kF32 &&
                              !(lhs_bytes == 2 && p.out_dtype == DType::kF32)),
        is_reduction(p.batch == 1 && ((p.n == 1 && p.lhs_contracting == 1) ||
                                      (p.m == 1 && p.rhs_contracting == 1))),
        transposes(relayout.lhs_contracting != p.lhs_contracting ||
                   relayout.rhs_contracting != p.rhs_contracting),
        copies_lhs(relayout.CopiesLhs(p)),
        copies_rhs(relayout.CopiesRhs(p)),
        tma_reads_operands(TmaReadsLhs(p) && TmaReadsRhs(p)),
        tma_stores_out(TmaStoresOut(p)) {}

  static double Double(int64_t value) { return static_cast<double>(value); }
  static bool IsF32OrBF16(DType dtype) { return dtype == DType::kF32 || dtype == DType::kBF16; }

  bool lhs_is(DType dtype) const { return p.lhs_dtype == dtype; }
  bool out_is(DType dtype) const { return p.out_dtype == dtype; }

  const Problem& p;
  int64_t lhs_bytes;  // of an element
  double num_out, out_bytes, operations;
  bool has_epilogue, has_vector;
  bool is_f32, is_bf16;  // both float32; else one or both bfloat16
  // k is the first of lhs's dimensions and the last of rhs's.
  bool k_lies_outside;
  bool has_short_k_of_others;  // Hopper's rules short_k_* for one dtype are not for this product
  // An operand is a vector, and a reduction reads it and the k-contiguous matrix as they are.
  bool is_reduction;
  bool transposes, copies_lhs, copies_rhs;  // what Hopper's kernels need before the call
  bool tma_reads_operands, tma_stores_out;
};

struct Rule {
  XlaRule said;
  double a, b;
  bool (*holds)(const XlaFacts& f, double a, double b);
};

// The text with the limits in place of {a} and {b}.
std::string Filled(std::string text, double a, double b) {
  for (auto [name, limit] : {std::pair{"{a}", a}, std::pair{"{b}", b}}) {
    const size_t at = text.find(name);
    if (at != std::string::npos) text.replace(at, 3, Str(static_cast<int64_t>(limit)));
  }
  return text;
}

const std::vector<Rule>& Rules() {
  static const std::vector<Rule> rules = {
#define JAXGEMM_XLA_RULE(target, name, first, second, condition, products, sentence, evidence) \
  Rule{{#target, #name, Filled(products, first, second), Filled(sentence, first, second),      \
        evidence},                                                                             \
       static_cast<double>(first),                                                             \
       static_cast<double>(second),                                                            \
       [](const XlaFacts& f, [[maybe_unused]] double a, [[maybe_unused]] double b) -> bool {   \
    return condition;                                                                          \
  }},
#include "plan/xla_rules.def"
#undef JAXGEMM_XLA_RULE
  };
  return rules;
}

}  // namespace

std::vector<XlaRule> XlaRules() {
  std::vector<XlaRule> said;
  for (const Rule& rule : Rules()) said.push_back(rule.said);
  return said;
}

std::string WhyFasterByXla(const Problem& p, const Config& c, const Chip& chip,
                           const Relayout& relayout) {
  const bool asked = c.schedule != Schedule::kAuto || c.tile_m || c.tile_n || c.tile_k ||
                     c.num_workgroups || c.group_m || c.num_queues || c.num_shares ||
                     !c.kernel.empty();
  if (asked || p.ragged != Ragged::kNone || p.tiles_per_chunk > 0) return "";
  const XlaFacts facts(p, relayout);
  // For k = 1 the caller has its own rule: prefers_xla in jaxgemm/fallback.py.
  if (facts.operations == 0 || p.k == 1) return "";
  for (const Rule& rule : Rules()) {
    if (rule.said.target == chip.target && rule.holds(facts, rule.a, rule.b)) {
      return rule.said.sentence;
    }
  }
  return "";
}

}  // namespace jaxgemm
