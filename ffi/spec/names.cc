#include "spec/names.h"

#include "sm90/forms.h"

namespace jaxgemm {
namespace {

struct DTypeInfo {
  int64_t bytes;
  bool is_operand, is_out;
};
constexpr DTypeInfo kDTypes[] = {
#define JAXGEMM_DTYPE(id, name, xla, bytes, is_operand, is_out) {bytes, is_operand, is_out},
#include "spec/instances.def"
#undef JAXGEMM_DTYPE
};
constexpr std::string_view kDTypeNames[] = {
#define JAXGEMM_DTYPE(id, name, xla, bytes, is_operand, is_out) name,
#include "spec/instances.def"
#undef JAXGEMM_DTYPE
};
constexpr std::string_view kActivations[] = {
    "none",
#define JAXGEMM_ACTIVATION(id, name, function) name,
#include "spec/instances.def"
#undef JAXGEMM_ACTIVATION
};
constexpr std::string_view kReductions[] = {"linear", "tree", "atomic"};
constexpr std::string_view kPaths[] = {"tiles", "one_tile", "few_rows", "small", "packed"};
constexpr std::string_view kRagged[] = {"none", "m", "k"};
constexpr std::string_view kQuantizeOuts[] = {"none", "block", "mx"};
constexpr std::string_view kForms[] = {
#define JAXGEMM_FORM(id, name, ...) name,
#include "sm90/forms.def"
#undef JAXGEMM_FORM
};
constexpr std::string_view kSchedules[] = {
#define JAXGEMM_SCHEDULE(id, name) name,
#include "spec/instances.def"
#undef JAXGEMM_SCHEDULE
};

const DTypeInfo& Info(DType dtype) { return kDTypes[static_cast<size_t>(dtype)]; }

}  // namespace

#define JAXGEMM_NAMES(type, names)                  \
  template <>                                       \
  std::span<const std::string_view> Names<type>() { \
    return names;                                   \
  }
JAXGEMM_NAMES(DType, kDTypeNames)
JAXGEMM_NAMES(Activation, kActivations)
JAXGEMM_NAMES(Reduction, kReductions)
JAXGEMM_NAMES(KernelPath, kPaths)
JAXGEMM_NAMES(Ragged, kRagged)
JAXGEMM_NAMES(QuantizeOut, kQuantizeOuts)
JAXGEMM_NAMES(KernelForm, kForms)
JAXGEMM_NAMES(Schedule, kSchedules)
#undef JAXGEMM_NAMES

int64_t Bytes(DType dtype) { return Info(dtype).bytes; }
bool IsOperand(DType dtype) { return Info(dtype).is_operand; }
bool IsOut(DType dtype) { return Info(dtype).is_out; }
bool IsInteger(DType dtype) { return dtype == DType::kS8 || dtype == DType::kS32; }
bool IsF8(DType dtype) { return Bytes(dtype) == 1 && !IsInteger(dtype) && !IsF4(dtype); }
bool IsF4(DType dtype) { return PackedElements(dtype) == 2; }

}  // namespace jaxgemm
