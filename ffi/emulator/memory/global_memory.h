// Global memory: this process's own memory, of which a launch may touch the buffers it was
// given, and a kernel beside it (beside.h) its own and those of the launch that it was shown.
// For buffers that either may write, remembers for each grain of 1, 2 or 4 bytes the last write
// and read, to find accesses of different waves that nothing orders.
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
  Right launch = Right::kWrite;  // of the launch's kernel
  std::string name;
  Right beside = Right::kNone;  // of the kernel beside it
};

// How a vector memory instruction accesses global memory.
enum class Kind : uint8_t {
  kPlain,    // through the caches
  kThrough,  // loads and stores with sc1, which pass by the caches that the scope does not share
  kAtomic,   // read-modify-write, done where all see it
};

class GlobalMemory {
 public:
  // `grain_shift`: log2 of the smallest store of the kernel.
  GlobalMemory(std::vector<Buffer> buffers, bool given, int grain_shift, const Options& options);
  ~GlobalMemory();

  // The instruction that accesses next. Must be called once before the accesses of each.
  void Begin(Wave* wave, Kind kind, Scope scope, bool orders) {
    wave_ = wave;
    kind_ = kind;
    scope_ = scope;
    orders_ = orders;
    event_ = 0;
    for (ClockPtr& flag : flag_) flag = nullptr;
  }
  // After them: flags that were read take effect once operation `number` is waited for.
  void EndRead(uint32_t number);

  // Check an access and return where the bytes are. Throw Fault for what is misaligned,
  // outside the buffers, forbidden or unordered.
  uint8_t* Read(uint64_t address, uint32_t bytes, uint32_t alignment, int lane);
  uint8_t* Write(uint64_t address, uint32_t bytes, uint32_t alignment, int lane);
  uint8_t* Atomic(uint64_t address, uint32_t bytes, int lane);
  // Of the scalar unit, whose cache sees no store of the running kernel.
  const uint8_t* ReadScalar(Wave* wave, uint64_t address, uint32_t bytes);

 private:
  struct Event {
    uint32_t group, number, epoch;  // group: its key
    uint8_t wave;
    Kind kind;
    Scope scope;

    bool Through(Scope order) const { return kind != Kind::kPlain && scope >= order; }
  };
  struct Shadow {
    uint32_t *written = nullptr, *read = nullptr;  // event by grain; 0: none
    size_t bytes = 0;                              // of each
  };
  static constexpr uint32_t kManyReaders = 1u << 31;

  int Find(uint64_t address, uint32_t bytes, uint32_t alignment, bool write, int lane);
  [[noreturn]] void Outside(uint64_t address, uint32_t bytes, bool write, int lane) const;
  [[noreturn]] void Race(uint32_t event, bool wrote, bool writes, uint64_t address, int lane) const;
  bool Through(Scope order) const { return kind_ != Kind::kPlain && scope_ >= order; }
  // The order that is kept with another workgroup.
  Scope OrderWith(uint32_t group) const {
    return (group ^ wave_->group->key()) & kBesideKey ? kSystem : kDevice;
  }
  // Whether both are atomic, which never race.
  bool BothThrough(const Event& event) const {
    const Scope order = OrderWith(event.group);
    return Through(order) && event.Through(order);
  }
  uint32_t ThisEvent();
  bool Ordered(const Event& event, bool wrote, bool reading) const;
  void NoteRead(int buffer, uint64_t address, uint32_t bytes, int lane);
  void NoteWrite(int buffer, uint64_t address, uint32_t bytes, int lane);

  std::vector<Buffer> buffers_;  // by base
  std::vector<Shadow> shadows_;  // of the writable ones
  bool given_, bounds_, races_;
  int shift_;
  size_t last_ = 0;
  std::vector<Event> events_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> readers_;  // by buffer and grain
  std::unordered_map<uint64_t, ClockPtr> flags_[kNumScopes];     // by address of a dword

  Wave* wave_ = nullptr;
  Kind kind_ = Kind::kPlain;
  Scope scope_ = kDevice;
  bool orders_ = false;
  uint32_t event_ = 0;
  ClockPtr flag_[kNumScopes];
};

}  // namespace jaxgemm::emulator
