// How a launch is emulated.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace jaxgemm::emulator {

struct Beside;

struct Options {
  uint64_t seed = 0;      // of the order in which waves take turns
  uint32_t quantum = 64;  // instructions a wave runs before another takes its turn
  uint32_t resident = 8;  // workgroups in flight at once
  bool shuffle = true;    // waves take turns in a new random order each round; else in order
  // XCC id of workgroup w: xcc_ids[w % size], or random ones (by the seed). MI300X and MI355X
  // deal workgroups to 8 dies in turn.
  std::vector<uint32_t> xcc_ids = {0, 1, 2, 3, 4, 5, 6, 7};
  bool random_xcc = false;

  bool check_waits = true;          // registers and LDS before their s_waitcnt
  bool check_hazards = true;        // wait states that software must insert
  bool check_lds_races = true;      // between the waves of a workgroup
  bool check_global_races = true;   // between workgroups, and waves of one
  bool check_uninitialized = true;  // LDS that nothing wrote
  bool check_bounds = true;         // global accesses outside the buffers given

  // A launch in which nobody does anything that counts (see Progress in machine.h) for so many
  // instructions hangs.
  uint64_t idle_limit = 4'000'000;
  bool profile = false;            // keep counts by instruction
  std::shared_ptr<Beside> beside;  // a kernel that runs beside each launch; null: none
};

// Reads "seed=3;quantum=17;xcc=0,0,1" over `options`; "checks=0" switches all checks off.
// Throws EmulationError for a name or value that is not one.
void ParseOptions(std::string_view text, Options* options);

}  // namespace jaxgemm::emulator
