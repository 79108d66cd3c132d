// A stand-in for RCCL among the devices of one process. A collective is a host function on each
// rank's stream; the streams' threads meet in an exchange. Sends are buffered and never wait. As in
// RCCL, the first calls of all ranks for a communicator belong together, the second calls, and so
// on, whatever their streams: calls on two streams may run in any order.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "emulator/hip/api.h"
#include "emulator/rccl/reduce.h"

namespace jaxgemm::emulator {

struct UniqueId {
  char bytes[128];
};
struct Communicator;

#define JAXGEMM_RCCL(version, result, name, parameters) \
  extern "C" __attribute__((visibility("default"))) result name parameters;
#include "emulator/rccl/functions.def"
#undef JAXGEMM_RCCL

namespace {

constexpr int kVersion = 22605;  // 2.26.5
enum Result { kSuccess = 0, kHipError = 1, kInvalidArgument = 4, kInvalidUsage = 5 };
constexpr int kNoColor = -1;

thread_local std::string last_error;

int Failed(Result result, std::string message) {
  last_error = std::move(message);
  return result;
}

// For a failure in a stream's thread, which no call can return. An exception would not be caught:
// this library and libamdhip64.so.7 have a C++ runtime each.
[[noreturn]] void EndProcess(const std::string& message) {
  std::fprintf(stderr, "jaxgemm: a collective failed, and the process ends: %s\n", message.c_str());
  std::abort();
}

// Which of the calls for a communicator it is: whether it is captured, and its number. Captured
// calls are counted by themselves, because they take their turn each time their graph runs.
using Turn = std::pair<bool, uint64_t>;

// Counts the calls of a rank, or those from one rank to another.
struct Turns {
  Turn Next(bool is_captured) { return {is_captured, is_captured ? captured++ : submitted++}; }

  uint64_t submitted = 0, captured = 0;
};

// The state of one collective: each rank gives a buffer, and gets the buffers of all ranks.
struct Exchange {
  std::vector<const void*> from;
  int arrived = 0, read = 0;
};

struct Group {
  using Ranks = std::pair<int, int>;  // sender and receiver

  explicit Group(int ranks)
      : ranks(ranks), turns(ranks), sends(ranks * ranks), receives(ranks * ranks) {}

  Turns& SendsOf(Ranks of) { return sends[of.first * ranks + of.second]; }
  Turns& ReceivesOf(Ranks of) { return receives[of.first * ranks + of.second]; }

