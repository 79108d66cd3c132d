// The LDS of one workgroup: its bytes, and for each grain of 1, 2 or 4 bytes who wrote and who
// read it last, so that accesses of different waves that nothing orders are found.
//
// An access is ordered before another wave's if it was complete (its s_waitcnt was executed)
// before a barrier that the other wave passed before it issued its own. Every release of a
// barrier is passed by all waves, wherever in the code each of them waits, so "complete at the
// last release" is what counts. Within a wave the LDS instructions are in order; loads to the
// LDS are not ordered with them, only with one another.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/run/options.h"
#include "emulator/run/wave.h"

namespace jaxgemm::emulator {

class Lds {
 public:
  // For a new workgroup in the same place.
  void Reset(const Workgroup* group, uint32_t bytes, int grain_shift, const Options& options,
             uint32_t junk);

  uint32_t size() const { return size_; }

  // Where the bytes are. Throws Fault for an access that is misaligned or outside.
  uint8_t* At(uint32_t address, uint32_t bytes, uint32_t alignment, int lane) {
    if (address > size_ || bytes > size_ - address) Outside(address, bytes, lane);
    if (address & (alignment - 1)) Misaligned(address, alignment, lane);
    return data_.data() + address;
  }

  // The accesses that follow are of the operation that the wave just issued to the queue.
  void Begin(const Wave& wave, Queue queue, bool atomic = false);

  // Note an access. Throw Fault for a race, and for reads of what nothing wrote.
  void NoteRead(uint32_t address, uint32_t bytes, int lane) {
    if (!tracked_) return;
    uint32_t first = address >> shift_, last = (address + bytes - 1) >> shift_;
    for (uint32_t grain = first; grain <= last; ++grain) {
      if (written_[grain] > ordered_[writer_[grain]]) CheckWriter(grain, lane, /*read=*/true);
    }
    if (!races_) return;
    for (uint32_t grain = first; grain <= last; ++grain) reads_[grain] = number_;
  }
  void NoteWrite(uint32_t address, uint32_t bytes, int lane);

 private:
  // Who wrote a grain: a wave, and how.
  static constexpr uint8_t kWaveMask = 15, kByLoad = 16, kAtomic = 32, kNobody = 64;

  [[noreturn]] void Outside(uint32_t address, uint32_t bytes, int lane) const;
  [[noreturn]] void Misaligned(uint32_t address, uint32_t alignment, int lane) const;
  [[noreturn]] void Race(const char* what, int other, const char* did, uint32_t number, Queue queue,
                         uint32_t grain, int lane) const;
  // Of a grain whose writer is not ordered before the running access: throws, unless nobody
  // wrote it and that is allowed.
  void CheckWriter(uint32_t grain, int lane, bool read) const;

  const Workgroup* group_ = nullptr;
  uint32_t size_ = 0;
  int shift_ = 2;
  bool races_ = true, uninitialized_ = true, tracked_ = true;
  std::vector<uint8_t> data_;
  std::vector<uint8_t> writer_;              // by grain
  std::vector<uint32_t> written_;            // its operation
  std::vector<std::vector<uint32_t>> read_;  // by wave and grain: the last LDS operation

  // The running operation.
  const Wave* wave_ = nullptr;
  Queue queue_ = kLdsQueue;
  bool atomic_ = false;
  uint32_t number_ = 0;
  uint32_t* reads_ = nullptr;           // its wave's part of read_
  uint32_t ordered_[kNobody + 1] = {};  // by writer: the last operation that is ordered before
};

}  // namespace jaxgemm::emulator
