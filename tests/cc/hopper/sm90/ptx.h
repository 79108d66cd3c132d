// A stand-in for ffi/sm90/ptx.h: the same functions, by ../machine.h instead of instructions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "../../testing.h"
#include "../machine.h"
#include "kernel/epilogue.h"
#include "sm90/launch_args.h"

#define JAXGEMM_SM90 inline

struct alignas(8) uint2 {
  uint32_t x, y;
};
struct alignas(16) uint4 {
  uint32_t x, y, z, w;
};

namespace jaxgemm {

// ------------------------------------------------------------------------ CUDA's names

struct Index3 {
  unsigned x;
};
#define threadIdx (::jaxgemm::Index3{static_cast<unsigned>(::jaxgemm::stand_in::ThreadIndex())})
#define blockIdx (::jaxgemm::Index3{static_cast<unsigned>(::jaxgemm::stand_in::BlockIndex())})

template <class T>
T __shfl_sync(uint32_t, T value, int lane) {
  return static_cast<T>(stand_in::Shuffle(static_cast<uint64_t>(value), lane));
}
inline float __shfl_sync(uint32_t mask, float value, int lane) {
  return __builtin_bit_cast(float, __shfl_sync(mask, __builtin_bit_cast(uint32_t, value), lane));
}
template <class T>
T __shfl_xor_sync(uint32_t mask, T value, int lanes) {
  return __shfl_sync(mask, value, stand_in::ThreadIndex() % 32 ^ lanes);
}
template <class T>
T __shfl_up_sync(uint32_t mask, T value, int distance) {
  const int lane = stand_in::ThreadIndex() % 32;
  return __shfl_sync(mask, value, lane < distance ? lane : lane - distance);
}
inline uint32_t __ballot_sync(uint32_t mask, bool said) {
  uint32_t lanes = 0;
  for (int i = 0; i < 32; ++i) lanes |= __shfl_sync(mask, uint32_t{said}, i) << i;
  return lanes;
}
inline bool __any_sync(uint32_t mask, bool said) { return __ballot_sync(mask, said) != 0; }
inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
// Byte i of the result is the byte of a (0 to 3) or b (4 to 7) that hexadecimal digit i names.
inline uint32_t __byte_perm(uint32_t a, uint32_t b, uint32_t digits) {
  const uint64_t both = uint64_t{b} << 32 | a;
  uint32_t bytes = 0;
  for (int i = 0; i < 4; ++i) {
    bytes |= static_cast<uint32_t>(both >> (digits >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  }
  return bytes;
}
inline int __ffs(uint32_t bits) { return __builtin_ffs(static_cast<int>(bits)); }
inline void __syncwarp() { stand_in::ArriveAndWait(stand_in::WarpKey(), 32, /*orders=*/true); }
template <class T>
T __ldcg(const T* address) {
  return *address;
}
template <class T>
T __ldg(const T* address) {
  return *address;
}

// ------------------------------------------------------------------------- instructions

inline constexpr int kWarpSize = 32, kWarpgroupSize = 128;

inline int ThreadId() { return stand_in::ThreadIndex(); }
inline uint32_t WarpUniform(uint32_t x) { return __shfl_sync(~0u, x, 0); }
// The hardware may elect any lane.
inline int ElectSyncLane() { return 5; }
inline bool ElectSync() { return ThreadId() % kWarpSize == ElectSyncLane(); }

inline int Div20Bits(int x, int y) {
  return static_cast<int>((static_cast<float>(x) + .5f) * (1 / static_cast<float>(y)));
}

// Addresses are offsets in shared memory. One from Mapa has rank + 1 in the bits from 24 on.
inline uint32_t SharedAddress(const void* shared) {
  return static_cast<uint32_t>(static_cast<const char*>(shared) - stand_in::Shared());
}
inline uint32_t Mapa(const void* shared, int rank) {
  return static_cast<uint32_t>(rank + 1) << 24 | SharedAddress(shared);
}
inline char* AtAddress(uint32_t address) {
  const int rank = static_cast<int>(address >> 24);
  return stand_in::Shared(rank == 0 ? stand_in::Rank() : rank - 1) + (address & 0xffffff);
}

inline int ClusterCtaRank() { return stand_in::Rank(); }
inline int ClusterNctaRank() { return stand_in::ClusterCount(); }

inline void StAsync(uint32_t to, uint4 words, uint32_t barrier) {
  stand_in::DoLater(false, [=, to = AtAddress(to), barrier = AtAddress(barrier)] {
    std::memcpy(to, &words, sizeof(words));
    stand_in::CompleteBytes(barrier, sizeof(words));
  });
}
inline void StSharedCluster(uint32_t address, int32_t word) {
  std::memcpy(AtAddress(address), &word, sizeof(word));
}

inline void BarrierClusterArrive() {
  // It orders only reads before it, but ThreadSanitizer cannot order reads alone.
  stand_in::Join(stand_in::ClusterKey(), stand_in::CtaThreads() * ClusterNctaRank(),
                 /*orders=*/true);
}
inline void BarrierClusterWait() { stand_in::AwaitOthers(stand_in::ClusterKey(), /*orders=*/true); }
inline void BarrierClusterSync() {
  stand_in::ArriveAndWait(stand_in::ClusterKey(), stand_in::CtaThreads() * ClusterNctaRank(),
                          /*orders=*/false);
}
inline void BarSync(int id, int threads) {
  stand_in::ArriveAndWait(stand_in::NamedKey(id), threads, /*orders=*/true);
}
inline void BarArrive(int id, int threads) {
  stand_in::Join(stand_in::NamedKey(id), threads, /*orders=*/true);
}
inline void GridDependencyWait() {}
inline void GridDependencyLaunchDependents() {}
template <int kRegisters>
void SetMaxRegistersDec() {}
template <int kRegisters>
void SetMaxRegistersInc() {}

struct MbarrierArray {
  uint32_t first;

  uint32_t At(int i) const { return first + i * 8; }
  void Arrive(int i) const { stand_in::Arrive(AtAddress(At(i)), 0); }
  void ArriveCluster(int i) const { Arrive(i); }
  void ArriveExpectTx(int i, int bytes) const { stand_in::Arrive(AtAddress(At(i)), bytes); }
  bool TestWait(int i, uint32_t parity) const {
    return stand_in::HasEnded(AtAddress(At(i)), parity);
  }
  void Wait(int i, uint32_t parity) const {
    stand_in::MayYield();
    stand_in::WaitFor(AtAddress(At(i)), parity);
  }
};
struct Mbarrier {
  uint64_t word;

  void Init(int arrivals) { stand_in::InitBarrier(this, arrivals); }
  void Arrive() { Row().Arrive(0); }
  void ArriveCluster(int rank) { MbarrierArray{Mapa(this, rank)}.ArriveCluster(0); }
  void ArriveExpectTx(int bytes) { Row().ArriveExpectTx(0, bytes); }
  void Wait(uint32_t parity) { Row().Wait(0, parity); }

 private:
  MbarrierArray Row() const { return {SharedAddress(this)}; }
};

inline void FenceMbarrierInit() {}
inline void FenceAcqRelCluster() {}
inline void FenceProxyAsync() {}
inline void FenceProxyAsyncGlobal() {}

inline uint32_t CvtRnX2(bool bf16, float low, float high) {
  const auto encode = [bf16](float value) -> uint32_t {
    return bf16 ? EncodeBF16(value) : EncodeMinifloat<F16Format>(value);
  };
  return encode(low) | encode(high) << 16;
}
inline uint32_t CvtFloat8X2(bool e5m2, float low, float high) {
  const auto encode = [e5m2](float value) -> uint32_t {
    const float largest = e5m2 ? 57344.0f : 448.0f;
    if (value > largest) value = largest;
    if (value < -largest) value = -largest;
    return e5m2 ? EncodeMinifloat<F8E5M2Format>(value) : EncodeMinifloat<F8E4M3FNFormat>(value);
  };
  return encode(low) | encode(high) << 8;
}
inline uint32_t CvtRnaTf32(uint32_t bits) { return (bits + 0x1000) & ~0x1fffu; }

// ----------------------------------------------------------------------------------- TMA

// The contents of a TensorMap's words in tests.
struct HostMap {
  char* memory;
  int64_t x, y, z;       // elements
  int64_t bytes;         // of an element
  int64_t box_x, box_y;  // elements
  int64_t of_floats;     // whether TMA can add floats to the tensor
};
static_assert(sizeof(HostMap) <= sizeof(TensorMap));

inline void PrefetchTensorMap(const TensorMap*) {}
// Reads the line, so that a prefetch outside of memory fails.
inline void PrefetchGlobalL1(const void* line) { *static_cast<const volatile char*>(line); }
inline void PrefetchGlobalL2(const void* line) { *static_cast<const volatile char*>(line); }

// Calls copy(shared, memory, count) for every 16 bytes of a box, as TMA copies them. `count` is how
// many of the 16 bytes are inside the tensor. Where a box does not begin at a multiple of 16 bytes
// of its line, TMA ends the kernel with an illegal instruction.
template <class Copy>
void ForEachPiece(const TensorMap* map, char* shared, char* base, int x, int y, int z,
                  const Copy& copy) {
  HostMap host;
  std::memcpy(&host, map->words, sizeof(host));
  const int64_t line = host.x * host.bytes;
  CHECK_THAT(x * host.bytes % 16 == 0, "a box begins at element %d of a line", x);
  for (int64_t row = 0; row < host.box_y; ++row) {
    for (int64_t chunk = 0; chunk < host.box_x * host.bytes / 16; ++chunk) {
      int64_t offset = shared - base + row * kBoxBytes + chunk * 16;
      offset ^= offset >> 3 & 0x70;
      const int64_t from = x * host.bytes + chunk * 16, yy = y + row;
      const bool inside = yy >= 0 && yy < host.y && z >= 0 && z < host.z;
      const int64_t count = !inside ? 0 : std::min<int64_t>(16, std::max<int64_t>(0, line - from));
      copy(base + offset, host.memory + (z * host.y + yy) * line + from,
           static_cast<size_t>(count));
    }
  }
}
inline int BoxBytes(const TensorMap* map) {
  HostMap host;
  std::memcpy(&host, map->words, sizeof(host));
  return static_cast<int>(host.box_y * host.box_x * host.bytes);
}
inline void LoadBoxAt(const TensorMap* map, char* barrier, char* to, char* base, int x, int y,
                      int z) {
  stand_in::DoLater(false, [=] {
    ForEachPiece(map, to, base, x, y, z, [](char* shared, const char* memory, size_t count) {
      std::memset(shared, 0, 16);
      if (count) std::memcpy(shared, memory, count);
    });
    stand_in::CompleteBytes(barrier, BoxBytes(map));
  });
}
inline void CpAsync16(uint32_t to, const void* from, bool inside) {
  std::memset(AtAddress(to), 0, 16);
  if (inside) std::memcpy(AtAddress(to), from, 16);
}
inline void CpAsyncArrive(uint32_t barrier) { stand_in::Arrive(AtAddress(barrier), 0); }
inline void TmaLoad(const TensorMap* map, uint32_t barrier, uint32_t to, int x, int y, int z) {
  LoadBoxAt(map, AtAddress(barrier), AtAddress(to), stand_in::Shared(), x, y, z);
}
inline void TmaLoadMulticast(const TensorMap* map, uint32_t barrier, uint32_t to, int x, int y,
                             int z, uint16_t mask) {
  for (int rank = 0; rank < ClusterNctaRank(); ++rank) {
    if (!(mask >> rank & 1)) continue;
    char* base = stand_in::Shared(rank);
    LoadBoxAt(map, base + barrier, base + to, base, x, y, z);
  }
}
inline void TmaStore(const TensorMap* map, uint32_t from, int x, int y, int z) {
  stand_in::DoLater(true, [=, base = stand_in::Shared()] {
    ForEachPiece(map, base + from, base, x, y, z, [](char* shared, char* memory, size_t count) {
      if (count) std::memcpy(memory, shared, count);
    });
  });
}
inline void TmaReduceAdd(const TensorMap* map, uint32_t from, int x, int y, int z) {
  HostMap host;
  std::memcpy(&host, map->words, sizeof(host));
  CHECK_THAT(host.of_floats, "%s", "TMA adds to a tensor that does not have floats");
  stand_in::DoLater(true, [=, base = stand_in::Shared()] {
    ForEachPiece(map, base + from, base, x, y, z, [](char* shared, char* memory, size_t count) {
      for (size_t i = 0; i < count; i += sizeof(float)) {
        float acc, addend;
        std::memcpy(&acc, memory + i, sizeof(acc));
        std::memcpy(&addend, shared + i, sizeof(addend));
        acc += addend;
        std::memcpy(memory + i, &acc, sizeof(acc));
      }
    });
  });
}
template <int kLeft>
void TmaStoreWaitRead() {
  stand_in::WaitForStores(kLeft);
}
template <class Acc>
void StSharedV2(uint32_t to, Acc a, Acc b) {
  const Acc pair[] = {a, b};
  std::memcpy(AtAddress(to), pair, sizeof(pair));
}
inline void StShared(uint32_t to, uint32_t word) {
  std::memcpy(AtAddress(to), &word, sizeof(word));
}
inline void StMatrixX4(uint32_t to, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  const int lane = ThreadId() % kWarpSize;
  const uint32_t pairs[] = {a, b, c, d};
  for (int matrix = 0; matrix < 4; ++matrix) {
    const uint32_t row = __shfl_sync(~0u, to, 8 * matrix + lane / 4);
    std::memcpy(AtAddress(row) + lane % 4 * 4, &pairs[matrix], 4);
  }
}
inline void LdMatrixX4Trans(uint32_t from, uint32_t (&pairs)[4]) {
  const int lane = ThreadId() % kWarpSize;
  for (int matrix = 0; matrix < 4; ++matrix) {
    pairs[matrix] = 0;
    for (int i = 0; i < 2; ++i) {
      const uint32_t row = __shfl_sync(~0u, from, 8 * matrix + lane % 4 * 2 + i);
      uint16_t value;
      std::memcpy(&value, AtAddress(row) + lane / 4 * 2, 2);
      pairs[matrix] |= uint32_t{value} << (16 * i);
    }
  }
}
inline void StMatrixX2Trans(uint32_t to, uint32_t a, uint32_t b) {
  const int lane = ThreadId() % kWarpSize;
  const uint32_t pairs[] = {a, b};
  for (int matrix = 0; matrix < 2; ++matrix) {
    for (int i = 0; i < 2; ++i) {
      const uint32_t column = __shfl_sync(~0u, to, 8 * matrix + lane % 4 * 2 + i);
      const uint16_t value = pairs[matrix] >> (16 * i);
      std::memcpy(AtAddress(column) + lane / 4 * 2, &value, 2);
    }
  }
}

}  // namespace jaxgemm
