// The Hopper (sm_90a) instructions that kernels use: barriers in shared memory (mbarrier), TMA,
// clusters. Each function has the name of its PTX instruction or special register, as PTX ISA 9.0
// defines them; those of TMA are named after what the instruction cp.async.bulk.tensor does.
#pragma once

#include <cstdint>

#include "sm90/launch_args.h"

#define JAXGEMM_SM90 __device__ __forceinline__

namespace jaxgemm {

inline constexpr int kWarpSize = 32, kWarpgroupSize = 128;

// The thread's id, which is read again at each call. Else the compiler would keep everything that
// depends on it in registers that the accumulators need, from one work tile to the next.
JAXGEMM_SM90 int ThreadId() {
  int id;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(id));
  return id;
}
// Tells the compiler that x is the same in all lanes, and keeps it from computing x again.
JAXGEMM_SM90 uint32_t WarpUniform(uint32_t x) { return __shfl_sync(~0u, x, 0); }
// True in one lane of a whole warp, always the same one. The compiler can tell that it is a single
// lane, so it emits TMA instructions without a loop over lanes.
JAXGEMM_SM90 bool ElectSync() {
  uint32_t elected;
  asm volatile(
      "{\n.reg .pred p;\n"
      "elect.sync _|p, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, p;\n}"
      : "=r"(elected));
  return elected != 0;
}
JAXGEMM_SM90 int ElectSyncLane() {
  int lane;
  asm volatile("{\n.reg .pred p;\nelect.sync %0|p, 0xffffffff;\n}" : "=r"(lane));
  return lane;
}

// x / y for x below 2**20, in fewer instructions than a division.
JAXGEMM_SM90 int Div20Bits(int x, int y) {
  float reciprocal;  // y is a normal number
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(static_cast<float>(y)));
  return static_cast<int>((static_cast<float>(x) + .5f) * reciprocal);
}

JAXGEMM_SM90 uint32_t SharedAddress(const void* shared) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(shared));
}

// The address of the same place in another CTA of the cluster.
JAXGEMM_SM90 uint32_t Mapa(const void* shared, int rank) {
  uint32_t address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(address)
      : "r"(SharedAddress(shared)), "r"(rank));
  return address;
}

JAXGEMM_SM90 int ClusterCtaRank() {
  int rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

JAXGEMM_SM90 int ClusterNctaRank() {
  int size;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}

// Stores to an address from Mapa, asynchronously: `barrier`, in the same CTA, counts the 16 bytes
// when they have arrived.
JAXGEMM_SM90 void StAsync(uint32_t to, uint4 words, uint32_t barrier) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
      "[%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
      "r"(words.x), "r"(words.y), "r"(words.z), "r"(words.w), "r"(barrier)
      : "memory");
}

// Stores to an address from Mapa, synchronously. ArriveCluster then tells the other CTA that it can
// read.
JAXGEMM_SM90 void StSharedCluster(uint32_t address, int32_t word) {
  asm volatile("st.shared::cluster.s32 [%0], %1;" ::"r"(address), "r"(word) : "memory");
}

// A barrier of all threads of the cluster, in two steps. It orders accesses to barriers only: reads
// before it are done, but writes before it need not be visible after it.
JAXGEMM_SM90 void BarrierClusterArrive() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
JAXGEMM_SM90 void BarrierClusterWait() {
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
JAXGEMM_SM90 void BarrierClusterSync() {
  BarrierClusterArrive();
  BarrierClusterWait();
}

// Waits until the stream's previous kernels have ended and their writes are visible. This kernel
// may start while they still run (programmatic dependent launch).
JAXGEMM_SM90 void GridDependencyWait() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
// Allows the next kernel to start on SMs that are free.
JAXGEMM_SM90 void GridDependencyLaunchDependents() {
  asm volatile("griddepcontrol.launch_dependents;");
}

// A barrier of `threads` threads of the CTA: those that use the same `id`.
JAXGEMM_SM90 void BarSync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Arrives at a named barrier without waiting.
JAXGEMM_SM90 void BarArrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

template <int kRegisters>
JAXGEMM_SM90 void SetMaxRegistersDec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
JAXGEMM_SM90 void SetMaxRegistersInc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

// ------------------------------------------------------------------------------ barriers

// Consecutive barriers, by the address of the first, which stays in a register and is not computed
// again for each of them.
struct MbarrierArray {
  uint32_t first;

  JAXGEMM_SM90 uint32_t At(int i) const { return first + i * 8; }
  JAXGEMM_SM90 void Arrive(int i) const {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(At(i)) : "memory");
  }
  // For barriers with a `first` that is an address from Mapa. This orders only this CTA's accesses.
  // To order those of other CTAs, too, FenceAcqRelCluster must be called before it and after the
  // wait for it.
  JAXGEMM_SM90 void ArriveCluster(int i) const {
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(At(i)) : "memory");
  }
  JAXGEMM_SM90 void ArriveExpectTx(int i, int bytes) const {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(At(i)), "r"(bytes)
                 : "memory");
  }
  // Whether the phase of this parity has ended. TestWait returns at once, TryWait may wait a while.
