// The host kernel, generic in the vector width and in the arithmetic (an `Ops` of ops.h).
// Included by each translation unit that implements an instruction set, after it has
// defined JAXGEMM_VECTOR_BYTES and JAXGEMM_TILE_ROWS.
#pragma once

#include "host/few_rows.h"
#include "host/kernel.h"
#include "host/packing.h"
#include "host/panels.h"
#include "host/small.h"
#include "host/store.h"

namespace jaxgemm {
namespace {

template <class Ops>
constexpr decltype(HostKernel::promote) kPromote = nullptr;
template <class Ops>
  requires(__is_same(typename Ops::Acc, float))
constexpr decltype(HostKernel::promote) kPromote<Ops> = Promote;

template <class Ops>
constexpr decltype(HostKernel::multiply_in_place) kMultiplyInPlace = nullptr;
template <>
constexpr decltype(HostKernel::multiply_in_place) kMultiplyInPlace<FloatOps> =
    MultiplyInPlace<FloatOps>;

template <class Ops>
constexpr decltype(HostKernel::multiply_small) kMultiplySmall = nullptr;
template <class Ops>
  requires(__is_same(typename Ops::Acc, float))
constexpr decltype(HostKernel::multiply_small) kMultiplySmall<Ops> = MultiplySmall<Ops>;

template <class Ops>
constexpr HostKernel MakeHostKernel(const char* name, Math math, int block_k) {
  return {name,
          math,
          block_k,
          PackA<Ops>,
          PackB<Ops>,
          Multiply<Ops>,
          kMultiplyInPlace<Ops>,
          MultiplyFewRows<Ops>,
          kMultiplySmall<Ops>,
          kPromote<Ops>,
          StoreTile<typename Ops::Acc>};
}

}  // namespace
}  // namespace jaxgemm
