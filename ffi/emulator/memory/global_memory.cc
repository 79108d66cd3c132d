#include "emulator/memory/global_memory.h"

#include <sys/mman.h>

#include <algorithm>

namespace jaxgemm::emulator {
namespace {

unsigned long long Long(uint64_t value) { return value; }

bool Writable(const Buffer& buffer) {
  return buffer.launch == Right::kWrite || buffer.beside == Right::kWrite;
}

std::string NameOfGroup(uint32_t key) {
  return Text("workgroup %u%s", key & ~kBesideKey, key & kBesideKey ? " of the other kernel" : "");
}

}  // namespace

GlobalMemory::GlobalMemory(std::vector<Buffer> buffers, bool given, int grain_shift,
                           const Options& options)
    : buffers_(std::move(buffers)),
      given_(given),
      bounds_(options.check_bounds && given),
      races_(options.check_global_races && given),
      atomic_races_(options.check_atomic_races),
      aligned_(options.check_alignment),
      shift_(grain_shift),
      events_(1) {
  std::erase_if(buffers_, [](const Buffer& buffer) { return buffer.bytes == 0; });
  std::sort(buffers_.begin(), buffers_.end(),
            [](const Buffer& a, const Buffer& b) { return a.base < b.base; });
  for (size_t i = 1; i < buffers_.size(); ++i) {
    const Buffer &before = buffers_[i - 1], &buffer = buffers_[i];
    if (before.base + before.bytes > buffer.base && (Writable(before) || Writable(buffer))) {
      throw EmulationError("The buffers " + before.name + " and " + buffer.name +
                           " of the launch overlap and one is writable; give disjoint ones.");
    }
  }
  shadows_.resize(buffers_.size());
  if (!races_) return;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (!Writable(buffers_[i])) continue;
    // mmap gives zeroed pages, and only those that are touched take memory.
    Shadow& shadow = shadows_[i];
    shadow.bytes = ((buffers_[i].bytes >> shift_) + 2) * sizeof(uint32_t);
    void* pages = mmap(nullptr, 2 * shadow.bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) {
      throw EmulationError("There is no memory to check races in buffer " + buffers_[i].name +
                           "; switch it off (check_global_races=0) or use a smaller problem.");
    }
    shadow.written = static_cast<uint32_t*>(pages);
    shadow.read = shadow.written + shadow.bytes / sizeof(uint32_t);
  }
}

GlobalMemory::~GlobalMemory() {
  for (Shadow& shadow : shadows_) {
    if (shadow.written != nullptr) munmap(shadow.written, 2 * shadow.bytes);
  }
}

void GlobalMemory::Outside(uint64_t address, uint32_t bytes, bool write, int lane) const {
  const Buffer* nearest = nullptr;
  uint64_t distance = ~uint64_t{0};
  for (const Buffer& buffer : buffers_) {
    uint64_t end = buffer.base + buffer.bytes;
    uint64_t d = address < buffer.base ? buffer.base - address : address >= end ? address - end : 0;
    if (d < distance) distance = d, nearest = &buffer;
  }
  std::string where = "the launch has no buffers";
  if (nearest != nullptr) {
    where = Text("the nearest is %s, %llu bytes at 0x%llx, and this is at byte %lld of it",
                 nearest->name.c_str(), Long(nearest->bytes), Long(nearest->base),
                 static_cast<long long>(address - nearest->base));
  }
  throw Fault{Text("A %s of %u bytes at 0x%llx is outside the launch's buffers: %s.",
                   write ? "store" : "load", bytes, Long(address), where.c_str()),
              lane};
}

// The index of the buffer of an access, or -1 if no buffers are known.
int GlobalMemory::Find(uint64_t address, uint32_t bytes, uint32_t alignment, bool write, int lane) {
  if (address & (alignment - 1)) {
    throw Fault{Text("Address 0x%llx of a %s of %u bytes is not a multiple of %u.", Long(address),
                     write ? "store" : "load", bytes, alignment),
                lane};
  }
  if (!given_) return -1;
  auto inside = [&](const Buffer& buffer) {
    return address >= buffer.base && address - buffer.base < buffer.bytes &&
           bytes <= buffer.bytes - (address - buffer.base);
  };
  if (last_ >= buffers_.size() || !inside(buffers_[last_])) {
    last_ = 0;
    while (last_ < buffers_.size() && !inside(buffers_[last_])) ++last_;
    if (last_ == buffers_.size()) {
      if (bounds_) Outside(address, bytes, write, lane);
      return -1;
    }
  }
  const Buffer& buffer = buffers_[last_];
  const Right right = wave_->group->beside ? buffer.beside : buffer.launch;
  if (right < (write ? Right::kWrite : Right::kRead) && bounds_) {
    throw Fault{Text("A %s of %u bytes at 0x%llx is in buffer %s, which %s.",
                     write ? "store" : "load", bytes, Long(address), buffer.name.c_str(),
                     right == Right::kRead ? "is only to be read" : "only the other kernel has"),
                lane};
  }
  return static_cast<int>(last_);
}