#define JAXGEMM_MBARRIER_TEST(Name, instruction)          \
  JAXGEMM_SM90 bool Name(int i, uint32_t parity) const {  \
    uint32_t ended;                                       \
    asm volatile("{\n.reg .pred p;\n" instruction         \
                 ".parity.shared::cta.b64 p, [%1], %2;\n" \
                 "selp.u32 %0, 1, 0, p;\n}"               \
                 : "=r"(ended)                            \
                 : "r"(At(i)), "r"(parity)                \
                 : "memory");                             \
    return ended != 0;                                    \
  }
  JAXGEMM_MBARRIER_TEST(TestWait, "mbarrier.test_wait")
  JAXGEMM_MBARRIER_TEST(TryWait, "mbarrier.try_wait")
#undef JAXGEMM_MBARRIER_TEST
  // Waits until the phase of this parity has ended. With JAXGEMM_BOUNDED_WAITS, which is for
  // debugging, a wait that does not end stops the kernel.
  JAXGEMM_SM90 void Wait(int i, uint32_t parity) const {
#if defined(JAXGEMM_BOUNDED_WAITS)
    for (int polls = 0; !TryWait(i, parity);) {
      if (++polls == 1 << 20) __trap();
    }
#else
    while (!TryWait(i, parity)) {
    }
#endif
  }
};

// A barrier in shared memory. A phase ends when there were `arrivals` arrivals and all expected
// bytes have arrived.
struct Mbarrier {
  uint64_t word;

  JAXGEMM_SM90 void Init(int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(SharedAddress(&word)),
                 "r"(arrivals));
  }
  JAXGEMM_SM90 void Arrive() { Row().Arrive(0); }
  // Arrives at this barrier of another CTA.
  JAXGEMM_SM90 void ArriveCluster(int rank) { MbarrierArray{Mapa(&word, rank)}.ArriveCluster(0); }
  JAXGEMM_SM90 void ArriveExpectTx(int bytes) { Row().ArriveExpectTx(0, bytes); }
  JAXGEMM_SM90 void Wait(uint32_t parity) { Row().Wait(0, parity); }

 private:
  JAXGEMM_SM90 MbarrierArray Row() const { return {SharedAddress(&word)}; }
};

// Makes the initialised barriers visible to TMA and the other CTAs.
JAXGEMM_SM90 void FenceMbarrierInit() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
JAXGEMM_SM90 void FenceAcqRelCluster() { asm volatile("fence.acq_rel.cluster;" ::: "memory"); }
// Makes this thread's writes to shared memory visible to TMA and wgmma.
JAXGEMM_SM90 void FenceProxyAsync() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Makes global memory that this thread has acquired visible to TMA.
JAXGEMM_SM90 void FenceProxyAsyncGlobal() {
  asm volatile("fence.proxy.async.global;" ::: "memory");
}

// ----------------------------------------------------------------------------------- TMA

// Prefetches 128 bytes to the L1, or to the L2.
JAXGEMM_SM90 void PrefetchGlobalL1(const void* line) {
  asm volatile("prefetch.global.L1 [%0];" ::"l"(line));
}
JAXGEMM_SM90 void PrefetchGlobalL2(const void* line) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(line));
}

JAXGEMM_SM90 void PrefetchTensorMap(const TensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map));
}

