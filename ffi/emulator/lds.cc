#include "emulator/lds.h"

#include <algorithm>


namespace jaxgemm::emulator {

void Lds::Reset(const Workgroup* group, uint32_t bytes, int grain_shift, const Options& options,
                uint32_t junk) {
  group_ = group;
  size_ = bytes;
  shift_ = grain_shift;
  races_ = options.check_lds_races;
  uninitialized_ = options.check_uninitialized;
  data_.resize(bytes);
  // What an earlier workgroup left: anything.
  for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
    for (int b = 0; b < 4; ++b) data_[i + b] = junk >> 8 * b;
  }
  if (!races_ && !uninitialized_) return;
  uint32_t grains = (bytes + (1u << shift_) - 1) >> shift_;
  writer_.assign(grains, kNobody);
  // Marks of an earlier workgroup read as complete, so they need not be cleared.
  written_.resize(grains);
  if (!races_) return;
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

void Lds::Race(const Wave& wave, const char* what, int other, const char* did, uint32_t number,
               Queue queue, uint32_t address, int lane) const {
  const char* counter = queue == kVectorQueue ? "vmcnt" : "lgkmcnt";
  std::string why;
  if (other == wave.index) {
    why = Text("the wave has not waited for it (s_waitcnt %s)", counter);
  } else if (number > group_->waves[other]->done[queue]) {
    why = Text("wave %d has not waited for it (s_waitcnt %s) before a barrier", other, counter);
  } else {
    why = "no barrier lies in between";
  }
  throw Fault{Text("LDS race at address %u: this %s what wave %d %s, but %s.", address, what,
                     other, did, why.c_str()),
              lane};
}

void Lds::CheckWriter(const Wave& wave, Queue queue, uint32_t grain, uint32_t address, int lane,
                      bool read, bool atomic) const {
  uint8_t tag = writer_[grain];
  if (tag == kNobody) {
    if ((read || atomic) && uninitialized_) {
      throw Fault{Text("LDS address %u is read, but nothing in this workgroup wrote it.",
                         address),
                  lane};
    }
    return;
  }
  if (!races_) return;
  int writer = tag & kWaveMask;
  Queue written_by = tag & kByLoad ? kVectorQueue : kLdsQueue;
  uint32_t number = written_[grain];
  const Wave& other = *group_->waves[writer];
  bool ordered;
  if (writer == wave.index) {
    ordered = written_by == queue || number <= other.done[written_by];
  } else {
    ordered = number <= other.done_at_release[written_by] || (atomic && (tag & kAtomic));
  }
  if (!ordered) {
    Race(wave, read ? "reads" : "overwrites", writer,
         tag & kByLoad ? "loads from global memory" : "wrote", number, written_by, address, lane);
  }
}

void Lds::NoteRead(const Wave& wave, uint32_t address, uint32_t bytes, int lane) {
  if (!races_ && !uninitialized_) return;
  uint32_t first = address >> shift_, last = (address + bytes - 1) >> shift_;
  for (uint32_t grain = first; grain <= last; ++grain) {
    CheckWriter(wave, kLdsQueue, grain, grain << shift_, lane, /*read=*/true, /*atomic=*/false);
  }
  if (!races_) return;
  uint32_t* read = read_[wave.index].data();
  for (uint32_t grain = first; grain <= last; ++grain) read[grain] = wave.issued[kLdsQueue];
}

void Lds::NoteWrite(const Wave& wave, Queue queue, uint32_t address, uint32_t bytes, int lane,
                    bool atomic) {
  if (!races_ && !uninitialized_) return;
  uint32_t first = address >> shift_, last = (address + bytes - 1) >> shift_;
  for (uint32_t grain = first; grain <= last; ++grain) {
    CheckWriter(wave, queue, grain, grain << shift_, lane, /*read=*/false, atomic);
  }
  uint8_t tag = wave.index | (queue == kVectorQueue ? kByLoad : 0) | (atomic ? kAtomic : 0);
  for (uint32_t grain = first; grain <= last; ++grain) {
    writer_[grain] = tag;
    written_[grain] = wave.issued[queue];
  }
  if (!races_) return;
  for (int w = 0; w < group_->num_waves; ++w) {
    const Wave& reader = *group_->waves[w];
    // The wave's own reads are ahead of its LDS writes, not of its loads to the LDS.
    if (w == wave.index && queue == kLdsQueue) continue;
    uint32_t limit =
        w == wave.index ? reader.done[kLdsQueue] : reader.done_at_release[kLdsQueue];
    const uint32_t* read = read_[w].data();
    for (uint32_t grain = first; grain <= last; ++grain) {
      if (read[grain] > limit) {
        Race(wave, "overwrites", w, "reads", read[grain], kLdsQueue, grain << shift_, lane);
      }
    }
  }
}

}  // namespace jaxgemm::emulator
