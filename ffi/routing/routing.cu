// The kernels of a mixture of experts, but for its products, in one code object. This file is
// compiled as HIP, too.
#include "routing/columns.h"
#include "routing/gated_gradient.h"
#include "routing/quantize.h"
#include "routing/rows.h"
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

#define JAXGEMM_GATED_GRADIENT(type, dtype, resident)                 \
  JAXGEMM_GPU_KERNEL(jaxgemm::kGatedThreads, resident)                \
  jaxgemm_gated_gradient_##type(jaxgemm::PlacedGatedArgs args) {      \
    JAXGEMM_SHARED jaxgemm::GatedShared shared;                       \
    jaxgemm::StoreGatedGradient<jaxgemm::DType::dtype>(args, shared); \
  }
// With one workgroup more they spill.
JAXGEMM_GATED_GRADIENT(float32, kF32, 6)
JAXGEMM_GATED_GRADIENT(float16, kF16, 5)
JAXGEMM_GATED_GRADIENT(bfloat16, kBF16, 5)
#undef JAXGEMM_GATED_GRADIENT

#define JAXGEMM_QUANTIZE(name, Row, type, dtype)                                                \
  JAXGEMM_GPU_KERNEL(jaxgemm::kQuantizeThreads)                                                 \
  jaxgemm_##name##_##type(jaxgemm::QuantizeArgs args) {                                         \
    using namespace jaxgemm;                                                                    \
    JAXGEMM_SHARED Float8Shared shared;                                                         \
    if (args.out.e5m2) return QuantizeRow<DType::dtype, E5M2, Row<DType::dtype>>(args, shared); \
    QuantizeRow<DType::dtype, E4M3, Row<DType::dtype>>(args, shared);                           \
  }
JAXGEMM_QUANTIZE(quantize_rows, GivenRow, float32, kF32)
JAXGEMM_QUANTIZE(quantize_rows, GivenRow, float16, kF16)
JAXGEMM_QUANTIZE(quantize_rows, GivenRow, bfloat16, kBF16)
JAXGEMM_QUANTIZE(quantize_hidden, HiddenRow, float32, kF32)
JAXGEMM_QUANTIZE(quantize_hidden, HiddenRow, float16, kF16)
JAXGEMM_QUANTIZE(quantize_hidden, HiddenRow, bfloat16, kBF16)
#undef JAXGEMM_QUANTIZE

#define JAXGEMM_QUANTIZE_COLUMNS(type, dtype)                                \
  JAXGEMM_GPU_KERNEL(jaxgemm::kColumnsThreads)                               \
  jaxgemm_quantize_columns_##type(jaxgemm::ColumnsArgs args) {               \
    using namespace jaxgemm;                                                 \
    JAXGEMM_SHARED ColumnsShared shared;                                     \
    if (args.e5m2) return QuantizeColumns<DType::dtype, E5M2>(args, shared); \
    QuantizeColumns<DType::dtype, E4M3>(args, shared);                       \
  }
JAXGEMM_QUANTIZE_COLUMNS(float32, kF32)
JAXGEMM_QUANTIZE_COLUMNS(float16, kF16)
JAXGEMM_QUANTIZE_COLUMNS(bfloat16, kBF16)
#undef JAXGEMM_QUANTIZE_COLUMNS

JAXGEMM_GPU_KERNEL(jaxgemm::kRowsThreads) jaxgemm_gather_rows(jaxgemm::GatherArgs args) {
  jaxgemm::GatherRows(args);
}

#define JAXGEMM_QUANTIZED_GRADIENT(type, dtype)                                 \
  JAXGEMM_GPU_KERNEL(jaxgemm::kGatedThreads)                                    \
  jaxgemm_quantized_gradient_##type(jaxgemm::QuantizedGatedArgs args) {         \
    using namespace jaxgemm;                                                    \
    JAXGEMM_SHARED GatedShared shared;                                          \
    JAXGEMM_SHARED Float8Shared of_scales;                                      \
    if (args.out.e5m2) {                                                        \
      StoreQuantizedGatedGradient<DType::dtype, E5M2>(args, shared, of_scales); \
    } else {                                                                    \
      StoreQuantizedGatedGradient<DType::dtype, E4M3>(args, shared, of_scales); \
    }                                                                           \
  }
JAXGEMM_QUANTIZED_GRADIENT(float32, kF32)
JAXGEMM_QUANTIZED_GRADIENT(float16, kF16)
JAXGEMM_QUANTIZED_GRADIENT(bfloat16, kBF16)
#undef JAXGEMM_QUANTIZED_GRADIENT
