// State that the C functions and the stand-in HIP runtime share: loaded modules, the options of
// the process, the buffers and the error of each thread, and the records of finished launches.
// One launch runs at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/decode/program.h"
#include "emulator/run/code_object.h"
#include "emulator/run/machine.h"
#include "emulator/run/options.h"

namespace jaxgemm::emulator {

struct Module;

// A kernel of a loaded module.
struct Function {
  Module* module;
  const Kernel* kernel;
  std::unique_ptr<Program> program;  // created when the kernel first runs
  std::optional<std::string> refusal;

  Code ToRun();
  // CheckCode of the kernel, done once. Any thread may ask.
  const std::string& Refusal();
};

struct Module {
  explicit Module(std::string_view bytes);
  Function* GetFunction(std::string_view name);  // throws EmulationError

  CodeObject object;
  std::vector<Function> functions;
  std::mutex refusals;  // guards the `refusal` of functions
};

// Runs the kernel and keeps its record. Throws EmulationError. Any thread may call it.
Record RunFunction(Function* function, const Launch& launch, const Options& options);

// The options of launches through the HIP runtime, for all threads.
Options ProcessOptions();
void SetProcessOptions(const Options& options);

// The records of the last launches since ClearRecords, up to a limit.
void ClearRecords();
size_t CountRecords();
std::string RecordJson(size_t index);

// State of one thread.
struct Thread {
  int device = 0;                 // the current device
  std::vector<int> device_stack;  // the devices below it (hipCtxPushCurrent)
  std::vector<Buffer> buffers;    // buffers that the next launch may access
  bool buffers_given = false;
  std::string error;  // message of the last call that failed
};
Thread& ThisThread();

// Copies a text, or what fits, into the `capacity` bytes of `out`; returns the length of the whole.
size_t CopyText(const std::string& text, char* out, size_t capacity);

}  // namespace jaxgemm::emulator

#define JAXGEMM_EXPORT extern "C" __attribute__((visibility("default")))
