#include "machine.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <unordered_map>
#include <vector>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#define JAXGEMM_TSAN(...) __VA_ARGS__
#else
#define JAXGEMM_TSAN(...)
#endif
// ThreadSanitizer ignores what such a function does.
#define JAXGEMM_UNSEEN __attribute__((no_sanitize("thread")))

namespace jaxgemm::stand_in {
namespace {

constexpr size_t kStackBytes = 256 << 10, kGuardBytes = 4096;
constexpr unsigned char kGuard = 0xa5;
constexpr size_t kMostLater = 4000;  // ThreadSanitizer has at most 8128 fibers

struct Thread {
  ucontext_t context;
  char* stack;
  int index, block, rank;
  bool done;
  bool met;                                  // has passed a cluster barrier
  uint64_t joined;                           // the generation of the meeting that it joined
  std::deque<std::shared_ptr<bool>> stores;  // whether each store that it started is done
  std::vector<std::function<void()>> open;   // wgmmas that are not committed
  std::deque<std::vector<std::function<void()>>> groups;  // committed wgmmas
  void* fiber;                                            // for ThreadSanitizer
};

struct Barrier {
  int arrivals = 0, pending = 0;
  int64_t bytes = 0;
  uint32_t phase = 0;
  const Thread* maker = nullptr;
};

struct Meeting {
  int arrived = 0;
  uint64_t generation = 0;
};

// Asynchronous work. It has a fiber of its own, created by the thread that started it.
struct Later {
  std::function<void()> work;
  std::shared_ptr<bool> done;
  void* fiber;
};

struct Machine {
  std::mt19937_64 random;
  std::vector<std::unique_ptr<Thread>> threads;
  std::vector<Thread*> runnable;
  std::unordered_map<const void*, std::vector<Thread*>> waiting;
  std::unordered_map<const void*, Barrier> barriers;
  std::unordered_map<const void*, Meeting> meetings;
  std::vector<Later> later;
  Thread* current = nullptr;
  ucontext_t scheduler;
  int size = 0, cta_threads = 0;
  char* shared[kMostCtas];
  int left[kMostCtas];  // threads of a CTA that have not ended
  bool late;            // something arrived at a CTA that had ended
  bool early;           // a thread used another thread's barrier before a cluster barrier
  char keys[kMostCtas][64];
  uint64_t exchange[kMostCtas][kMostThreads];
  const std::function<void()>* kernel = nullptr;
  void* fiber;
  uint64_t patience;  // one in so many steps does asynchronous work
} machine;

JAXGEMM_UNSEEN Thread* Me() { return machine.current; }

// While it exists, ThreadSanitizer ignores accesses, because those to the machine's own data are
// not races.
class Inside {
 public:
  Inside() {
    JAXGEMM_TSAN(AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
                 AnnotateIgnoreWritesBegin(__FILE__, __LINE__);)
  }
  ~Inside() {
    JAXGEMM_TSAN(AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
                 AnnotateIgnoreReadsEnd(__FILE__, __LINE__);)
  }
};

void SwitchTo([[maybe_unused]] void* fiber) {
  JAXGEMM_TSAN(__tsan_switch_to_fiber(fiber, __tsan_switch_to_fiber_no_sync);)
}

void Acquire(const void* key) { JAXGEMM_TSAN(__tsan_acquire(const_cast<void*>(key));)(void) key; }
void Release(const void* key) { JAXGEMM_TSAN(__tsan_release(const_cast<void*>(key));)(void) key; }

// Wake and Block are called while an Inside exists.
void Wake(const void* key) {
  auto found = machine.waiting.find(key);
  if (found == machine.waiting.end()) return;
  for (Thread* thread : found->second) machine.runnable.push_back(thread);
  machine.waiting.erase(found);
}
void ToScheduler(Thread* me) {
  SwitchTo(machine.fiber);
  swapcontext(&me->context, &machine.scheduler);
}
void Block(const void* key) {
  machine.waiting[key].push_back(machine.current);
  ToScheduler(machine.current);
}

void Entry() {
  Thread* me = Me();
  Acquire(&machine);
  (*machine.kernel)();
  WaitForMultiplies(0);
  Release(&machine);
  {
    Inside inside;
    me->done = true;
  }
  ToScheduler(me);
}

void DoOne() {
  const size_t i = machine.random() % machine.later.size();
  Later later = std::move(machine.later[i]);
  machine.later[i] = std::move(machine.later.back());
  machine.later.pop_back();
  bool* const key = later.done.get();
  SwitchTo(later.fiber);
  later.work();
  Release(key);
  Release(&machine);
  SwitchTo(machine.fiber);
  JAXGEMM_TSAN(__tsan_destroy_fiber(later.fiber);)
  *later.done = true;
  Wake(key);
}

void Check(Barrier& barrier, const void* key) {
  for (int rank = 0; rank < machine.size; ++rank) {
    const ptrdiff_t at = static_cast<const char*>(key) - machine.shared[rank];
    if (at >= 0 && at < static_cast<ptrdiff_t>(kSharedBytes) && machine.left[rank] == 0) {
      machine.late = true;
    }
  }
  if (barrier.pending != 0 || barrier.bytes != 0) return;
  barrier.phase ^= 1;
  barrier.pending = barrier.arrivals;
  Wake(key);
}

bool RunCluster(int cluster) {
  machine.runnable.clear();
  machine.waiting.clear();
  machine.barriers.clear();
  machine.meetings.clear();
  for (int i = 0; i < machine.size * machine.cta_threads; ++i) {
    Thread& thread = *machine.threads[i];
    thread.index = i % machine.cta_threads, thread.rank = i / machine.cta_threads;
    thread.block = cluster * machine.size + thread.rank;
    thread.done = thread.met = false;
    thread.stores.clear(), thread.open.clear(), thread.groups.clear();
    getcontext(&thread.context);
    thread.context.uc_stack = {.ss_sp = thread.stack, .ss_flags = 0, .ss_size = kStackBytes};
    thread.context.uc_link = nullptr;
    makecontext(&thread.context, Entry, 0);
    JAXGEMM_TSAN(thread.fiber = __tsan_create_fiber(0);)
    machine.runnable.push_back(&thread);
  }
  int left = machine.size * machine.cta_threads;
  std::fill_n(machine.left, machine.size, machine.cta_threads);
  machine.late = machine.early = false;
  while (left > 0) {
    if (!machine.later.empty() &&
        (machine.runnable.empty() || machine.random() % machine.patience == 0 ||
         machine.later.size() > kMostLater)) {
      DoOne();
      continue;
    }
    if (machine.runnable.empty()) break;
    const size_t i = machine.random() % machine.runnable.size();
    machine.current = machine.runnable[i];
    machine.runnable[i] = machine.runnable.back();
    machine.runnable.pop_back();
    SwitchTo(machine.current->fiber);
    swapcontext(&machine.scheduler, &machine.current->context);
    left -= machine.current->done;
    machine.left[machine.current->rank] -= machine.current->done;
  }
  const bool ended_early = left == 0 && (machine.late || !machine.later.empty());
  if (ended_early) {
    std::printf("a CTA ended with %zu copies outstanding%s\n", machine.later.size(),
                machine.late ? ", and a copy or an arrival came to it" : "");
  }
  if (machine.early) std::printf("a barrier was used before it was sure to be initialised\n");
  while (left == 0 && !machine.later.empty()) DoOne();
  JAXGEMM_TSAN(for (int i = 0; i < machine.size * machine.cta_threads;
                    ++i) { __tsan_destroy_fiber(machine.threads[i]->fiber); })
  if (left > 0) {
    std::printf("%d threads wait at barriers that never complete; the first are\n", left);
    int shown = 0;
    for (auto& [key, threads] : machine.waiting) {
      if (shown++ < 8) {
        std::printf("  thread %d of CTA %d at %td of shared memory\n", threads[0]->index,
                    threads[0]->rank,
                    static_cast<const char*>(key) - machine.shared[threads[0]->rank]);
      }
    }
    machine.later.clear();
  }
  return left == 0 && !ended_early && !machine.early;
}

}  // namespace

bool Launch(int clusters, int cluster_size, int threads, uint64_t seed,
            const std::function<void()>& kernel) {
  Inside inside;
  machine.random.seed(seed);
  constexpr uint64_t kPatience[] = {1, 16, 256, ~uint64_t{0}};
  machine.patience = kPatience[machine.random() % std::size(kPatience)];
  machine.size = cluster_size, machine.cta_threads = threads;
  machine.kernel = &kernel;
  JAXGEMM_TSAN(machine.fiber = __tsan_get_current_fiber();)
  while (machine.threads.size() < static_cast<size_t>(cluster_size) * threads) {
    auto thread = std::make_unique<Thread>();
    thread->stack = static_cast<char*>(mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    machine.threads.push_back(std::move(thread));
  }
  bool ok = true;
  std::vector<char*> memory;
  for (int rank = 0; rank < cluster_size; ++rank) {
    memory.push_back(static_cast<char*>(std::aligned_alloc(1024, kSharedBytes + kGuardBytes)));
    machine.shared[rank] = memory.back();
  }
  Release(&machine);
  for (int cluster = 0; ok && cluster < clusters; ++cluster) {
    for (char* each : memory) {
      std::memset(each, 0xff, kSharedBytes);  // NaN
      std::memset(each + kSharedBytes, kGuard, kGuardBytes);
    }
    Release(&machine);
    ok = RunCluster(cluster);
    Acquire(&machine);
    for (char* each : memory) {
      for (size_t i = 0; i < kGuardBytes; ++i) {
        ok = ok && static_cast<unsigned char>(each[kSharedBytes + i]) == kGuard;
      }
    }
  }
  for (char* each : memory) std::free(each);
  return ok;
}

Unseen::Unseen(bool unseen) : unseen_(unseen) {
  JAXGEMM_TSAN(if (unseen_) AnnotateIgnoreReadsBegin(__FILE__, __LINE__);)
}
Unseen::~Unseen() { JAXGEMM_TSAN(if (unseen_) AnnotateIgnoreReadsEnd(__FILE__, __LINE__);) }

JAXGEMM_UNSEEN int ThreadIndex() { return machine.current->index; }
JAXGEMM_UNSEEN int BlockIndex() { return machine.current->block; }
JAXGEMM_UNSEEN int Rank() { return machine.current->rank; }
JAXGEMM_UNSEEN int ClusterCount() { return machine.size; }
JAXGEMM_UNSEEN int CtaThreads() { return machine.cta_threads; }
JAXGEMM_UNSEEN char* Shared(int rank) { return machine.shared[rank]; }

void MayYield() {
  Inside inside;
  if (machine.random() % 8) return;
  machine.runnable.push_back(machine.current);
  ToScheduler(machine.current);
}

void Join(const void* key, int expected, bool orders) {
  if (orders) Release(key);
  Inside inside;
  Meeting& meeting = machine.meetings[key];
  Me()->joined = meeting.generation;
  if (++meeting.arrived == expected) {
    meeting.arrived = 0;
    ++meeting.generation;
    Wake(key);
  }
}
void AwaitOthers(const void* key, bool orders) {
  {
    Inside inside;
    const uint64_t generation = Me()->joined;
    // Looked up each time, because other meetings may be added to the map.
    while (machine.meetings[key].generation == generation) Block(key);
    if (key == ClusterKey()) Me()->met = true;
  }
  if (orders) Acquire(key);
}
void ArriveAndWait(const void* key, int expected, bool orders) {
  Join(key, expected, orders);
  AwaitOthers(key, orders);
}
const void* WarpKey() { return &machine.keys[Rank()][ThreadIndex() / kWarp]; }
const void* NamedKey(int id) { return &machine.keys[Rank()][kMostThreads / kWarp + id]; }
const void* ClusterKey() { return &machine.keys[0][63]; }
JAXGEMM_UNSEEN uint64_t Shuffle(uint64_t value, int lane) {
  const int thread = ThreadIndex();
  uint64_t* values = machine.exchange[Rank()];
  values[thread] = value;
  ArriveAndWait(WarpKey(), kWarp, /*orders=*/false);
  const uint64_t its = values[thread / kWarp * kWarp + lane % kWarp];
  ArriveAndWait(WarpKey(), kWarp, /*orders=*/false);
  return its;
}

void InitBarrier(void* barrier, int arrivals) {
  Inside inside;
  machine.barriers[barrier] = {.arrivals = arrivals, .pending = arrivals, .maker = Me()};
}
// Called by a thread while an Inside exists.
Barrier& Use(void* barrier) {
  Barrier& state = machine.barriers.at(barrier);
  if (!Me()->met && state.maker != Me()) machine.early = true;
  return state;
}
void Arrive(void* barrier, int expected_bytes) {
  Release(barrier);
  Inside inside;
  Barrier& state = Use(barrier);
  state.bytes += expected_bytes;
  --state.pending;
  Check(state, barrier);
}
void CompleteBytes(void* barrier, int bytes) {
  Release(barrier);
  Inside inside;
  Barrier& state = machine.barriers.at(barrier);
  state.bytes -= bytes;
  Check(state, barrier);
}
bool HasEnded(void* barrier, uint32_t parity) {
  bool ended;
  {
    Inside inside;
    ended = Use(barrier).phase != parity;
  }
  if (ended) Acquire(barrier);
  return ended;
}
void WaitFor(void* barrier, uint32_t parity) {
  {
    Inside inside;
    while (Use(barrier).phase == parity) Block(barrier);
  }
  Acquire(barrier);
}

void DoLater(bool is_store, std::function<void()> work) {
  void* fiber = nullptr;
  JAXGEMM_TSAN(fiber = __tsan_create_fiber(0);)
  Inside inside;
  while (machine.later.size() > kMostLater) {
    machine.runnable.push_back(machine.current);
    ToScheduler(machine.current);
  }
  auto done = std::make_shared<bool>(false);
  if (is_store) machine.current->stores.push_back(done);
  machine.later.push_back({std::move(work), std::move(done), fiber});
}
void WaitForStores(int left) {
  for (;;) {
    std::shared_ptr<bool> first;
    {
      Inside inside;
      auto& stores = machine.current->stores;
      if (stores.size() <= static_cast<size_t>(left)) return;
      first = stores.front();
      while (!*first) Block(first.get());
      stores.pop_front();
    }
    Acquire(first.get());
  }
}

void Multiply(std::function<void()> work) { Me()->open.push_back(std::move(work)); }
void CommitMultiplies() {
  Thread* me = Me();
  me->groups.push_back(std::move(me->open));
  me->open.clear();
}
void WaitForMultiplies(int left) {
  Thread* me = Me();
  while (me->groups.size() > static_cast<size_t>(left)) {
    auto group = std::move(me->groups.front());
    me->groups.pop_front();
    for (auto& work : group) work();
  }
}

}  // namespace jaxgemm::stand_in
