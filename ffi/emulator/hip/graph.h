// Graphs, and the capture of streams into them.
#pragma once

#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "emulator/hip/work.h"

namespace jaxgemm::emulator {

struct Node {
  WorkPtr work;  // null: an empty node
  std::vector<Node*> after;
};

// A node of a graph that runs: `after` are indices of earlier steps.
struct GraphStep {
  const Node* node;
  WorkPtr work;
  std::vector<int> after;
};

class Graph {
 public:
  // Throws HipFailure if a node of `after` is not in this graph.
  Node* Add(WorkPtr work, std::vector<Node*> after);
  const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  std::vector<GraphStep> Steps() const;
  std::string Dot() const;

 private:
  std::vector<std::unique_ptr<Node>> nodes_;  // each after those that it depends on
};

// The steps of a graph as one piece of work: a launch, or the node of a child graph.
WorkPtr MakeGraphWork(std::vector<GraphStep> steps);

// How many graphs have run, child graphs included.
uint64_t CountGraphsRun();

class GraphExec {
 public:
  explicit GraphExec(const Graph& graph) : steps_(graph.Steps()) {}
  // Replaces the work of a node. Throws HipFailure if the node has no work of the same kind.
  void Set(const Node* node, WorkPtr work);
  void SetChild(const Node* node, const Graph& child);
  WorkPtr work() const { return MakeGraphWork(steps_); }

 private:
  WorkPtr& WorkOf(const Node* node, std::string_view kind);

  std::vector<GraphStep> steps_;
};

// Values of hipStreamCaptureMode.
enum class CaptureMode { kGlobal = 0, kThreadLocal = 1, kRelaxed = 2 };

struct Capture {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  Stream* origin;
  std::set<Stream*> streams;  // origin, and those that wait for a captured event
  CaptureMode mode;
  std::thread::id thread;
  std::string failure;  // what made the capture invalid
};

void BeginCapture(Stream* stream, CaptureMode mode);
std::unique_ptr<Graph> EndCapture(Stream* stream);
void CaptureWork(Stream* stream, WorkPtr work);
void CaptureRecord(Stream* stream, Event* event);
// Makes the stream join the capture of the event, if there is one. Returns whether there is.
bool CaptureWait(Stream* stream, Event* event);

// These throw HipFailure and make the capture invalid if HIP refuses a call while a stream is
// captured: a call that allocates or loads, work on the null stream, or a wait for the stream.
void RefuseInCapture(const char* function);
void RefuseNullStreamInCapture();
void RefuseCaptured(Stream* stream, const char* function);

}  // namespace jaxgemm::emulator
