// The ring of stages in shared memory, through which warps that load pass weights, rows of x and
// scales to those that multiply: its layout, and its barriers.
#pragma once

#include <cstdint>

#include "weights/few_rows_args.h"

#define JAXGEMM_FEW __device__ __forceinline__

namespace jaxgemm {

template <bool kE2M1, FewForm kForm>
class FewStages {
 public:
  static constexpr int kRows = kForm.rows(), kSteps = kForm.stage_steps();
  static constexpr int kScaleBytes = kE2M1 ? 1 : 4;
  // Where the parts of a stage begin. The first one has the weights.
  static constexpr int kX = kForm.WeightBytes(), kScales = kX + kForm.XBytes();
  static constexpr int kBytes = kForm.StageBytes(kE2M1);
  // The chunks of 16 bytes in a row of weights. Rows of x are in pieces of kXPiece chunks.
  static constexpr int kChunks = kForm.columns / 32, kXChunks = kSteps * kFewStep / 8;
  static constexpr int kXPiece = 8;
  static_assert(kXChunks % kXPiece == 0 && kBytes % 128 == 0 && kX % 128 == 0);
  static_assert(!kForm.wgmma() || (kX % 1024 == 0 && kBytes % 1024 == 0));

  explicit JAXGEMM_FEW FewStages(char* shared) : shared_(Address(shared)) {}

  static JAXGEMM_FEW uint32_t Address(const void* p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
  }
  // The address of the first stage.
  JAXGEMM_FEW uint32_t shared() const { return shared_; }

  // The chunk of a row where lanes find its chunk i, so that the rows that they read at the same
  // time are in different banks.
  static JAXGEMM_FEW int Place(int row, int i) { return i ^ (row % 8); }
  static JAXGEMM_FEW int PlaceOfWeights(int k, int chunk) {
    // Two rows of four chunks share the banks.
    return (k * kChunks + (kChunks < 8 ? chunk ^ (k / 2 % 4) : Place(k, chunk))) * 16;
  }
  static JAXGEMM_FEW int PlaceOfX(int row, int chunk) {
    const int piece = chunk / kXPiece, i = chunk % kXPiece;
    return kX + ((piece * kRows + row) * kXPiece + Place(row, i)) * 16;
  }

  // Called by all threads, before the others.
  JAXGEMM_FEW void StartBarriers() const {
    if (threadIdx.x == 0) {
      for (int i = 0; i < kForm.stages; ++i) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(Full(i)), "n"(kFewCopiers)
                     : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(Empty(i)), "n"(kFewWarps)
                     : "memory");
      }
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
  }

  // Warps that load and those that multiply take the same stages, one after the other. These are
  // the address of the present one, from the first one on, and what a thread does with it.
  JAXGEMM_FEW uint32_t from() const { return slot_ * kBytes; }
  JAXGEMM_FEW void WaitUntilFull() const { Wait(Full(slot_), parity_); }
  JAXGEMM_FEW void WaitUntilEmpty() const { Wait(Empty(slot_), parity_ ^ 1); }
  // The stage is full when all copies that these threads have begun are there.
  JAXGEMM_FEW void FillAndNext() {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(Full(slot_)) : "memory");
    Next();
  }
  JAXGEMM_FEW void EmptyAndNext() {
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(Empty(slot_)) : "memory");
    }
    Next();
  }

 private:
  JAXGEMM_FEW uint32_t Full(int stage) const {
    return shared_ + kForm.RingBytes(kE2M1) + stage * 8;
  }
  JAXGEMM_FEW uint32_t Empty(int stage) const { return Full(kForm.stages + stage); }
  static JAXGEMM_FEW void Wait(uint32_t barrier, uint32_t parity) {
    asm volatile(
        "{\n.reg .pred done;\nWAIT:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra WAIT;\n}" ::"r"(barrier),
        "r"(parity)
        : "memory");
  }
  JAXGEMM_FEW void Next() {
    if (++slot_ == kForm.stages) slot_ = 0, parity_ ^= 1;
  }

  const uint32_t shared_;
  int slot_ = 0;
  uint32_t parity_ = 0;
};

// Keeps a value in a register. The compiler would compute addresses again in each stage.
template <class T>
JAXGEMM_FEW T FewKept(T value) {
  asm volatile("" : "+r"(value));
  return value;
}

}  // namespace jaxgemm
