// A stand-in for ROCm's runtime that records what it is asked to do, fails where it is told to,
// and runs nothing.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kernel/gemm_args.h"

struct FakeHip {
  std::mutex mutex;
  std::vector<std::string> calls;  // with what matters of their arguments
  std::string failing;             // a function that fails from now on
  int capability_minor = 4;        // of all devices
  jaxgemm::GemmArgs arguments;     // of the last launch
  std::deque<std::string> kept;    // modules are their images, here texts; functions their names

  std::string* Keep(std::string text) {
    std::lock_guard lock(mutex);
    return &kept.emplace_back(std::move(text));
  }

  // The calls since the last one of this.
  std::vector<std::string> Take() {
    std::lock_guard lock(mutex);
    return std::exchange(calls, {});
  }
};

// Exported by the library.
using GetFakeHip = FakeHip*();
