// Tests producers on the CPU, with real threads. For producers on GPUs, driver functions record
// their calls: the order, the streams, and the state after a failure are checked.
#include "host/producer.h"

#include <algorithm>
#include <cstring>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "host/trace.h"
#include "runtime/side_stream.h"
#include "schedule/atomics.h"
#include "testing.h"

namespace jaxgemm {
namespace {

// ------------------------------------------------------------------------------------- CPU

struct Buffers {
  Buffers(int64_t outer, int64_t rows, int64_t row_bytes, int64_t chunk_rows) {
    source.resize(outer * rows * row_bytes);
    for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<char>(1 + i * 7 % 126);
    data.assign(source.size(), 0);
    copy = {.source = source.data(),
            .data = data.data(),
            .outer = outer,
            .rows = rows,
            .row_bytes = row_bytes,
            .chunk_rows = chunk_rows};
    signals.assign(copy.num_chunks(), 0);
    copy.signals = signals.data();
    copy.first_chunk = copy.num_chunks() / 3;
  }
  // Waits for the signal. Returns whether the chunk has then arrived for every outer index.
  bool Arrives(int64_t chunk) const {
    while (!AcquireIfEqual(&signals[chunk], 1)) SleepBriefly();
    for (int64_t i = 0; i < copy.outer; ++i) {
      const int64_t offset = i * copy.pitch() + copy.offset(chunk);
      if (std::memcmp(&data[offset], &source[offset], copy.bytes(chunk)) != 0) return false;
    }
    return true;
  }

