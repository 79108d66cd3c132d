// The C functions of the stand-in HIP runtime that jaxgemm/emulator/ calls; see api/c_api.cc.
#include "emulator/hip/graph.h"
#include "emulator/hip/state.h"

using namespace jaxgemm::emulator;

namespace {

template <class F>
int ZeroOrError(F&& f) {
  return Guarded(f) == hipSuccess ? 0 : -1;
}

}  // namespace

// Selects this thread's device: the first of the arch, "gfx942", "gfx950" or "gfx90a".
JAXGEMM_EXPORT int jaxgemm_emulator_set_arch(const char* name) {
  return ZeroOrError([&] {
    const Arch arch = ArchByName(name);
    int device = 0;
    while (DeviceAt(device).arch != arch) ++device;
    ThisThread().device = device;
  });
}

// Replaces the devices by `count` devices of the chip, which is a name or an arch. The process must
// not have used a device yet.
JAXGEMM_EXPORT int jaxgemm_emulator_set_devices(const char* chip, int count) {
  return ZeroOrError([&] { SetDevices(chip, count); });
}

// Delays each operation of a stream by a random time below `most_microseconds`, and runs the nodes
// of graphs in random orders. With a seed of 0 it switches both off.
JAXGEMM_EXPORT void jaxgemm_emulator_set_stream_delays(uint64_t seed, unsigned most_microseconds) {
  SetStreamMode({seed, most_microseconds});
}

// Sets a function that is called when SIGINT has interrupted work of a stream, before the host
// learns that this work is over.
JAXGEMM_EXPORT void jaxgemm_emulator_on_interruption(void (*function)()) {
  SetOnInterruption(function);
}

// The number of graphs that have run since the process started. XLA's command buffers are graphs.
JAXGEMM_EXPORT uint64_t jaxgemm_emulator_count_graphs() { return CountGraphsRun(); }