  const int ranks;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Turns> turns;  // of the collectives of each rank
  std::map<Turn, Exchange> exchanges;
  std::vector<Turns> sends, receives;  // by sender and receiver
  std::map<std::pair<Ranks, Turn>, std::string> messages;
  // ncclCommSplit: the choice of each rank, and the groups that follow from the choices.
  struct Split {
    std::map<int, std::pair<int, int>> chosen;  // color and key of a rank
    std::map<int, std::shared_ptr<Group>> groups;
    int taken = 0;
  };
  std::vector<uint64_t> split_turns = std::vector<uint64_t>(ranks);
  std::map<uint64_t, Split> splits;
};

std::mutex groups_mutex;
std::map<std::string, std::weak_ptr<Group>>& Groups() {
  static auto* groups = new std::map<std::string, std::weak_ptr<Group>>;
  return *groups;
}

}  // namespace

struct Communicator {
  std::shared_ptr<Group> group;
  int rank;
};

namespace {

using Compute = std::function<void(const std::vector<const void*>&, char*)>;

// Waits for all ranks, computes this rank's result from their buffers, and stores it when all ranks
// have read: a buffer may also be the result of another rank.
void Meet(const Communicator& self, Turn turn, const void* from, void* to, size_t bytes,
          const Compute& compute) {
  Group& group = *self.group;
  std::string result(bytes, '\0');
  std::unique_lock lock(group.mutex);
  Exchange& exchange = group.exchanges[turn];
  exchange.from.resize(group.ranks);
  exchange.from[self.rank] = from;
  ++exchange.arrived;
  group.changed.notify_all();
  group.changed.wait(lock, [&] { return exchange.arrived == group.ranks; });
  lock.unlock();
  compute(exchange.from, result.data());
  lock.lock();
  ++exchange.read;
  group.changed.notify_all();
  group.changed.wait(lock, [&] { return exchange.read >= group.ranks; });
  if (++exchange.read == 2 * group.ranks) group.exchanges.erase(turn);
  lock.unlock();
  std::memcpy(to, result.data(), bytes);
}

bool IsCaptured(hipStream_t stream) {
  int captured = 0;
  return hipStreamIsCapturing(stream, &captured) == hipSuccess && captured != 0;
}

// The turn of a call that is about to be submitted.
std::function<Turn()> TakeTurn(Group& group, Turns& turns, hipStream_t stream) {
  auto next = [&group, &turns](bool is_captured) {
    std::lock_guard guard(group.mutex);
    return turns.Next(is_captured);
  };
  if (IsCaptured(stream)) return [=] { return next(true); };
  return [turn = next(false)] { return turn; };
}

struct HostCall {
  std::function<void()> function;
  bool is_once;
};

void RunHostCall(void* data) {
  auto* call = static_cast<HostCall*>(data);
  call->function();
  if (call->is_once) delete call;
}

int SubmitNow(hipStream_t stream, std::function<void()> function) {
  // A graph may run the call at any later time, so a captured call is never deleted.
  auto* call = new HostCall{std::move(function), !IsCaptured(stream)};
  const hipError_t error = hipLaunchHostFunc(stream, RunHostCall, call);
  if (error == hipSuccess) return kSuccess;
  delete call;
  return Failed(kHipError, hipGetErrorString(error));
}

// Calls between ncclGroupStart and ncclGroupEnd of this thread. The sends are submitted first, so
// that no receive of the group waits for a send behind it.
enum class Order { kFirst, kLater };
struct PendingCall {
  Order order;
  hipStream_t stream;
  std::function<void()> function;
};
thread_local int open_groups = 0;
thread_local std::vector<PendingCall> pending_calls;

int OnStream(hipStream_t stream, std::function<void()> function, Order order = Order::kLater) {
  if (open_groups == 0) return SubmitNow(stream, std::move(function));
  pending_calls.push_back({order, stream, std::move(function)});
  return kSuccess;
}

// Submits a collective of which this rank gets `bytes`.
int Collect(const Communicator* communicator, hipStream_t stream, const void* from, void* to,
            size_t bytes, Compute compute) {
  const Communicator self = *communicator;
  auto turn = TakeTurn(*self.group, self.group->turns[self.rank], stream);
  return OnStream(stream, [=] { Meet(self, turn(), from, to, bytes, compute); });
}

int CheckType(int type) {
  if (BytesOf(type) != 0) return kSuccess;
  return Failed(kInvalidArgument,
                "The stand-in RCCL does not know data type " + std::to_string(type) + ".");
}

int CheckReduction(int type, int op) {
  if (CanReduce(type, op)) return kSuccess;
  return Failed(kInvalidArgument, "The stand-in RCCL has no reduction " + std::to_string(op) +
                                      " of data type " + std::to_string(type) + ".");
}

int CheckPeer(const Communicator* communicator, int peer) {
  if (peer >= 0 && peer < communicator->group->ranks) return kSuccess;
  return Failed(kInvalidArgument, "There is no rank " + std::to_string(peer) + ".");
}

}  // namespace

int ncclGetVersion(int* version) {
  *version = kVersion;
  return kSuccess;
}

const char* ncclGetErrorString(int error) {
  if (error == kSuccess) return "no error";
  return last_error.empty() ? "an error of the stand-in RCCL" : last_error.c_str();
}

const char* ncclGetLastError(Communicator*) { return last_error.c_str(); }

int ncclGetUniqueId(UniqueId* id) {
  static std::atomic<uint64_t> made{0};
  const uint64_t number = ++made;
  std::memset(id, 0, sizeof *id);
  std::memcpy(id->bytes, "jaxgemm", 7);
  std::memcpy(id->bytes + 8, &number, sizeof number);
  return kSuccess;
}

int ncclCommInitRankConfig(Communicator** communicator, int ranks, UniqueId id, int rank, void*) {
  if (std::strncmp(id.bytes, "jaxgemm", 8) != 0) {
    return Failed(kInvalidUsage, "The ranks of a virtual ROCm are devices of one process.");
  }
  if (rank < 0 || rank >= ranks) return Failed(kInvalidArgument, "The rank does not exist.");
  std::lock_guard guard(groups_mutex);
  std::weak_ptr<Group>& known = Groups()[std::string(id.bytes, sizeof id.bytes)];
  std::shared_ptr<Group> group = known.lock();
  if (group == nullptr) known = group = std::make_shared<Group>(ranks);
  if (group->ranks != ranks) {
    return Failed(kInvalidUsage, "The ranks disagree on their number.");
  }
  *communicator = new Communicator{std::move(group), rank};
  return kSuccess;
}

int ncclCommInitRankScalable(Communicator** communicator, int ranks, int rank, int count,
                             UniqueId* ids, void* config) {
  if (count < 1) return Failed(kInvalidArgument, "There is no unique id.");
  return ncclCommInitRankConfig(communicator, ranks, ids[0], rank, config);
}

int ncclCommSplit(Communicator* from, int color, int key, Communicator** communicator, void*) {
  Group& group = *from->group;
  *communicator = nullptr;
  std::unique_lock lock(group.mutex);
  const uint64_t turn = group.split_turns[from->rank]++;
  Group::Split& split = group.splits[turn];
  split.chosen[from->rank] = {color, key};
  group.changed.notify_all();
  group.changed.wait(lock, [&] { return int(split.chosen.size()) == group.ranks; });
  if (color != kNoColor) {
    std::vector<std::pair<int, int>> members;  // key and rank
    for (const auto& [rank, chosen] : split.chosen) {
      if (chosen.first == color) members.push_back({chosen.second, rank});
    }
    std::sort(members.begin(), members.end());
    std::shared_ptr<Group>& made = split.groups[color];
    if (made == nullptr) made = std::make_shared<Group>(static_cast<int>(members.size()));
    const auto self = std::find(members.begin(), members.end(), std::pair(key, from->rank));
    *communicator = new Communicator{made, static_cast<int>(self - members.begin())};
  }
  if (++split.taken == group.ranks) group.splits.erase(turn);
  return kSuccess;
}

int ncclCommDestroy(Communicator* communicator) {
  delete communicator;
  return kSuccess;
}

int ncclCommAbort(Communicator* communicator) { return ncclCommDestroy(communicator); }

int ncclCommCount(const Communicator* communicator, int* count) {
  *count = communicator->group->ranks;
  return kSuccess;
}

int ncclCommGetAsyncError(Communicator*, int* error) {
  *error = kSuccess;
  return kSuccess;
}

// Registering a buffer makes RCCL faster, and changes nothing else.
int ncclCommRegister(Communicator*, void*, size_t, void** handle) {
  *handle = nullptr;
  return kSuccess;
}

int ncclCommDeregister(Communicator*, void*) { return kSuccess; }

int ncclCommWindowRegister(Communicator*, void*, size_t, void** window, int) {
  *window = nullptr;
  return kSuccess;
}

int ncclCommWindowDeregister(Communicator*, void*) { return kSuccess; }

int ncclMemAlloc(void** pointer, size_t bytes) {
  const hipError_t error = hipMalloc(pointer, bytes);
  return error == hipSuccess ? kSuccess : Failed(kHipError, hipGetErrorString(error));
}

int ncclMemFree(void* pointer) {
  const hipError_t error = hipFree(pointer);
  return error == hipSuccess ? kSuccess : Failed(kHipError, hipGetErrorString(error));
}

int ncclGroupStart() {
  ++open_groups;
  return kSuccess;
}

int ncclGroupEnd() {
  if (open_groups == 0) return Failed(kInvalidUsage, "No group was started.");
  if (--open_groups != 0) return kSuccess;
  std::vector<PendingCall> calls = std::exchange(pending_calls, {});
  std::stable_sort(calls.begin(), calls.end(),
                   [](const PendingCall& a, const PendingCall& b) { return a.order < b.order; });
  for (PendingCall& call : calls) {
    if (const int error = SubmitNow(call.stream, std::move(call.function))) return error;
  }
  return kSuccess;
}

int ncclAllReduce(const void* from, void* to, size_t count, int type, int op,
                  Communicator* communicator, hipStream_t stream) {
  if (const int error = CheckReduction(type, op)) return error;
  return Collect(communicator, stream, from, to, count * BytesOf(type),
                 [=](const auto& all, char* out) { Reduce(all, out, count, type, op); });
}

int ncclReduceScatter(const void* from, void* to, size_t count, int type, int op,
                      Communicator* communicator, hipStream_t stream) {
  if (const int error = CheckReduction(type, op)) return error;
  const size_t bytes = count * BytesOf(type), offset = bytes * communicator->rank;
  return Collect(communicator, stream, from, to, bytes, [=](auto all, char* out) {
    for (const void*& buffer : all) buffer = static_cast<const char*>(buffer) + offset;
    Reduce(all, out, count, type, op);
  });
}

int ncclAllGather(const void* from, void* to, size_t count, int type, Communicator* communicator,
                  hipStream_t stream) {
  if (const int error = CheckType(type)) return error;
  const size_t bytes = count * BytesOf(type);
  return Collect(communicator, stream, from, to, bytes * communicator->group->ranks,
                 [=](const auto& all, char* out) {
    for (size_t rank = 0; rank < all.size(); ++rank) {
      std::memcpy(out + rank * bytes, all[rank], bytes);
    }
  });
}

int ncclBroadcast(const void* from, void* to, size_t count, int type, int root,
                  Communicator* communicator, hipStream_t stream) {
  if (const int error = CheckType(type)) return error;
  if (const int error = CheckPeer(communicator, root)) return error;
  const size_t bytes = count * BytesOf(type);
  return Collect(communicator, stream, from, to, bytes,
                 [=](const auto& all, char* out) { std::memcpy(out, all[root], bytes); });
}

int ncclSend(const void* from, size_t count, int type, int peer, Communicator* communicator,
             hipStream_t stream) {
  if (const int error = CheckType(type)) return error;
  if (const int error = CheckPeer(communicator, peer)) return error;
  const Communicator self = *communicator;
  const Group::Ranks ranks = {self.rank, peer};
  auto turn = TakeTurn(*self.group, self.group->SendsOf(ranks), stream);
  return OnStream(stream, [=] {
    Group& group = *self.group;
    std::string message(static_cast<const char*>(from), count * BytesOf(type));
    const Turn now = turn();
    std::lock_guard guard(group.mutex);
    group.messages[{ranks, now}] = std::move(message);
    group.changed.notify_all();
  }, Order::kFirst);
}

int ncclRecv(void* to, size_t count, int type, int peer, Communicator* communicator,
             hipStream_t stream) {
  if (const int error = CheckType(type)) return error;
  if (const int error = CheckPeer(communicator, peer)) return error;
  const Communicator self = *communicator;
  const Group::Ranks ranks = {peer, self.rank};
  auto turn = TakeTurn(*self.group, self.group->ReceivesOf(ranks), stream);
  return OnStream(stream, [=] {
    Group& group = *self.group;
    const std::pair key(ranks, turn());
    std::unique_lock lock(group.mutex);
    group.changed.wait(lock, [&] { return group.messages.count(key) != 0; });
    const std::string message = std::move(group.messages.extract(key).mapped());
    lock.unlock();
    if (message.size() != count * BytesOf(type)) {
      EndProcess("A rank receives " + std::to_string(count * BytesOf(type)) + " bytes, and " +
                 std::to_string(message.size()) + " were sent.");
    }
    std::memcpy(to, message.data(), message.size());
  });
}

}  // namespace jaxgemm::emulator
