// The LDS of one workgroup: its bytes, and for each grain of 1, 2 or 4 bytes the last write and
// the last reads, to find accesses of different waves that nothing orders.
//
// An access is ordered before another wave's access if it was complete (its s_waitcnt was executed)
// before a barrier that the other wave passed before it issued its access. All waves pass every
// release of a barrier, wherever in the code each of them waits, so "complete at the last release"
// is the condition. The LDS instructions of a wave are in order. Loads to the LDS are ordered with
// one another, but not with LDS instructions.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/run/options.h"
#include "emulator/run/wave.h"

namespace jaxgemm::emulator {

class Lds {
 public:
  // Prepares for a new workgroup that takes over this LDS.
  void Reset(const Workgroup* group, uint32_t bytes, int grain_shift, const Options& options,
             uint32_t junk);

  uint32_t size() const { return size_; }
  bool aligned() const { return aligned_; }  // whether loads and stores must be aligned

  // The bytes of an access. Throws Fault if it is misaligned or outside.
  uint8_t* At(uint32_t address, uint32_t bytes, uint32_t alignment, int lane) {
    if (address > size_ || bytes > size_ - address) Outside(address, bytes, lane);
    if (address & (alignment - 1)) Misaligned(address, alignment, lane);
    return data_.data() + address;
  }

  // Starts the operation that the wave just issued to the queue; its accesses follow.
  void Begin(const Wave& wave, Queue queue, bool atomic = false);

  // Record an access. Throw Fault for a race, and for a read of bytes that nothing wrote.
  void NoteRead(uint32_t address, uint32_t bytes, int lane) {
    if (!tracked_) return;
    uint32_t first = address >> shift_, last = (address + bytes - 1) >> shift_;
    for (uint32_t grain = first; grain <= last; ++grain) {
      if (written_[grain] > ordered_[writer_[grain]]) CheckWriter(grain, lane, /*read=*/true);
    }
    if (reads_ == nullptr) return;
    for (uint32_t grain = first; grain <= last; ++grain) reads_[grain] = number_;
  }
  void NoteWrite(uint32_t address, uint32_t bytes, int lane);

  // After the fault of a read of bytes that nothing wrote, nothing is checked any more: whether
  // these bytes were written since.
  bool watched_is_written() const { return watched_is_written_; }

 private:
  static constexpr uint32_t kNoGrain = ~0u;

  // The tag of a grain's last writer: a wave, and the kind of access.
  static constexpr uint8_t kWaveMask = 15, kByLoad = 16, kAtomic = 32, kNotWritten = 64;

  // Whether races of operations of these two queues are looked for.
  bool LooksForRaces(Queue a, Queue b) const {
    return a == kVectorQueue || b == kVectorQueue ? loads_ : races_;
  }
  [[noreturn]] void Outside(uint32_t address, uint32_t bytes, int lane) const;
  [[noreturn]] void Misaligned(uint32_t address, uint32_t alignment, int lane) const;
  [[noreturn]] void Race(const char* what, int other, const char* did, uint32_t number, Queue queue,
                         uint32_t grain, int lane) const;
  // Called for a grain with a last write that is not ordered before the running access. Throws,
  // unless nothing wrote the grain and that is allowed.
  void CheckWriter(uint32_t grain, int lane, bool read);

  const Workgroup* group_ = nullptr;
  uint32_t size_ = 0;
  int shift_ = 2;
  bool loads_ = true, races_ = true, uninitialized_ = true, tracked_ = true, aligned_ = true;
  std::vector<uint8_t> data_;
  std::vector<uint8_t> writer_;              // by grain: tag of the last writer
  std::vector<uint32_t> written_;            // by grain: number of the writer's operation
  std::vector<std::vector<uint32_t>> read_;  // by wave and grain: number of the last read

  uint32_t watched_ = kNoGrain;  // the grain of the read that nothing had written
  bool watched_is_written_ = false;

  // The running operation.
  const Wave* wave_ = nullptr;
  Queue queue_ = kLdsQueue;
  bool atomic_ = false;
  uint32_t number_ = 0;
  uint32_t* reads_ = nullptr;               // its wave's part of read_; null: not recorded
  uint32_t ordered_[kNotWritten + 1] = {};  // by tag: the last operation that is ordered before it
};

}  // namespace jaxgemm::emulator
