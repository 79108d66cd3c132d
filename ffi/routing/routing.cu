// The kernels of a mixture of experts, but for its products, in one code object. This file is
// compiled as HIP, too.
#include "routing/gated_gradient.h"
#include "routing/table.h"
#include "routing/top_k.h"

JAXGEMM_GPU_KERNEL(jaxgemm::kTableThreads) jaxgemm_routing_counts(jaxgemm::TableArgs args) {
  JAXGEMM_SHARED jaxgemm::TableShared shared;
  jaxgemm::StoreCounts(args, shared);
}

JAXGEMM_GPU_KERNEL(jaxgemm::kTableThreads) jaxgemm_routing_table(jaxgemm::TableArgs args) {
  JAXGEMM_SHARED jaxgemm::TableShared shared;
  jaxgemm::StoreTable(args, shared);
}

JAXGEMM_GPU_KERNEL(jaxgemm::kTopKThreads) jaxgemm_top_k(jaxgemm::TopKArgs args) {
  jaxgemm::ChooseExperts(args);
}

#define JAXGEMM_GATED_GRADIENT(type, dtype)                           \
  JAXGEMM_GPU_KERNEL(jaxgemm::kGatedThreads)                          \
  jaxgemm_gated_gradient_##type(jaxgemm::GatedArgs args) {            \
    JAXGEMM_SHARED jaxgemm::GatedShared shared;                       \
    jaxgemm::StoreGatedGradient<jaxgemm::DType::dtype>(args, shared); \
  }
JAXGEMM_GATED_GRADIENT(float32, kF32)
JAXGEMM_GATED_GRADIENT(float16, kF16)
JAXGEMM_GATED_GRADIENT(bfloat16, kBF16)
#undef JAXGEMM_GATED_GRADIENT
