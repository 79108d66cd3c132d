#include "emulator/api/session.h"

#include <deque>

#include "emulator/alu/host_float.h"
#include "emulator/decode/check_code.h"

namespace jaxgemm::emulator {
namespace {

constexpr size_t kMaxRecords = 4096;  // the oldest are dropped

struct Session {
  std::mutex launch;  // held while a kernel runs
  std::mutex state;   // guards the rest
  Options options;
  std::deque<Record> records;
};

Session& TheSession() {
  static Session* session = new Session;  // never freed, so that it outlives all threads
  return *session;
}

}  // namespace

Module::Module(std::string_view bytes) : object(bytes) {
  for (const Kernel& kernel : object.kernels()) functions.push_back({this, &kernel, nullptr, {}});
}

Function* Module::GetFunction(std::string_view name) {
  const Kernel& kernel = object.kernel(name);
  return &functions[&kernel - object.kernels().data()];
}

Code Function::ToRun() {
  if (program == nullptr) program = std::make_unique<Program>(module->object, *kernel);
  return {module->object, *kernel, *program};
}

const std::string& Function::Refusal() {
  std::lock_guard guard(module->refusals);
  if (!refusal) refusal = CheckCode(module->object, *kernel);
  return *refusal;
}

Record RunFunction(Function* function, const Launch& launch, const Options& options) {
  Session& session = TheSession();
  const InterruptWatch watch;
  std::lock_guard running(session.launch);
  const HostFloatMode float_mode;
  Record record = Run(function->ToRun(), launch, options, watch);
  std::lock_guard guard(session.state);
  if (session.records.size() == kMaxRecords) session.records.pop_front();
  session.records.push_back(record);
  return record;
}

Options ProcessOptions() {
  std::lock_guard guard(TheSession().state);
  return TheSession().options;
}

void SetProcessOptions(const Options& options) {
  std::lock_guard guard(TheSession().state);
  TheSession().options = options;
}

void ClearRecords() {
  std::lock_guard guard(TheSession().state);
  TheSession().records.clear();
}

size_t CountRecords() {
  std::lock_guard guard(TheSession().state);
  return TheSession().records.size();
}

std::string RecordJson(size_t index) {
  std::lock_guard guard(TheSession().state);
  const auto& records = TheSession().records;
  return index < records.size() ? records[index].ToJson() : "";
}

Thread& ThisThread() {
  thread_local Thread thread;
  return thread;
}

size_t CopyText(const std::string& text, char* out, size_t capacity) {
  if (capacity > 0) out[text.copy(out, capacity - 1)] = 0;
  return text.size();
}

}  // namespace jaxgemm::emulator
