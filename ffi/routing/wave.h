// What the lanes of a wave, and the waves of a workgroup, do together: on AMD GPUs, and on
// NVIDIA's, where a wave is a warp of 32 lanes.
#pragma once

#include <cstdint>

#if defined(__HIP__)
#include "amdgpu/isa.h"

#define JAXGEMM_GPU JAXGEMM_AMD
#define JAXGEMM_SHARED static __attribute__((shared))
#define JAXGEMM_GPU_KERNEL(threads)  \
  extern "C" __attribute__((global)) \
  __attribute__((amdgpu_flat_work_group_size(threads, threads))) void

namespace jaxgemm {

using Lanes = uint64_t;  // a bit for each lane of a wave

JAXGEMM_GPU int WorkgroupId() { return __builtin_amdgcn_workgroup_id_x(); }
JAXGEMM_GPU Lanes Ballot(bool vote) { return __builtin_amdgcn_ballot_w64(vote); }
JAXGEMM_GPU int Count(Lanes lanes) { return __builtin_popcountll(lanes); }
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

#define JAXGEMM_GPU __device__ __forceinline__
#define JAXGEMM_SHARED __shared__
#define JAXGEMM_GPU_KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)

namespace jaxgemm {

using Lanes = uint32_t;
inline constexpr int kWaveSize = 32;

JAXGEMM_GPU int ThreadId() { return threadIdx.x; }
JAXGEMM_GPU int LaneId() { return threadIdx.x % kWaveSize; }
JAXGEMM_GPU int WaveId() { return threadIdx.x / kWaveSize; }
JAXGEMM_GPU int WorkgroupId() { return blockIdx.x; }
JAXGEMM_GPU Lanes Ballot(bool vote) { return __ballot_sync(~0u, vote); }
JAXGEMM_GPU int Count(Lanes lanes) { return __popc(lanes); }
JAXGEMM_GPU void Barrier() { __syncthreads(); }
JAXGEMM_GPU void WaveBarrier() { __syncwarp(); }
JAXGEMM_GPU void AddToShared(int32_t* address, int32_t value) { atomicAdd(address, value); }

}  // namespace jaxgemm
#endif