  std::vector<char> source, data;
  std::vector<uint32_t> signals;
  ChunkedCopy copy;
};

constexpr int64_t kRun = 17;  // id of one execution of a program

void TestHostCopies() {
  RunOnThreads(200, 4, [](int64_t index) {
    Buffers buffers(1 + index % 3, 1 + index, 5, 1 + index % 7);
    const uint32_t* signals = buffers.copy.signals;
    for (int round = 0; round < 3; ++round) {
      const int64_t run = 100 * index + round;
      ListHostCopy(run, buffers.copy);
      std::promise<void> ended;
      if (index % 3 != 0) {
        CHECK_THAT(!BeginHostCopy(run + 1, signals, [] {}), "another run's");
        CHECK_THAT(BeginHostCopy(run, signals, [&] { ended.set_value(); }), "call %ld", index);
        CHECK_THAT(!BeginHostCopy(run, signals, [] {}), "begun twice");
      }
      if (index % 3 == 1) {
        for (int64_t chunk = 0; chunk < buffers.copy.num_chunks(); ++chunk) {
          CHECK_THAT(buffers.Arrives(chunk), "chunk %ld", chunk);
        }
      }
      // This waits for other threads' copies, too. A second join must do nothing.
      if (index % 5 == 0) WaitForHostCopies();
      JoinHostCopy(run, signals);
      JoinHostCopy(run, signals);
      CHECK_THAT(buffers.data == buffers.source, "call %ld, round %d", index, round);
      if (index % 3 != 0) ended.get_future().wait();
      std::fill(buffers.data.begin(), buffers.data.end(), 0);
    }
  });
  Buffers nothing(2, 0, 5, 3);
  ListHostCopy(kRun, nothing.copy);
  JoinHostCopy(kRun, nothing.copy.signals);
}

// A program that fails before its product leaves a listed copy, which must never begin.
void TestHostCopyOfAFailedProgram() {
  Buffers buffers(2, 100, 5, 3);
  ListHostCopy(kRun, buffers.copy);
  const std::vector<char> before = buffers.data;
  // Other programs, each with its own producer, on the same memory.
  CHECK_THAT(!BeginHostCopy(kRun + 1, buffers.copy.signals, [] {}), "begun by another program");
  JoinHostCopy(kRun + 1, buffers.copy.signals);
  WaitForHostCopies();
  CHECK_THAT(buffers.data == before, "written to");
  ListHostCopy(kRun + 2, buffers.copy);
  CHECK_THAT(!BeginHostCopy(kRun, buffers.copy.signals, [] {}), "what was listed before");
  JoinHostCopy(kRun + 2, buffers.copy.signals);
  CHECK_THAT(buffers.data == buffers.source, "copied");
}

void TestTrace() {
  Buffers buffers(2, 10, 3, 4);
  auto run = [&] {
    ListHostCopy(kRun, buffers.copy);
    JoinHostCopy(kRun, buffers.copy.signals);
  };
  StartTrace();
  run();
  const std::vector<TracedSpan> spans = StopTrace();
  CHECK_THAT(spans.size() == 3, "%zu", spans.size());
  for (size_t i = 0; i < spans.size(); ++i) {
    CHECK_THAT(spans[i].what == std::string("copy") &&
                   spans[i].number == buffers.copy.chunk(static_cast<int64_t>(i)) &&
                   spans[i].begin_ns <= spans[i].end_ns,
               "span %zu", i);
  }
  run();
  CHECK_THAT(StopTrace().empty(), "recorded without being asked");
}

// ------------------------------------------------------------------------------------ GPUs

using Calls = std::vector<std::string>;
Calls calls;
std::string failing;
int32_t status;
std::vector<std::vector<uint32_t>> words_to_read;
intptr_t made;  // number of streams and events made; handles are 100 + this

std::string Name(const void* handle) { return std::to_string(reinterpret_cast<intptr_t>(handle)); }
int Note(const std::string& function, const std::string& arguments) {
  calls.push_back(function + arguments);
  return failing == function ? 700 : 0;
}
Calls Take() { return std::exchange(calls, {}); }

void* const kXla = reinterpret_cast<void*>(7);

Driver FakeDriver() {
  Driver driver{};
  driver.library = "libfake.so";
  driver.get_device = [](int* device) { return *device = 0, 0; };
  driver.set_device = [](int) { return 0; };
  driver.set_words = [](void*, int word, size_t count, void* stream) {
    return Note("set", " " + std::to_string(count) + " words to " + std::to_string(word) + " on " +
                           Name(stream));
  };
  driver.error_name = [](DriverResult) { return "errorFake"; };
  driver.error_text = [](DriverResult) { return "as the test wanted"; };
  return driver;
}

StreamDriver FakeStreams() {
  StreamDriver streams{};
  streams.priority_range = [](int* least, int* greatest) {
    *least = 0, *greatest = -3;
    return 0;
  };
  streams.create_stream = [](void** stream, unsigned flags, int priority) {
    *stream = reinterpret_cast<void*>(100 + made++);
    return Note("stream", " " + std::to_string(flags) + " " + std::to_string(priority));
  };
  streams.synchronize_stream = [](void* stream) { return Note("wait for", " " + Name(stream)); };
  streams.create_event = [](void** event, unsigned) {
    *event = reinterpret_cast<void*>(100 + made++);
    return Note("event", " " + Name(*event));
  };
  streams.record_event = [](void* event, void* stream) {
    return Note("record", " " + Name(event) + " on " + Name(stream));
  };
  streams.wait_event = [](void* stream, void* event, unsigned) {
    return Note("hold", " " + Name(stream) + " for " + Name(event));
  };
  streams.copy_to_host = [](void* to, const void*, size_t bytes, void* stream) {
    // The call reads a status, or signals, which differ from call to call.
    if (words_to_read.empty()) {
      std::memcpy(to, &status, std::min(bytes, sizeof(status)));
    } else {
      std::memcpy(to, words_to_read.front().data(), bytes);
      if (words_to_read.size() > 1) words_to_read.erase(words_to_read.begin());
    }
    return Note("read", " on " + Name(stream));
  };
  streams.copy = [](void* to, const void* from, size_t bytes, void* stream) {
    std::memcpy(to, from, bytes);
    return Note("copy", " " + std::to_string(bytes) + " on " + Name(stream));
  };
  streams.copy_rows = [](void* to, const void* from, size_t pitch, size_t bytes, size_t rows,
                         void* stream) {
    for (size_t i = 0; i < rows; ++i) {
      std::memcpy(static_cast<char*>(to) + i * pitch, static_cast<const char*>(from) + i * pitch,
                  bytes);
    }
    return Note("copy rows",
                " " + std::to_string(rows) + " x " + std::to_string(bytes) + " on " + Name(stream));
  };
  streams.write_word = [](void* stream, void* address, uint32_t value) {
    *static_cast<uint32_t*>(address) = value;
    return Note("write", " " + std::to_string(value) + " on " + Name(stream));
  };
  return streams;
}

void Expect(const char* what, const std::string& error, const Calls& wanted) {
  const Calls given = Take();
  std::string text;
  for (const std::string& call : given) text += "\n    " + call;
  CHECK_THAT(error.empty() && given == wanted, "%s: %s%s", what, error.c_str(), text.c_str());
}
void ExpectError(const char* what, const std::string& error, const char* part) {
  CHECK_THAT(error.find(part) != std::string::npos, "%s: '%s' lacks '%s'", what, error.c_str(),
             part);
}

void TestSideStreams() {
  const Driver driver = FakeDriver();
  const StreamDriver streams = FakeStreams();
  SideStreams sides(&driver, &streams);
  Buffers buffers(1, 10, 8, 4);
  ChunkedCopy copy = buffers.copy;
  copy.from_host = true;
  auto list = [&](const ChunkedCopy& copy, int device, int64_t run = kRun) {
    return sides.List(run, copy, device, kXla);
  };
  // Runs a product on XLA's stream, with the copy around it.
  auto around = [&](const ChunkedCopy& copy, int device, int64_t run = kRun,
                    const std::string& error = "") {
    return sides.Around(run, copy.signals, device, kXla, [error] {
      calls.push_back("product");
      return error;
    });
  };
  ExpectError("no stream", list(copy, 0), "Initialize stage has not run");
  Expect("open", sides.Open(0), {"stream 1 -3", "stream 1 -3"});
  Expect("open again", sides.Open(0), {});
  ExpectError("too many devices", sides.Open(64), "device 64 is beyond the 64");

  copy.first_chunk = 1;
  const Calls zeroed{"set 3 words to 0 on 7"};
  // The calls for copies on one stream and signals on another. The last signal is on the stream of
  // the copies, because no copy follows it. Then come the product and a wait of XLA's stream.
  auto enqueued = [](const std::string& event, bool is_new, const std::string& copies,
                     const std::string& signals, const Calls& each, bool beside = true,
                     bool has_product = true) {
    Calls wanted;
    if (is_new) wanted.push_back("event " + event);
    wanted.insert(wanted.end(), {"record " + event + " on 7", "hold " + copies + " for " + event});
    for (size_t i = 0; i < each.size(); ++i) {
      wanted.push_back(each[i] + " on " + copies);
      if (i == each.size() - 1) {
        wanted.push_back("write 1 on " + copies);
      } else {
        wanted.insert(wanted.end(), {"record " + event + " on " + copies,
                                     "hold " + signals + " for " + event, "write 1 on " + signals});
      }
    }
    // The buffers are in use until both streams have ended.
    wanted.insert(wanted.end(),
                  {"record " + event + " on " + signals, "hold " + copies + " for " + event,
                   "record " + event + " on " + copies});
    if (!beside) wanted.push_back("hold 7 for " + event);
    if (has_product) wanted.push_back("product");
    wanted.push_back("hold 7 for " + event);
    return wanted;
  };
  const Calls rows{"copy 32", "copy 16", "copy 32"};
  const Calls columns{"copy rows 5 x 32", "copy rows 5 x 32", "copy rows 5 x 16"};
  Expect("list", list(copy, 0), zeroed);
  CHECK_THAT(buffers.data != buffers.source, "not begun");
  Expect("another run's product", around(copy, 0, kRun + 1), {"product"});
  Expect("product", around(copy, 0), enqueued("102", true, "101", "100", rows));
  CHECK_THAT(buffers.data == buffers.source, "copied");
  Expect("second product", around(copy, 0), {"product"});
  Expect("join", sides.Join(kRun, copy.signals, 0, kXla), {});
  Expect("list again", list(copy, 0), zeroed);
  Expect("join without a product", sides.Join(kRun, copy.signals, 0, kXla),
         enqueued("102", false, "101", "100", rows, true, false));
  // The program failed before its product: nothing may write to the buffers, which are reused.
  std::fill(buffers.data.begin(), buffers.data.end(), 0);
  Expect("list for a program that fails", list(copy, 0), zeroed);
  Expect("another program's product", around(copy, 0, kRun + 1), {"product"});
  Expect("another program's join", sides.Join(kRun + 1, copy.signals, 0, kXla), {});
  CHECK_THAT(buffers.data != buffers.source, "not begun");
  Expect("list after a failure", list(copy, 0, kRun + 2), zeroed);
  Expect("what was listed before", around(copy, 0), {"product"});
  Expect("after a failure", around(copy, 0, kRun + 2), enqueued("102", false, "101", "100", rows));

  Buffers wide(5, 10, 8, 4);
  wide.copy.first_chunk = 0;
  wide.copy.from_host = true;
  Expect("list of columns", list(wide.copy, 0), zeroed);
  Expect("columns", around(wide.copy, 0), enqueued("102", false, "101", "100", columns));
  CHECK_THAT(wide.data == wide.source, "columns copied");

  Expect("status", sides.ReadStatus(&status, 0, kXla, &status), {"read on 7", "wait for 7"});
  status = 3;
  int32_t value = 0;
  Expect("status", sides.ReadStatus(&status, 0, kXla, &value), {"read on 7", "wait for 7"});
  CHECK_THAT(value == 3, "a chunk is missing: %d", value);
  status = 0;
  // The signals are those of a user's producer. All arrive, or one does not arrive in time.
  int64_t missing = 0;
  auto join_signals = [&](int64_t timeout_ns) {
    return sides.JoinSignals(buffers.signals.data(), 2, 9, timeout_ns, 0, kXla, &missing);
  };
  words_to_read = {{9, 8}, {9, 9}};
  Expect("join of others'", join_signals(int64_t{1} << 60),
         {"wait for 7", "read on 7", "wait for 7", "read on 7", "wait for 7"});
  CHECK_THAT(missing == -1, "%ld", missing);
  words_to_read = {{9, 8}};
  ExpectError("join of what does not come", join_signals(1) + "none", "none");
  CHECK_THAT(missing == 1, "%ld", missing);
  words_to_read.clear();
  Take();

  // XLA's stream waits for a copy within the device before the product, unless that leaves room.
  Expect("open 1", sides.Open(1), {"stream 1 -3", "stream 1 -3"});
  bool is_new = true;
  for (const bool from_host : {false, true}) {
    for (const bool leaves_room : {false, true}) {
      copy.from_host = from_host;
      copy.product_leaves_room = leaves_room;
      Expect("list on 1", list(copy, 1), zeroed);
      Expect("product on 1", around(copy, 1),
             enqueued("105", is_new, "104", "103", rows, from_host || leaves_room));
      is_new = false;
    }
  }

  // After any failure, work that has begun ends before the error frees its buffers.
  copy.from_host = true;
  auto all_waited_for = [](const char* what) {
    const Calls given = Take();
    CHECK_THAT(given.size() > 1 && given.back() == "wait for 100" &&
                   given[given.size() - 2] == "wait for 101",
               "%s: %s", what, given.back().c_str());
  };
  for (const char* function : {"record", "hold", "copy", "write"}) {
    Expect("list", list(copy, 0), zeroed);
    failing = function;
    ExpectError(function, around(copy, 0),
                "a producer's copy failed: device 0, errorFake: as the test wanted");
    all_waited_for(function);
    failing = "";
    Expect("nothing is left", sides.Join(kRun, copy.signals, 0, kXla), {});
  }
  Expect("list", list(copy, 0), zeroed);
  ExpectError("product", around(copy, 0, kRun, "it failed"), "it failed");
  all_waited_for("product");
  failing = "set";
  ExpectError("set", list(copy, 0), "zeroing the signals failed");
  failing = "read";
  ExpectError("read", sides.ReadStatus(&status, 0, kXla, &value), "whether all chunks came");
  ExpectError("read signals", join_signals(1), "waiting for signals failed");
  failing = "";
}

}  // namespace
}  // namespace jaxgemm

int main() {
  using namespace jaxgemm;
  TestHostCopies();
  TestHostCopyOfAFailedProgram();
  TestTrace();
  TestSideStreams();
  std::printf("producer_test: %d failures\n", failures);
  return failures != 0;
}
