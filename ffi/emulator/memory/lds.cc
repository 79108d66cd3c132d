#include "emulator/memory/lds.h"

#include <algorithm>

namespace jaxgemm::emulator {

void Lds::Reset(const Workgroup* group, uint32_t bytes, int grain_shift, const Options& options,
                uint32_t junk) {
  group_ = group;
  size_ = bytes;
  shift_ = grain_shift;
  loads_ = options.check_lds_loads;
  races_ = options.check_lds_races;
  uninitialized_ = options.check_uninitialized;
  aligned_ = options.check_alignment;
  tracked_ = loads_ || races_ || uninitialized_;
  data_.resize(bytes);
  // An earlier workgroup may have left any data.
  for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
    for (int b = 0; b < 4; ++b) data_[i + b] = junk >> 8 * b;
  }
  if (!tracked_) return;
  uint32_t grains = (bytes + (1u << shift_) - 1) >> shift_;
  writer_.assign(grains, kNotWritten);
  written_.assign(grains, 1);
  if (!loads_ && !races_) return;
  // Read marks of an earlier workgroup stay: they are numbers of operations that are complete.
  read_.resize(group->num_waves);
  for (auto& read : read_) read.resize(grains);
}

void Lds::Outside(uint32_t address, uint32_t bytes, int lane) const {
  throw Fault{Text("%u bytes at LDS address %u are outside the workgroup's %u bytes.", bytes,
                   address, size_),
              lane};
}

void Lds::Misaligned(uint32_t address, uint32_t alignment, int lane) const {
  throw Fault{Text("LDS address %u is not a multiple of %u.", address, alignment), lane};
}

void Lds::Begin(const Wave& wave, Queue queue, bool atomic) {
  if (!tracked_) return;
  wave_ = &wave;
  queue_ = queue;
  atomic_ = atomic;
  number_ = wave.issued[queue];
  constexpr uint32_t kAll = ~0u;
  for (int w = 0; w < group_->num_waves; ++w) {
    const Wave& writer = *group_->waves[w];
    bool self = w == wave.index;
    for (Queue by : {kLdsQueue, kVectorQueue}) {
      uint32_t limit = !LooksForRaces(by, queue) || (self && by == queue) ? kAll
                       : self ? writer.done[by]
                              : writer.done_at_release[by];
      uint8_t tag = w | (by == kVectorQueue ? kByLoad : 0);
      ordered_[tag] = limit;
      ordered_[tag | kAtomic] = atomic ? kAll : limit;
    }
  }
  ordered_[kNotWritten] = 0;
  reads_ = loads_ || races_ ? read_[wave.index].data() : nullptr;
}

void Lds::Race(const char* what, int other, const char* did, uint32_t number, Queue queue,
               uint32_t grain, int lane) const {
  const char* counter = queue == kVectorQueue ? "vmcnt" : "lgkmcnt";
  std::string why;
  if (other == wave_->index) {
    why = Text("the wave has not waited for it (s_waitcnt %s)", counter);
  } else if (number > group_->waves[other]->done[queue]) {
    why = Text("wave %d has not waited for it (s_waitcnt %s) before a barrier", other, counter);
  } else {
    why = "no barrier lies in between";
  }
  throw Fault{Text("LDS race at address %u: this %s what wave %d %s, but %s.", grain << shift_,
                   what, other, did, why.c_str()),
              lane};
}

void Lds::CheckWriter(uint32_t grain, int lane, bool read) {
  if (watched_ != kNoGrain) return;
  uint8_t tag = writer_[grain];
  if (tag == kNotWritten) {
    if (!uninitialized_ || !(read || atomic_)) return;
    watched_ = grain;
    throw Fault{
        Text("LDS address %u is read, but nothing in this workgroup wrote it", grain << shift_),
        lane,
        /*unwritten_lds=*/true};
  }
  Race(read ? "reads" : "overwrites", tag & kWaveMask,
       tag & kByLoad ? "loads from global memory" : "wrote", written_[grain],
       tag & kByLoad ? kVectorQueue : kLdsQueue, grain, lane);
}

void Lds::NoteWrite(uint32_t address, uint32_t bytes, int lane) {
  if (!tracked_) return;
  uint32_t first = address >> shift_, last = (address + bytes - 1) >> shift_;
  uint8_t tag = wave_->index | (queue_ == kVectorQueue ? kByLoad : 0) | (atomic_ ? kAtomic : 0);
  if (watched_ != kNoGrain) {
    watched_is_written_ |= first <= watched_ && watched_ <= last;
    return;
  }
  for (uint32_t grain = first; grain <= last; ++grain) {
    if (written_[grain] > ordered_[writer_[grain]]) CheckWriter(grain, lane, /*read=*/false);
    writer_[grain] = tag;
    written_[grain] = number_;
  }
  if (!LooksForRaces(kLdsQueue, queue_)) return;
  for (int w = 0; w < group_->num_waves; ++w) {
    const Wave& reader = *group_->waves[w];
    // A wave's own reads are ordered before its LDS writes, but not before its loads to the LDS.
    bool self = w == wave_->index;
    if (self && queue_ == kLdsQueue) continue;
    uint32_t limit = self ? reader.done[kLdsQueue] : reader.done_at_release[kLdsQueue];
    if (reader.issued[kLdsQueue] == limit) continue;
    const uint32_t* read = read_[w].data();
    for (uint32_t grain = first; grain <= last; ++grain) {
      if (read[grain] > limit) Race("overwrites", w, "reads", read[grain], kLdsQueue, grain, lane);
    }
  }
}

}  // namespace jaxgemm::emulator
