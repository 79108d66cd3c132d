#include "emulator/hip/memory.h"

#include <sys/mman.h>

#include <cstring>

namespace jaxgemm::emulator {
namespace {

constexpr size_t kPage = 4096, kAlignment = 256;
// Only allocations of at most this many bytes are filled with NaNs. A larger one is taken to be a
// memory pool, such as XLA's, of which no program reads a part that it has not written.
constexpr size_t kMaxPoisoned = size_t{1} << 26;

struct Table {
  std::mutex mutex;
  std::map<uint64_t, Allocation> by_base;
  std::vector<size_t> used;  // bytes of each device
};
Table& TheTable() {
  static auto* table = new Table;  // never freed, so that it outlives all threads
  return *table;
}

size_t& UsedOf(Table& table, int device) {
  if (device >= static_cast<int>(table.used.size())) table.used.resize(device + 1);
  return table.used[device];
}

const Allocation* Holder(const Table& table, uint64_t address) {
  auto next = table.by_base.upper_bound(address);
  if (next == table.by_base.begin()) return nullptr;
  const Allocation& found = std::prev(next)->second;
  return address - found.base < found.bytes ? &found : nullptr;
}

const char* NameOf(MemoryType type) {
  switch (type) {
    case MemoryType::kHost: return "host memory";
    case MemoryType::kManaged: return "managed memory";
    default: return "device memory";
  }
}

}  // namespace

void* Allocate(size_t bytes, MemoryType type, int device) {
  if (bytes == 0) return nullptr;
  Table& table = TheTable();
  std::lock_guard guard(table.mutex);
  const size_t padded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  const size_t mapped = (padded + kPage - 1) / kPage * kPage + 2 * kPage;
  size_t& used = UsedOf(table, device);
  const bool is_device = type != MemoryType::kHost;
  void* pages = MAP_FAILED;
  if (!is_device || used + padded <= DeviceAt(device).memory_bytes) {
    pages = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  if (pages == MAP_FAILED) {
    throw HipFailure{hipErrorOutOfMemory,
                     Text("%zu bytes of %s cannot be allocated on device %d, which has %zu in use.",
                          bytes, NameOf(type), device, used)};
  }
  uint8_t* inside = static_cast<uint8_t*>(pages) + kPage;
  mprotect(inside, mapped - 2 * kPage, PROT_READ | PROT_WRITE);
  uint8_t* base = inside + (mapped - 2 * kPage - padded);
  if (bytes <= kMaxPoisoned) std::memset(inside, 0xff, mapped - 2 * kPage);
  if (is_device) used += padded;
  const auto address = reinterpret_cast<uint64_t>(base);
  table.by_base[address] = {address, bytes, type, device, pages, mapped};
  return base;
}

void Register(void* pointer, size_t bytes, int device) {
  Table& table = TheTable();
  std::lock_guard guard(table.mutex);
  const auto address = reinterpret_cast<uint64_t>(pointer);
  if (pointer == nullptr || bytes == 0) {
    throw HipFailure{hipErrorInvalidValue, "No memory was given to register."};
  }
  const auto next = table.by_base.lower_bound(address);
  if (Holder(table, address) != nullptr ||
      (next != table.by_base.end() && next->first < address + bytes)) {
    throw HipFailure{hipErrorHostMemoryAlreadyRegistered, "The memory is registered already."};
  }
  table.by_base[address] = {address, bytes, MemoryType::kHost, device, nullptr, 0};
}

void Release(void* pointer, bool is_registered, hipError_t error) {
  if (pointer == nullptr && !is_registered) return;
  Table& table = TheTable();
  std::lock_guard guard(table.mutex);
  const auto found = table.by_base.find(reinterpret_cast<uint64_t>(pointer));
  if (found == table.by_base.end() || (found->second.pages == nullptr) != is_registered) {
    throw HipFailure{
        error, Text("%p is not the start of an allocation that can be released here.", pointer)};
  }
  const Allocation& allocation = found->second;
  if (allocation.pages != nullptr) munmap(allocation.pages, allocation.pages_bytes);
  if (allocation.pages != nullptr && allocation.type != MemoryType::kHost) {
    UsedOf(table, allocation.device) -=
        (allocation.bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  table.by_base.erase(found);
}

Allocation FindAllocation(const void* pointer) {
  Table& table = TheTable();
  std::lock_guard guard(table.mutex);
  const Allocation* found = Holder(table, reinterpret_cast<uint64_t>(pointer));
  return found == nullptr ? Allocation{} : *found;
}

std::vector<Buffer> AllAllocations() {
  Table& table = TheTable();
  std::lock_guard guard(table.mutex);
  std::vector<Buffer> buffers;
  for (const auto& [base, allocation] : table.by_base) {
    buffers.push_back({base, allocation.bytes, Right::kWrite,
                       Text("%s of device %d", NameOf(allocation.type), allocation.device)});
  }
  return buffers;
}

void CheckRange(const void* pointer, size_t bytes, const char* what) {
  const Allocation found = FindAllocation(pointer);
  if (found.type == MemoryType::kUnregistered) return;
  const uint64_t offset = reinterpret_cast<uint64_t>(pointer) - found.base;
  if (bytes <= found.bytes - offset) return;
  throw HipFailure{
      hipErrorInvalidValue,
      Text("%zu bytes %s byte %llu of an allocation of %llu bytes (%s of device %d).", bytes, what,
           static_cast<unsigned long long>(offset), static_cast<unsigned long long>(found.bytes),
           NameOf(found.type), found.device)};
}

}  // namespace jaxgemm::emulator
