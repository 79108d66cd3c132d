// Producers on the CPU: each a thread of its own, since workgroups that wait for chunks may occupy
// all of XLA's.
#pragma once

#include "chunked_copy.h"

namespace jaxgemm {

// Sets the signals to zero and leaves the copy to a thread. The buffers must stay until a join.
void StartHostProducer(const ChunkedCopy& copy);

// Waits for the producer of these signals to end, if there is one.
void JoinHostProducer(const uint32_t* signals);

// Waits for all: before an error, or the end of the process, frees buffers that they write to.
void JoinAllHostProducers();

}  // namespace jaxgemm