uint8_t* GlobalMemory::Read(uint64_t address, uint32_t bytes, uint32_t alignment, int lane) {
  int buffer = Find(address, bytes, aligned_ ? alignment : 1, /*write=*/false, lane);
  if (buffer >= 0 && shadows_[buffer].written) NoteRead(buffer, address, bytes, lane);
  return reinterpret_cast<uint8_t*>(address);
}

uint8_t* GlobalMemory::Write(uint64_t address, uint32_t bytes, uint32_t alignment, int lane) {
  return WriteAligned(address, bytes, aligned_ ? alignment : 1, lane);
}

// An atomic must be aligned on every GPU.
uint8_t* GlobalMemory::Atomic(uint64_t address, uint32_t bytes, int lane) {
  return WriteAligned(address, bytes, bytes, lane);
}

uint8_t* GlobalMemory::WriteAligned(uint64_t address, uint32_t bytes, uint32_t alignment,
                                    int lane) {
  int buffer = Find(address, bytes, alignment, /*write=*/true, lane);
  if (buffer >= 0 && shadows_[buffer].written) NoteWrite(buffer, address, bytes, lane);
  return reinterpret_cast<uint8_t*>(address);
}

const uint8_t* GlobalMemory::ReadScalar(Wave* wave, uint64_t address, uint32_t bytes) {
  wave_ = wave;
  int buffer = Find(address, bytes, 4, /*write=*/false, -1);
  if (buffer >= 0 && shadows_[buffer].written) {
    uint64_t offset = address - buffers_[buffer].base;
    for (uint64_t g = offset >> shift_; g <= (offset + bytes - 1) >> shift_; ++g) {
      if (shadows_[buffer].written[g]) {
        throw Fault{
            Text("A scalar load reads 0x%llx in buffer %s, which a running kernel has "
                 "written; scalar loads do not see a running kernel's stores.",
                 Long(address), buffers_[buffer].name.c_str())};
      }
    }
  }
  return reinterpret_cast<const uint8_t*>(address);
}

uint32_t GlobalMemory::ThisEvent() {
  if (event_ == 0) {
    event_ = static_cast<uint32_t>(events_.size());
    if (event_ >= kManyReaders) {
      throw EmulationError(
          "The launch is too long to check races in global memory; use a "
          "smaller problem or check_global_races=0.");
    }
    events_.push_back({wave_->group->key(), wave_->issued[kVectorQueue], wave_->group->epoch,
                       static_cast<uint8_t>(wave_->index), kind_, scope_});
  }
  return event_;
}

// Whether the memory model orders the running access after `event`, which is a write (`wrote`) or
// a read. A plain load (`reading`) also needs the caches to be invalidated.
bool GlobalMemory::Ordered(const Event& event, bool wrote, bool reading) const {
  if (event.group == wave_->group->key()) {
    // A workgroup runs on one CU with one L1: accesses of a wave are in order, and so are accesses
    // on two sides of a barrier.
    return event.wave == wave_->index || event.epoch < wave_->group->epoch;
  }
  const Scope order = OrderWith(event.group);
  const WaveOrdering& self = wave_->ordering[order];
  const ClockPtr& known = !Through(order) && reading ? self.acquired : self.seen;
  if (known == nullptr) return false;
  const GroupClock* clock = known->Find(event.group);
  if (clock == nullptr) return false;
  uint32_t until =
      wrote && !event.Through(order) ? clock->plain[event.wave] : clock->through[event.wave];
  return event.number <= until;
}

void GlobalMemory::Race(uint32_t id, bool wrote, bool writes, uint64_t address, int lane) const {
  const Event& event = events_[id];
  const Scope order = OrderWith(event.group);
  const bool one_l2 = wave_->one_l2, system = order == kSystem;
  const char* bits = one_l2 ? "glc" : system ? "sc0 sc1" : "sc1";
  const char* atomic = system && !one_l2 ? " sc1" : "";
  const std::string invalidate = !one_l2   ? Text("buffer_inv %s", bits)
                                 : !system ? "buffer_wbinvl1_vol"
                                           : "buffer_invl2, buffer_wbinvl1_vol";
  const ClockPtr& seen = wave_->ordering[order].seen;
  const GroupClock* clock = seen == nullptr ? nullptr : seen->Find(event.group);
  std::string missing;
  if (event.group == wave_->group->key()) {
    missing = "no barrier lies in between";
  } else if (clock == nullptr) {
    missing = Text(
        "this wave has not acquired anything from that workgroup (an atomic%s or a load "
        "with %s that sees its flag, s_waitcnt vmcnt(0), %s, and a barrier "
        "for the other waves)",
        atomic, bits, invalidate.c_str());
  } else {
    uint32_t until =
        wrote && !event.Through(order) ? clock->plain[event.wave] : clock->through[event.wave];
    if (event.number <= until) {
      missing = Text("the flag was seen without a %s after it", invalidate.c_str());
    } else if (wrote && !event.Through(order) && (system || !one_l2)) {
      missing = Text(
          "the writer did not release it before the flag (s_waitcnt vmcnt(0), a barrier "
          "for other waves, buffer_wbl2%s, s_waitcnt vmcnt(0))",
          one_l2 ? "" : Text(" %s", bits).c_str());
    } else {
      missing = "the other workgroup did not wait for it (s_waitcnt vmcnt) before the flag";
    }
  }
  const Buffer& buffer = buffers_[last_];
  throw Fault{Text("Race in global memory at 0x%llx, byte %llu of %s: this %s what wave %d of %s "
                   "%s, but %s.",
                   Long(address), Long(address - buffer.base), buffer.name.c_str(),
                   writes ? "overwrites" : "reads", event.wave, NameOfGroup(event.group).c_str(),
                   wrote ? "wrote" : "reads", missing.c_str()),
              lane};
}

