// A stand-in for a cluster of CTAs of a Hopper GPU. Their threads are fibers of one host thread,
// scheduled at random. Asynchronous operations (copies, wgmma) may be done as late as allowed, in
// any order, so that a thread that does not wait for them reads the old data. Under ThreadSanitizer
// each fiber is a thread, and accesses that no barrier orders are a race.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace jaxgemm::stand_in {

inline constexpr int kMostThreads = 384, kWarp = 32, kMostCtas = 8;
inline constexpr size_t kSharedBytes = 227 * 1024;

// Runs `kernel` in all threads of `clusters` clusters, one cluster after the other. `threads` is
// their number in a CTA, kMostThreads at most. Returns false
// if threads wait at a barrier that never completes, a CTA ended too early, a barrier was used too
// early, or shared memory was written outside of its bounds.
bool Launch(int clusters, int cluster_size, int threads, uint64_t seed,
            const std::function<void()>& kernel);

// The position of the calling thread, and its shared memory.
int ThreadIndex();
int BlockIndex();
int Rank();
int ClusterCount();
int CtaThreads();
char* Shared(int rank);  // of CTA `rank` of its cluster
inline char* Shared() { return Shared(Rank()); }

// Lets other threads run, at random.
void MayYield();

// A barrier of `expected` threads, named by `key`. `orders`: it also orders their accesses.
void ArriveAndWait(const void* key, int expected, bool orders);
// ArriveAndWait in two steps.
void Join(const void* key, int expected, bool orders);
void AwaitOthers(const void* key, bool orders);
const void* WarpKey();
const void* NamedKey(int id);
const void* ClusterKey();

// Called by all lanes of a warp: returns the value of `lane`. Orders no accesses.
uint64_t Shuffle(uint64_t value, int lane);

// Barriers in shared memory (mbarrier).
void InitBarrier(void* barrier, int arrivals);
void Arrive(void* barrier, int expected_bytes);
void CompleteBytes(void* barrier, int bytes);  // called by asynchronous work
bool HasEnded(void* barrier, uint32_t parity);
void WaitFor(void* barrier, uint32_t parity);

// Does `work` later, asynchronously; it is ordered after this call. `is_store`: WaitForStores waits
// for it.
void DoLater(bool is_store, std::function<void()> work);
// Waits until all but the last `left` stores of this thread are done.
void WaitForStores(int left);

// Collects this thread's wgmmas in groups, and does them when they are waited for.
void Multiply(std::function<void()> work);
void CommitMultiplies();
void WaitForMultiplies(int left);

// While it exists, ThreadSanitizer ignores this thread's reads: other threads read the same data.
class Unseen {
 public:
  explicit Unseen(bool unseen);
  ~Unseen();

 private:
  bool unseen_;
};

}  // namespace jaxgemm::stand_in
