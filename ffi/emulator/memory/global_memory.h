// Global memory is this process's own memory. A launch may access the buffers that it was given; a
// kernel beside it (beside.h) may access its own buffers and those of the launch that it is linked
// to. For buffers that either may write, GlobalMemory records the last write and read of each
// grain of 1, 2 or 4 bytes, to find accesses of different waves that nothing orders.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/run/options.h"
#include "emulator/run/wave.h"

namespace jaxgemm::emulator {

enum class Right : uint8_t { kNone, kRead, kWrite };

struct Buffer {
  uint64_t base = 0, bytes = 0;
  Right launch = Right::kWrite;  // right of the launch's kernel
  std::string name;
  Right beside = Right::kNone;  // right of the kernel beside the launch
};

// How a vector memory instruction accesses global memory.
enum class AccessKind : uint8_t {
  kPlain,    // through the caches
  kThrough,  // loads and stores with sc1, which bypass the caches that the scope does not share
  kAtomic,   // read-modify-write, performed where the whole scope sees it
  // A store of four bytes on gfx90a. It may be data or a flag: a relaxed atomic store has the same
  // encoding.
  kWord,
};

class GlobalMemory {
 public:
  // `grain_shift`: log2 of the bytes of the kernel's smallest store.
  GlobalMemory(std::vector<Buffer> buffers, bool given, int grain_shift, const Options& options);
  ~GlobalMemory();

  // Starts an instruction; must be called before its accesses. With `orders`, its stores release
  // and its loads acquire.
  void Begin(Wave* wave, AccessKind kind, Scope scope, bool orders) {
    wave_ = wave;
    kind_ = kind;
    scope_ = scope;
    orders_ = orders;
    event_ = 0;
    for (ClockPtr& flag : flag_) flag = nullptr;
  }
  // Called after the accesses of a load: the flags that it read take effect when the wave has
  // waited for operation `number`.
  void EndRead(uint32_t number);

  // Check an access and return the address of its bytes. Throw Fault if it is misaligned, outside
  // the buffers, forbidden or unordered.
  uint8_t* Read(uint64_t address, uint32_t bytes, uint32_t alignment, int lane);
  uint8_t* Write(uint64_t address, uint32_t bytes, uint32_t alignment, int lane);
  uint8_t* Atomic(uint64_t address, uint32_t bytes, int lane);
  // A read by the scalar unit. Its cache does not see the stores of the running kernel.
  const uint8_t* ReadScalar(Wave* wave, uint64_t address, uint32_t bytes);

 private:
  static bool Passes(AccessKind kind) {
    return kind == AccessKind::kThrough || kind == AccessKind::kAtomic;
  }
  struct Event {
    uint32_t group, number, epoch;  // group: the key of the workgroup
    uint8_t wave;
    AccessKind kind;
    Scope scope;

    bool Through(Scope order) const { return Passes(kind) && scope >= order; }
  };
  struct Shadow {
    uint32_t *written = nullptr, *read = nullptr;  // last event of each grain; 0: none
    size_t bytes = 0;                              // size of each array
  };
  static constexpr uint32_t kManyReaders = 1u << 31;

  uint8_t* WriteAligned(uint64_t address, uint32_t bytes, uint32_t alignment, int lane);
  int Find(uint64_t address, uint32_t bytes, uint32_t alignment, bool write, int lane);
  [[noreturn]] void Outside(uint64_t address, uint32_t bytes, bool write, int lane) const;
  [[noreturn]] void Race(uint32_t event, bool wrote, bool writes, uint64_t address, int lane) const;
  bool Through(Scope order) const { return Passes(kind_) && scope_ >= order; }
  // The order that applies between the running workgroup and another.
  Scope OrderWith(uint32_t group) const {
    return (group ^ wave_->group->key()) & kBesideKey ? kSystem : kDevice;
  }
  // Whether the event and the running access both bypass the caches that their order does not
  // share; such accesses never race. A kWord counts as such, unless both are a kWord.
  bool BothThrough(const Event& event) const {
    const Scope order = OrderWith(event.group);
    const bool word = kind_ == AccessKind::kWord, event_word = event.kind == AccessKind::kWord;
    return !(word && event_word) && (word || Through(order)) &&
           (event_word || event.Through(order));
  }
  // Whether the running access and the event are an atomic and a plain load, and that is allowed.
  bool LoadsBesideAtomic(const Event& event, bool wrote, bool writes) const {
    if (atomic_races_ || wrote == writes) return false;
    return (wrote ? event.kind : kind_) == AccessKind::kAtomic;
  }
  uint32_t ThisEvent();
  bool Ordered(const Event& event, bool wrote, bool reading) const;
  void NoteRead(int buffer, uint64_t address, uint32_t bytes, int lane);
  void NoteWrite(int buffer, uint64_t address, uint32_t bytes, int lane);

  std::vector<Buffer> buffers_;  // sorted by base
  std::vector<Shadow> shadows_;  // by buffer; filled for the writable buffers
  bool given_, bounds_, races_, atomic_races_, aligned_;
  int shift_;
  size_t last_ = 0;
  std::vector<Event> events_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> readers_;  // by buffer and grain
  std::unordered_map<uint64_t, ClockPtr> flags_[kNumScopes];     // by address of a dword

  Wave* wave_ = nullptr;
  AccessKind kind_ = AccessKind::kPlain;
  Scope scope_ = kDevice;
  bool orders_ = false;
  uint32_t event_ = 0;
  ClockPtr flag_[kNumScopes];
};

}  // namespace jaxgemm::emulator
