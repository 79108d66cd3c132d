// The kernels of a mixture's routing, in one code object. This file is compiled as HIP, too.
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
