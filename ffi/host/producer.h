// Copies in chunks on the CPU: each by a thread of its own, since workgroups that wait for chunks
// may occupy all of XLA's. The thread runs only while a call of the program waits for it: when a
// program fails, XLA frees its arrays once all calls that have begun are done, and asks nobody
// else.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime/chunked_copy.h"

namespace jaxgemm {

// Sets the signals to zero and lists the copy, for the first product of this run (an execution of a
// program) that waits for these signals.
void ListHostCopy(int64_t run, const ChunkedCopy& copy);

// Leaves the copy that is listed under these signals to a thread, which calls `ended` when it has
// written for the last time. Returns whether there was one; without, `ended` is not called.
bool BeginHostCopy(int64_t run, const uint32_t* signals, std::function<void()> ended);

// Returns when the run has no copy under these signals any more; one that no product has begun is
// made here.
void JoinHostCopy(int64_t run, const uint32_t* signals);

// Waits for all threads that copy: before the end of the process frees what they write to.
void WaitForHostCopies();

}  // namespace jaxgemm
