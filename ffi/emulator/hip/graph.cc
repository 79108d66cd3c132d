#include "emulator/hip/graph.h"

#include <algorithm>
#include <random>

namespace jaxgemm::emulator {
namespace {

std::atomic<uint64_t> graphs_run{0};

struct GraphWork : Work {
  explicit GraphWork(std::vector<GraphStep> steps) : steps(std::move(steps)) {}
  const char* kind() const override { return "graph"; }

  void Run(Device& device) const override {
    const uint64_t seed = TheStreamMode().seed;
    std::mt19937_64 random(seed + ++graphs_run);
    std::vector<int> left(steps.size());
    std::vector<int> ready;
    for (size_t i = 0; i < steps.size(); ++i) {
      left[i] = static_cast<int>(steps[i].after.size());
      if (left[i] == 0) ready.push_back(static_cast<int>(i));
    }
    while (!ready.empty()) {
      const size_t which = seed != 0 ? random() % ready.size() : 0;
      const int step = ready[which];
      ready.erase(ready.begin() + which);
      if (steps[step].work != nullptr) steps[step].work->Run(device);
      for (size_t i = step + 1; i < steps.size(); ++i) {
        const auto& after = steps[i].after;
        left[i] -= static_cast<int>(std::count(after.begin(), after.end(), step));
        if (left[i] == 0 && std::count(after.begin(), after.end(), step) != 0) {
          ready.push_back(static_cast<int>(i));
        }
      }
    }
  }

  std::vector<GraphStep> steps;
};

const char* KindOf(const WorkPtr& work) { return work == nullptr ? "empty" : work->kind(); }

bool SameShape(const std::vector<GraphStep>& a, const std::vector<GraphStep>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const GraphStep& x, const GraphStep& y) {
    return x.after == y.after && std::string_view(KindOf(x.work)) == KindOf(y.work);
  });
}

}  // namespace

Node* Graph::Add(WorkPtr work, std::vector<Node*> after) {
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  for (const Node* earlier : after) {
    if (std::none_of(nodes_.begin(), nodes_.end(),
                     [=](const auto& node) { return node.get() == earlier; })) {
      throw HipFailure{hipErrorInvalidValue, "A node depends on one that is not in its graph."};
    }
  }
  nodes_.push_back(std::make_unique<Node>(Node{std::move(work), std::move(after)}));
  return nodes_.back().get();
}

std::vector<GraphStep> Graph::Steps() const {
  std::vector<GraphStep> steps;
  for (const auto& node : nodes_) {
    GraphStep step{node.get(), node->work, {}};
    for (size_t i = 0; i < steps.size(); ++i) {
      if (std::count(node->after.begin(), node->after.end(), steps[i].node) != 0) {
        step.after.push_back(static_cast<int>(i));
      }
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

std::string Graph::Dot() const {
  std::string text = "digraph {\n";
  const std::vector<GraphStep> steps = Steps();
  for (size_t i = 0; i < steps.size(); ++i) {
    text += Text("  n%d [label=\"%s\"];\n", static_cast<int>(i), KindOf(steps[i].work));
    for (const int after : steps[i].after) {
      text += Text("  n%d -> n%d;\n", after, static_cast<int>(i));
    }
  }
  return text + "}\n";
}

uint64_t CountGraphsRun() { return graphs_run; }

WorkPtr MakeGraphWork(std::vector<GraphStep> steps) {
  return std::make_shared<GraphWork>(std::move(steps));
}

WorkPtr& GraphExec::WorkOf(const Node* node, std::string_view kind) {
  for (GraphStep& step : steps_) {
    if (step.node == node && kind == KindOf(step.work)) return step.work;
  }
  throw HipFailure{hipErrorInvalidValue,
                   Text("The graph has no such %s node.", std::string(kind).c_str())};
}

void GraphExec::Set(const Node* node, WorkPtr work) { WorkOf(node, work->kind()) = work; }

void GraphExec::SetChild(const Node* node, const Graph& child) {
  WorkPtr& work = WorkOf(node, "graph");
  std::vector<GraphStep> steps = child.Steps();
  if (!SameShape(static_cast<const GraphWork&>(*work).steps, steps)) {
    throw HipFailure{hipErrorGraphExecUpdateFailure,
                     "A child graph can be replaced only by one of the same nodes."};
  }
  work = MakeGraphWork(std::move(steps));
}

}  // namespace jaxgemm::emulator
