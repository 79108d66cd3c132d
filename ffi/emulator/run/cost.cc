#include "emulator/run/cost.h"

namespace jaxgemm::emulator {

std::string ToJson(const Cost& cost) {
  std::string json = "{";
  auto list = [&](const char* name, const uint64_t (&values)[4]) {
    json.append(", \"").append(name).append("\": [");
    for (int i = 0; i < 4; ++i) json.append(i ? ", " : "").append(std::to_string(values[i]));
    json.append("]");
  };
#define JAXGEMM_COST(name)                 \
  json.append(json.size() > 1 ? ", " : "") \
      .append("\"" #name "\": ")           \
      .append(std::to_string(cost.name));
  JAXGEMM_COSTS(JAXGEMM_COST)
#undef JAXGEMM_COST
  list("simd_matrix_cycles", cost.simd_matrix_cycles);
  list("simd_vector_cycles", cost.simd_vector_cycles);
  return json + "}";
}

}  // namespace jaxgemm::emulator
