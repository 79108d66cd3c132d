// A stand-in for a cluster of CTAs of a Hopper GPU: their threads are fibers of one host thread,
// which take turns at random. What the hardware does asynchronously (copies, wgmma) is done as
// late as it may be, in any order, so that whoever does not wait for it finds what was there
// before. Under ThreadSanitizer each fiber is a thread, and what is not ordered by a barrier is a
// race.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace jaxgemm::stand_in {

inline constexpr int kThreads = 384, kWarp = 32, kMostCtas = 8;
inline constexpr size_t kSharedBytes = 227 * 1024;

// Runs `kernel` in all threads of one cluster after the other, `clusters` of them. False: they wait
// for each other, or shared memory was written outside of its bounds.
bool Launch(int clusters, int cluster_size, uint64_t seed, const std::function<void()>& kernel);

// Of the thread that calls.
int ThreadIndex();
int BlockIndex();
int Rank();
int ClusterCount();
char* Shared(int rank);  // of a CTA of its cluster
inline char* Shared() { return Shared(Rank()); }

// Others may go on.
void MayYield();

// Where threads meet: `key` names the place, `expected` of them come.
void Meet(const void* key, int expected, bool orders);
// The same in two steps.
void Join(const void* key, int expected, bool orders);
void AwaitOthers(const void* key, bool orders);
const void* WarpKey();
const void* NamedKey(int id);
const void* ClusterKey();

// By all lanes of a warp: the value that `lane` gave. Orders nothing.
uint64_t Shuffle(uint64_t value, int lane);

// Barriers in shared memory.
void InitBarrier(void* barrier, int arrivals);
void Arrive(void* barrier, int expected_bytes);
void CompleteBytes(void* barrier, int bytes);  // by what was done later
bool HasEnded(void* barrier, uint32_t parity);
void WaitFor(void* barrier, uint32_t parity);

// Done later, by something else, which is ordered after this. `is_store`: one of the groups that
// WaitForStores counts.
void DoLater(bool is_store, std::function<void()> work);
// All but the last `left` that this thread began have been done.
void WaitForStores(int left);

// What this thread's wgmmas will do, in groups.
void Multiply(std::function<void()> work);
void CommitMultiplies();
void WaitForMultiplies(int left);

// What is read meanwhile the sanitizer does not look at: others look at the same.
class Unseen {
 public:
  explicit Unseen(bool unseen);
  ~Unseen();

 private:
  bool unseen_;
};

}  // namespace jaxgemm::stand_in