// Loads a box from (x, y, z), x fastest in memory, to shared memory. `barrier` counts its bytes.
JAXGEMM_SM90 void TmaLoad(const TensorMap* map, uint32_t barrier, uint32_t to, int x, int y,
                          int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
      "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z)
      : "memory");
}
// Loads a box to the same place in all CTAs of `mask` (multicast), each with its own barrier.
JAXGEMM_SM90 void TmaLoadMulticast(const TensorMap* map, uint32_t barrier, uint32_t to, int x,
                                   int y, int z, uint16_t mask) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4, %5}], [%2], %6;" ::"r"(to),
      "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "h"(mask)
      : "memory");
}
// Stores a box from shared memory to (x, y, z), as far as it is inside the tensor. TmaStoreWaitRead
// waits for it.
JAXGEMM_SM90 void TmaStore(const TensorMap* map, uint32_t from, int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];\n"
      "cp.async.bulk.commit_group;" ::"l"(map),
      "r"(from), "r"(x), "r"(y), "r"(z)
      : "memory");
}
// As TmaStore, but adds the box's floats to those of the tensor.
JAXGEMM_SM90 void TmaReduceAdd(const TensorMap* map, uint32_t from, int x, int y, int z) {
  asm volatile(
      "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group"
      " [%0, {%2, %3, %4}], [%1];\n"
      "cp.async.bulk.commit_group;" ::"l"(map),
      "r"(from), "r"(x), "r"(y), "r"(z)
      : "memory");
}
// Copies 16 bytes to shared memory, or zeros if `inside` is false: then nothing is read.
JAXGEMM_SM90 void CpAsync16(uint32_t to, const void* from, bool inside) {
  asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "r"(inside ? 16 : 0)
               : "memory");
}
// Arrives at a barrier when all copies of this thread so far are done.
JAXGEMM_SM90 void CpAsyncArrive(uint32_t barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
}
// Waits until TMA has read all but the last kLeft boxes of this thread from shared memory.
template <int kLeft>
JAXGEMM_SM90 void TmaStoreWaitRead() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kLeft) : "memory");
}
JAXGEMM_SM90 void StSharedV2(uint32_t to, float a, float b) {
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(to), "f"(a), "f"(b) : "memory");
}
JAXGEMM_SM90 void StSharedV2(uint32_t to, int32_t a, int32_t b) {
  asm volatile("st.shared.v2.s32 [%0], {%1, %2};" ::"r"(to), "r"(a), "r"(b) : "memory");
}
JAXGEMM_SM90 void StShared(uint32_t to, uint32_t word) {
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(word) : "memory");
}
// Stores four matrices of 8 x 8 16-bit values. Lane l has two neighbours of row l / 4 of each; its
// `to` is the address for row l % 8 of matrix l / 8.
JAXGEMM_SM90 void StMatrixX4(uint32_t to, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
               "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}
// Stores two matrices of 8 x 8 16-bit values, transposed. Lane l has two neighbours of row l / 4 of
// each. `to` of lanes 0 to 15 is the address for column l % 8 of matrix l / 8.
JAXGEMM_SM90 void StMatrixX2Trans(uint32_t to, uint32_t a, uint32_t b) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 [%0], {%1, %2};" ::"r"(to),
               "r"(a), "r"(b)
               : "memory");
}
// Loads four matrices of 8 x 8 16-bit values, transposed. `from` of lane l is the address of row
// l % 8 of matrix l / 8. Lane l gets two neighbours of column l / 4 of each matrix.
JAXGEMM_SM90 void LdMatrixX4Trans(uint32_t from, uint32_t (&pairs)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(pairs[0]), "=r"(pairs[1]), "=r"(pairs[2]), "=r"(pairs[3])
               : "r"(from)
               : "memory");
}
// Converts two floats to 16 bits each, the first in the low half.
JAXGEMM_SM90 uint32_t CvtRnX2(bool bf16, float low, float high) {
  uint32_t pair;
  if (bf16) {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  }
  return pair;
}
// Rounds to float8 (e4m3fn, or e5m2); low is in the low byte. Magnitudes beyond the largest value
// become that value.
JAXGEMM_SM90 uint32_t CvtFloat8X2(bool e5m2, float low, float high) {
  uint16_t pair;
  if (e5m2) {
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  }
  return pair;
}
// Rounds the bits of a float to TF32, as TMA does for wgmma.
JAXGEMM_SM90 uint32_t CvtRnaTf32(uint32_t bits) {
  uint32_t rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "r"(bits));
  return rounded;
}

}  // namespace jaxgemm
