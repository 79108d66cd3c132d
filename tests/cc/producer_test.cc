// Producers on the CPU, on real threads; and those on GPUs over functions that record what they
// are asked to do: in which order, on which stream, and what a failure leaves behind.
#include <cstring>
#include <string>
#include <vector>

#include "backend/producer_host.h"
#include "backend/side_stream.h"
#include "kernel/sync.h"
#include "testing.h"
#include "trace.h"

namespace jaxgemm {
namespace {

// ------------------------------------------------------------------------------------- CPU

struct Buffers {
  Buffers(int64_t outer, int64_t rows, int64_t row_bytes, int64_t chunk_rows) {
    source.resize(outer * rows * row_bytes);
    for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<char>(1 + i * 7 % 126);
    data.assign(source.size(), 0);
    copy = {.source = source.data(), .data = data.data(), .outer = outer, .rows = rows,
            .row_bytes = row_bytes, .chunk_rows = chunk_rows};
    signals.assign(copy.num_chunks(), 0);
    copy.signals = signals.data();
    copy.first_chunk = copy.num_chunks() / 3;
  }
  // Of every outer index, as soon as the signal says so.
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

void TestHostProducers() {
  RunOnThreads(200, 4, [](int64_t index) {
    Buffers buffers(1 + index % 3, 1 + index, 5, 1 + index % 7);
    for (int round = 0; round < 3; ++round) {
      StartHostProducer(buffers.copy);
      if (index % 2 == 0) {
        for (int64_t chunk = 0; chunk < buffers.copy.num_chunks(); ++chunk) {
          CHECK_THAT(buffers.Arrives(chunk), "chunk %ld", chunk);
        }
      }
      // Also for others, whose producers may run on; and joins that come twice.
      if (index % 5 == 0) JoinAllHostProducers();
      JoinHostProducer(buffers.copy.signals);
      JoinHostProducer(buffers.copy.signals);
      CHECK_THAT(buffers.data == buffers.source, "call %ld, round %d", index, round);
      std::fill(buffers.data.begin(), buffers.data.end(), 0);
    }
  });
  Buffers nothing(2, 0, 5, 3);
  StartHostProducer(nothing.copy);
  JoinHostProducer(nothing.copy.signals);
}

void TestTrace() {
  Buffers buffers(2, 10, 3, 4);
  auto run = [&] {
    StartHostProducer(buffers.copy);
    JoinHostProducer(buffers.copy.signals);
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
intptr_t made;  // streams and events are numbers

std::string Name(const void* handle) {
  return std::to_string(reinterpret_cast<intptr_t>(handle));
}
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
    return Note("set", " " + std::to_string(count) + " words to " + std::to_string(word) +
                           " on " + Name(stream));
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
  streams.synchronize_event = [](void* event) { return Note("wait for event", " " + Name(event)); };
  streams.wait_event = [](void* stream, void* event, unsigned) {
    return Note("hold", " " + Name(stream) + " for " + Name(event));
  };
  streams.copy_to_host = [](void* to, const void*, size_t bytes, void* stream) {
    std::memcpy(to, &status, bytes);
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
    return Note("copy rows", " " + std::to_string(rows) + " x " + std::to_string(bytes) + " on " +
                                 Name(stream));
  };
  streams.write_word = [](void* stream, void* address, uint32_t value) {
    *static_cast<uint32_t*>(address) = value;
    return Note("write", " " + std::to_string(value) + " on " + Name(stream));
  };
  streams.wait_word = [](void* stream, void*, uint32_t value) {
    return Note("hold until", " " + std::to_string(value) + " on " + Name(stream));
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
  ExpectError("no stream", sides.Start(copy, 0, kXla), "Initialize stage has not run");
  Expect("open", sides.Open(0), {"stream 1 -3", "stream 1 -3"});
  Expect("open again", sides.Open(0), {});
  ExpectError("too many devices", sides.Open(64), "device 64 is beyond the 64");

  copy.first_chunk = 1;
  // Of copies on one stream, with signals on another: all but the last, which nothing waits behind.
  auto enqueued = [](const std::string& event, bool is_new, const std::string& copies,
                     const std::string& signals, const Calls& each) {
    Calls wanted{"set 3 words to 0 on 7"};
    if (is_new) wanted.push_back("event " + event);
    wanted.insert(wanted.end(), {"record " + event + " on 7", "hold " + copies + " for " + event});
    for (size_t i = 0; i < each.size(); ++i) {
      wanted.push_back(each[i] + " on " + copies);
      if (i == each.size() - 1) {
        wanted.push_back("write 1 on " + copies);
      } else {
        wanted.insert(wanted.end(), {"record " + event + " on " + copies,
                                     "hold " + signals + " for " + event,
                                     "write 1 on " + signals});
      }
    }
    // The buffers are in use until both have ended.
    wanted.insert(wanted.end(), {"record " + event + " on " + signals,
                                 "hold " + copies + " for " + event,
                                 "record " + event + " on " + copies});
    return wanted;
  };
  const Calls rows{"copy 32", "copy 16", "copy 32"};
  const Calls columns{"copy rows 5 x 32", "copy rows 5 x 32", "copy rows 5 x 16"};
  Expect("start", sides.Start(copy, 0, kXla), enqueued("102", true, "101", "100", rows));
  CHECK_THAT(buffers.data == buffers.source, "copied");
  Expect("join", sides.Join(copy.signals, 0, kXla), {"hold 7 for 102"});
  Expect("join again", sides.Join(copy.signals, 0, kXla), {});
  Expect("start again", sides.Start(copy, 0, kXla), enqueued("102", false, "101", "100", rows));
  // No join came: the program failed. What it began must not write to the signals any more.
  Calls after = enqueued("102", false, "101", "100", rows);
  after.insert(after.begin(), "hold 7 for 102");
  Expect("start without a join", sides.Start(copy, 0, kXla), after);

  Buffers wide(5, 10, 8, 4);
  wide.copy.first_chunk = 0;
  wide.copy.from_host = true;
  Expect("start of columns", sides.Start(wide.copy, 0, kXla),
         enqueued("103", true, "101", "100", columns));
  CHECK_THAT(wide.data == wide.source, "columns copied");

  Expect("status", sides.ReadStatus(&status, 0, kXla, &status), {"read on 7", "wait for 7"});
  status = 3;
  int32_t value = 0;
  std::string error = sides.ReadStatus(&status, 0, kXla, &value);
  Calls given = Take();
  CHECK_THAT(error.empty() && value == 3 && given.size() == 4, "a chunk is missing: all end");
  Expect("nothing to join", sides.Join(copy.signals, 0, kXla), {});
  status = 0;
  Expect("join of others'", sides.JoinSignals(buffers.signals.data(), 2, 9, 0, kXla),
         {"hold until 9 on 7", "hold until 9 on 7"});

  // Within the device: before what comes next on XLA's stream, unless a product leaves room.
  Expect("open 1", sides.Open(1), {"stream 1 -3", "stream 1 -3"});
  bool is_new = true;
  for (const bool from_host : {false, true}) {
    for (const bool leaves_room : {false, true}) {
      copy.from_host = from_host;
      copy.product_leaves_room = leaves_room;
      Calls wanted = enqueued("106", is_new, "105", "104", rows);
      if (!from_host && !leaves_room) wanted.push_back("hold 7 for 106");
      Expect("start on 1", sides.Start(copy, 1, kXla), wanted);
      Expect("join on 1", sides.Join(copy.signals, 1, kXla), {"hold 7 for 106"});
      is_new = false;
    }
  }
  Expect("open 2", sides.Open(2), {"stream 1 -3", "stream 1 -3"});
  wide.copy.from_host = false;
  Calls wanted = enqueued("109", true, "108", "107", columns);
  wanted.push_back("hold 7 for 109");
  Expect("start of columns within the device", sides.Start(wide.copy, 2, kXla), wanted);

  // Whatever fails: what was begun has ended before the error frees its buffers.
  copy.from_host = true;
  for (const char* function : {"record", "hold", "copy", "write"}) {
    failing = function;
    ExpectError(function, sides.Start(copy, 0, kXla),
                "starting a producer failed: device 0, errorFake: as the test wanted");
    given = Take();
    CHECK_THAT(given.back() == "wait for 100" && given[given.size() - 2] == "wait for 101",
               "%s: %s", function, given.back().c_str());
    failing = "";
    Expect("nothing was begun", sides.Join(copy.signals, 0, kXla), {});
  }
  failing = "set";
  ExpectError("set", sides.Start(copy, 0, kXla), "zeroing the signals failed");
  failing = "read";
  ExpectError("read", sides.ReadStatus(&status, 0, kXla, &value), "whether all chunks came");
  failing = "";
}

}  // namespace
}  // namespace jaxgemm

int main() {
  using namespace jaxgemm;
  TestHostProducers();
  TestTrace();
  TestSideStreams();
  std::printf("producer_test: %d failures\n", failures);
  return failures != 0;
}
