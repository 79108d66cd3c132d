// Copies in chunks on the CPU. Each copy has a thread of its own, because workgroups that wait for
// chunks may occupy all of XLA's threads. The thread runs only while a call of the program waits
// for it: when a program fails, XLA frees its arrays as soon as all calls that have begun are
// done, and does not wait for other threads.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime/chunked_copy.h"

namespace jaxgemm {

// Sets the signals to zero and registers the copy, which starts later: the first product of this
// run (one execution of a program) that waits for these signals begins the copy.
void ListHostCopy(int64_t run, const ChunkedCopy& copy);

// Starts a thread for the copy that is listed under these signals. The thread calls `ended` after
// its last write. Returns whether there was such a copy; if not, `ended` is not called.
bool BeginHostCopy(int64_t run, const uint32_t* signals, std::function<void()> ended);

// Waits until the run's copy under these signals, if there is one, has ended. A copy that no
// product has begun is made here.
void JoinHostCopy(int64_t run, const uint32_t* signals);

// Waits for all threads that copy. It is called at the end of the process, before the memory that
// they write to is freed.
void WaitForHostCopies();

}  // namespace jaxgemm
