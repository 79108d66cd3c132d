// A stand-in for ROCm's runtime that records its calls, fails in a chosen function, and runs no
// kernel.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kernel/gemm_args.h"

struct FakeHip {
  std::mutex mutex;
  std::vector<std::string> calls;  // with the important arguments
  std::string failing;             // a function that fails from now on
  int capability_minor = 4;        // of all devices
  jaxgemm::GemmArgs arguments;     // of the last launch of a product
  std::deque<std::string> kept;    // the image (a text) of each module, the name of each function

  std::string* Keep(std::string text) {
    std::lock_guard lock(mutex);
    return &kept.emplace_back(std::move(text));
  }

  // The calls since the last Take().
  std::vector<std::string> Take() {
    std::lock_guard lock(mutex);
    return std::exchange(calls, {});
  }
};

// Type of jaxgemm_fake_hip, which the library exports.
using GetFakeHip = FakeHip*();
