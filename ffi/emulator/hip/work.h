// The work that streams and graphs run.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "emulator/hip/state.h"

namespace jaxgemm::emulator {

struct Work {
  virtual ~Work() = default;
  virtual const char* kind() const = 0;
  // Runs on the device of the stream. Throws an exception if it fails.
  virtual void Run(Device& device) const = 0;
  // Whether it also runs after work of its stream was interrupted: the host waits for it.
  virtual bool RunsAfterInterruption() const { return false; }
};
using WorkPtr = std::shared_ptr<const Work>;

struct HostWork : Work {
  HostWork(const char* kind, std::function<void()> function)
      : kind_(kind), function_(std::move(function)) {}
  const char* kind() const override { return kind_; }
  bool RunsAfterInterruption() const override { return true; }
  void Run(Device&) const override { function_(); }

 private:
  const char* kind_;
  std::function<void()> function_;
};

// Copies and memsets, with their ranges checked. Throw HipFailure.
WorkPtr MakeCopy(void* to, const void* from, size_t bytes);
WorkPtr MakeMemset(const hipMemsetParams& parameters);

// A launch. The arguments are read at once. Throws an exception if the launch is not possible.
WorkPtr MakeLaunch(Function* function, Dim3 grid, Dim3 block, size_t dynamic_lds, void** parameters,
                   void** extra);

}  // namespace jaxgemm::emulator
