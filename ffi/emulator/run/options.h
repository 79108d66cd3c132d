// Options of the emulation of a launch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/clock/constants.h"

namespace jaxgemm::emulator {

struct Beside;

struct Options {
  uint64_t seed = 0;      // seed of the random order in which waves take turns
  uint32_t quantum = 64;  // instructions of a wave's turn
  uint32_t resident = 8;  // workgroups that are resident at once
  bool shuffle = true;    // waves take turns in a new random order each round; else in order
  // XCC_ID, the number of the XCD that a workgroup runs on: xcc_ids[w % size] for workgroup w, or a
  // random element of xcc_ids (by the seed). MI300X and MI355X give workgroups to 8 XCDs in turn.
  std::vector<uint32_t> xcc_ids = {0, 1, 2, 3, 4, 5, 6, 7};
  bool random_xcc = false;

  bool check_waits = true;  // accesses to registers before their s_waitcnt
  // check_hazards: wait states that software must insert. check_store_hazards: among these, those
  // between a store of more than 64 bits and a write of its data registers, too.
  bool check_hazards = true;
  bool check_store_hazards = true;
  // LDS races between the waves of a workgroup: those of a load from global memory to the LDS with
  // any access, and those of LDS instructions with one another.
  bool check_lds_loads = true;
  bool check_lds_races = true;
  bool check_global_races = true;  // races between workgroups, and between waves of one
  // Among these races: plain loads of what atomics of another workgroup change. A loop of
  // compare-and-swap begins with one, and a stale value does no harm there.
  bool check_atomic_races = true;
  bool check_uninitialized = true;  // reads of LDS that nothing wrote
  bool check_bounds = true;         // global accesses outside the buffers given
  bool check_alignment = true;      // loads and stores that the hardware would split

  // A launch hangs if no wave decides anew (see Progress in units.h) for this many instructions, or
  // if none advances for sixteen times as many, and 4 million at least.
  uint64_t idle_limit = 4'000'000;
  bool profile = false;  // whether to count the executions of each instruction
  // The clock: how many of the first workgroups run on one compute unit and are timed (0: none),
  // whether the times of each instruction are reported, and constants other than constants.def's.
  uint32_t clock = 0;
  bool timeline = false;
  ClockChanges clock_changes;
  std::shared_ptr<Beside> beside;  // a kernel that runs beside each launch; null: none
};

// Reads "seed=3;quantum=17;xcc=0,0,1" over `options`; "checks=0" switches all checks off.
// Throws EmulationError for an unknown name or an invalid value.
void ParseOptions(std::string_view text, Options* options);

}  // namespace jaxgemm::emulator