void GlobalMemory::NoteRead(int index, uint64_t address, uint32_t bytes, int lane) {
  const Shadow& shadow = shadows_[index];
  uint64_t base = buffers_[index].base, offset = address - base;
  uint32_t self = ThisEvent();
  for (uint64_t g = offset >> shift_; g <= (offset + bytes - 1) >> shift_; ++g) {
    if (uint32_t written = shadow.written[g]) {
      const Event& event = events_[written];
      if (!BothThrough(event) && !LoadsBesideAtomic(event, /*wrote=*/true, /*writes=*/false) &&
          !Ordered(event, /*wrote=*/true, /*reading=*/true)) {
        Race(written, /*wrote=*/true, /*writes=*/false, base + (g << shift_), lane);
      }
    }
    uint32_t& read = shadow.read[g];
    if (read == 0 || read == self) {
      read = self;
    } else if (read & kManyReaders) {
      auto& all = readers_[uint64_t(index) << 48 | g];
      if (all.back() != self) all.push_back(self);
    } else if (events_[read].group == wave_->group->key() || Ordered(events_[read], false, false)) {
      read = self;
    } else {
      readers_[uint64_t(index) << 48 | g] = {read, self};
      read = kManyReaders;
    }
  }
  if (!orders_) return;
  for (int order = 0; order <= scope_; ++order) {
    const auto& flags = flags_[order];
    if (flags.empty()) continue;
    for (uint64_t dword = address & ~uint64_t{3}; dword < address + bytes; dword += 4) {
      auto flag = flags.find(dword);
      if (flag != flags.end()) flag_[order] = Join(flag_[order], flag->second);
    }
  }
}

void GlobalMemory::NoteWrite(int index, uint64_t address, uint32_t bytes, int lane) {
  const Shadow& shadow = shadows_[index];
  uint64_t base = buffers_[index].base, offset = address - base;
  uint32_t self = ThisEvent();
  auto check = [&](uint32_t id, bool wrote, uint64_t g) {
    const Event& event = events_[id];
    if (id != self && !BothThrough(event) && !LoadsBesideAtomic(event, wrote, /*writes=*/true) &&
        !Ordered(event, wrote, /*reading=*/false)) {
      Race(id, wrote, /*writes=*/true, base + (g << shift_), lane);
    }
  };
  for (uint64_t g = offset >> shift_; g <= (offset + bytes - 1) >> shift_; ++g) {
    if (uint32_t written = shadow.written[g]) check(written, true, g);
    uint32_t& read = shadow.read[g];
    if (read & kManyReaders) {
      auto all = readers_.find(uint64_t(index) << 48 | g);
      for (uint32_t reader : all->second) check(reader, false, g);
      readers_.erase(all);
    } else if (read != 0) {
      check(read, false, g);
    }
    read = 0;
    shadow.written[g] = self;
  }
  if (!orders_) return;
  const size_t orders = wave_->orders(scope_).size();
  for (size_t order = 0; order < orders; ++order) {
    ClockPtr& flag = flags_[order][address & ~uint64_t{3}];
    ClockPtr released = ReleaseClock(wave_, static_cast<Scope>(order));
    if (kind_ == AccessKind::kAtomic) {
      flag_[order] = Join(flag_[order], flag);
      flag = Join(flag, released);
    } else {
      flag = released;
    }
  }
  // A store of device scope replaces the flag and releases nothing in the system's order.
  if (kind_ != AccessKind::kAtomic && scope_ == kDevice)
    flags_[kSystem].erase(address & ~uint64_t{3});
}

void GlobalMemory::EndRead(uint32_t number) {
  for (int order = 0; order < kNumScopes; ++order) {
    if (flag_[order] == nullptr) continue;
    wave_->ordering[order].acquires.push_back({number, std::move(flag_[order])});
    flag_[order] = nullptr;
  }
}

}  // namespace jaxgemm::emulator
