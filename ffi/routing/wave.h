// What the lanes of a wave, and the waves of a workgroup, do together: on AMD GPUs, and on
// NVIDIA's, where a wave is a warp of 32 lanes.
#pragma once

#include <cstdint>

#include "kernel/vec4.h"

#if defined(__HIP__)
#include "amdgpu/isa.h"

#define JAXGEMM_SHARED static __attribute__((shared))
#define JAXGEMM_GPU_KERNEL(threads, ...) \
  extern "C" __attribute__((global))     \
  __attribute__((amdgpu_flat_work_group_size(threads, threads))) void

namespace jaxgemm {

using Lanes = uint64_t;  // a bit for each lane of a wave

JAXGEMM_GPU int WorkgroupId() { return __builtin_amdgcn_workgroup_id_x(); }
JAXGEMM_GPU Lanes Ballot(bool vote) { return __builtin_amdgcn_ballot_w64(vote); }
JAXGEMM_GPU int Count(Lanes lanes) { return __builtin_popcountll(lanes); }
JAXGEMM_GPU int FirstLane(Lanes lanes) { return __builtin_ctzll(lanes); }
// The value of a lane that is the same in all lanes.
JAXGEMM_GPU int FromLane(int value, int lane) { return __builtin_amdgcn_readlane(value, lane); }
// The value of the lane whose number differs from this one's in the bits of `mask`.
JAXGEMM_GPU float FromOther(float value, int mask) {
  return __builtin_bit_cast(
      float, __builtin_amdgcn_ds_bpermute(4 * (LaneId() ^ mask), __builtin_bit_cast(int, value)));
}
// The largest value of the wave. In a row of 16 lanes each lane gets the largest of the lanes up to
// itself; then the last lane of a row, or of two rows, is passed on (CDNA3 ISA, DPP).
JAXGEMM_GPU int WaveMax(int value) {
#define JAXGEMM_DPP_MAX(control)     \
  value = __builtin_elementwise_max( \
      value, __builtin_amdgcn_update_dpp(value, value, control, 0xf, 0xf, false))
  constexpr int kRowShift = 0x110, kRowBroadcast15 = 0x142, kRowBroadcast31 = 0x143;
  JAXGEMM_DPP_MAX(kRowShift + 1);
  JAXGEMM_DPP_MAX(kRowShift + 2);
  JAXGEMM_DPP_MAX(kRowShift + 4);
  JAXGEMM_DPP_MAX(kRowShift + 8);
  JAXGEMM_DPP_MAX(kRowBroadcast15);
  JAXGEMM_DPP_MAX(kRowBroadcast31);
#undef JAXGEMM_DPP_MAX
  return FromLane(value, kWaveSize - 1);
}
// The wave's accesses of shared memory before it are done, and visible to its lanes after it.
JAXGEMM_GPU void WaveBarrier() {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront", "local");
  __builtin_amdgcn_wave_barrier();
}
JAXGEMM_GPU void AddToShared(int32_t* address, int32_t value) {
  __scoped_atomic_fetch_add(address, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
}

}  // namespace jaxgemm
#else

#define JAXGEMM_SHARED __shared__
// What follows the threads is how many workgroups an SM must have registers for.
#define JAXGEMM_GPU_KERNEL(...) extern "C" __global__ void __launch_bounds__(__VA_ARGS__)

namespace jaxgemm {

using Lanes = uint32_t;
inline constexpr int kWaveSize = 32;

JAXGEMM_GPU int ThreadId() { return threadIdx.x; }
JAXGEMM_GPU int LaneId() { return threadIdx.x % kWaveSize; }
JAXGEMM_GPU int WaveId() { return threadIdx.x / kWaveSize; }
JAXGEMM_GPU int WorkgroupId() { return blockIdx.x; }
JAXGEMM_GPU Lanes Ballot(bool vote) { return __ballot_sync(~0u, vote); }
JAXGEMM_GPU int Count(Lanes lanes) { return __popc(lanes); }
JAXGEMM_GPU int FirstLane(Lanes lanes) { return __ffs(lanes) - 1; }
JAXGEMM_GPU int FromLane(int value, int lane) { return __shfl_sync(~0u, value, lane); }
JAXGEMM_GPU float FromOther(float value, int mask) { return __shfl_xor_sync(~0u, value, mask); }
JAXGEMM_GPU int WaveMax(int value) { return __reduce_max_sync(~0u, value); }
JAXGEMM_GPU void Barrier() { __syncthreads(); }
JAXGEMM_GPU void WaveBarrier() { __syncwarp(); }
JAXGEMM_GPU void AddToShared(int32_t* address, int32_t value) { atomicAdd(address, value); }

}  // namespace jaxgemm
#endif
