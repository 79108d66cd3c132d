#include "plan/xla.h"

#include <string_view>

#include "plan/hopper/tma.h"
#include "spec/names.h"
#include "spec/text.h"

namespace jaxgemm {
namespace {

// What the conditions of xla_rules.def ask about a product.
struct XlaFacts {
  XlaFacts(const Problem& problem, const Relayout& relayout)
      : p(problem),
        lhs_bytes(Bytes(p.lhs_dtype)),
        out_bytes(Bytes(p.out_dtype)),
        operations(2 * Double(p.batch) * Double(p.m) * Double(p.n) * Double(p.k)),
        has_epilogue(p.has_vectors() || p.activation != Activation::kNone),
        has_vector(p.m == 1 || p.n == 1),
        is_f32(p.lhs_dtype == DType::kF32 && p.rhs_dtype == DType::kF32),
        is_bf16(IsF32OrBF16(p.lhs_dtype) && IsF32OrBF16(p.rhs_dtype) && !is_f32),
        is_reduction(p.batch == 1 && ((p.n == 1 && p.lhs_contracting == 1) ||
                                      (p.m == 1 && p.rhs_contracting == 1))),
        transposes(relayout.lhs_contracting != p.lhs_contracting ||
                   relayout.rhs_contracting != p.rhs_contracting),
        copies_lhs(relayout.CopiesLhs(p)),
        copies_rhs(relayout.CopiesRhs(p)),
        tma_stores_out(Tma(p).stores_out) {}

  static double Double(int64_t value) { return static_cast<double>(value); }
  static bool IsF32OrBF16(DType dtype) { return dtype == DType::kF32 || dtype == DType::kBF16; }

  bool lhs_is(DType dtype) const { return p.lhs_dtype == dtype; }

  const Problem& p;
  int64_t lhs_bytes, out_bytes;  // of an element
  double operations;
  bool has_epilogue, has_vector;
  bool is_f32, is_bf16;  // both float32; else one or both bfloat16
  // An operand is a vector, and a reduction reads it and the k-contiguous matrix as they are.
  bool is_reduction;
  bool transposes, copies_lhs, copies_rhs;  // what Hopper's kernels need before the call
  bool tma_stores_out;
};

struct Rule {
  XlaRule said;
  double limit;
  bool (*holds)(const XlaFacts& f, double limit);
};

// The text with the limit in place of {limit}.
std::string Filled(std::string text, double limit) {
  constexpr std::string_view kName = "{limit}";
  const size_t at = text.find(kName);
  if (at != std::string::npos) text.replace(at, kName.size(), Str(static_cast<int64_t>(limit)));
  return text;
}

const std::vector<Rule>& Rules() {
  static const std::vector<Rule> rules = {
#define JAXGEMM_XLA_RULE(target, name, most, condition, products, sentence, evidence) \
  Rule{{#target, #name, Filled(products, most), Filled(sentence, most), evidence},    \
       static_cast<double>(most),                                                     \
       [](const XlaFacts& f, [[maybe_unused]] double limit) -> bool { return condition; }},
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
  // For k = 1 the caller has its own rule: prefers_xla in jaxgemm/call/fallback.py.
  if (facts.operations == 0 || p.k == 1) return "";
  for (const Rule& rule : Rules()) {
    if (rule.said.target == chip.target && rule.holds(facts, rule.limit)) {
      return rule.said.sentence;
    }
  }
  return "";
}

}  // namespace jaxgemm
