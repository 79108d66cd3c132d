// HIP's functions of captures and graphs.
#include <algorithm>
#include <cstdio>

#include "emulator/hip/graph.h"
#include "emulator/hip/modules.h"
#include "emulator/hip/stream.h"

namespace jaxgemm::emulator {
namespace {

hipError_t AddNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after,
                   size_t count, const std::function<WorkPtr()>& work) {
  return Guarded([&] { *node = graph->Add(work(), {after, after + count}); });
}

WorkPtr KernelWork(const hipKernelNodeParams& parameters) {
  return MakeLaunch(FunctionOf(parameters.function), parameters.grid, parameters.block,
                    parameters.dynamic_lds, parameters.parameters, parameters.extra);
}

hipError_t CopyNodes(const std::vector<Node*>& found, hipGraphNode_t* nodes, size_t* count) {
  if (nodes != nullptr) std::copy_n(found.begin(), std::min(found.size(), *count), nodes);
  *count = found.size();
  return hipSuccess;
}

}  // namespace

hipError_t hipStreamBeginCapture(hipStream_t stream, int mode) {
  return Guarded([&] {
    CheckStream(stream);
    BeginCapture(stream, static_cast<CaptureMode>(mode));
  });
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  return Guarded([&] {
    *graph = nullptr;
    CheckStream(stream);
    *graph = EndCapture(stream).release();
  });
}

hipError_t hipStreamIsCapturing(hipStream_t stream, int* status) {
  return Guarded([&] {
    CheckStream(stream);
    *status = stream == nullptr || stream->capture == nullptr ? 0
              : stream->capture->failure.empty()              ? 1
                                                              : 2;
  });
}

hipError_t hipStreamGetCaptureInfo(hipStream_t stream, int* status, unsigned long long* id) {
  const hipError_t error = hipStreamIsCapturing(stream, status);
  if (error != hipSuccess || id == nullptr) return error;
  *id = *status == 0 ? 0 : reinterpret_cast<uintptr_t>(stream->capture.get());
  return hipSuccess;
}

hipError_t hipGraphCreate(hipGraph_t* graph, unsigned) {
  *graph = new Graph;
  return hipSuccess;
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
  delete graph;
  return hipSuccess;
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* count) {
  std::vector<Node*> all;
  for (const auto& node : graph->nodes()) all.push_back(node.get());
  return CopyNodes(all, nodes, count);
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* count) {
  std::vector<Node*> roots;
  for (const auto& node : graph->nodes()) {
    if (node->after.empty()) roots.push_back(node.get());
  }
  return CopyNodes(roots, nodes, count);
}

hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char* path, unsigned) {
  return Guarded([&] {
    std::FILE* file = std::fopen(path, "w");
    if (file == nullptr) throw HipFailure{hipErrorOperatingSystem, "The file cannot be written."};
    std::fputs(graph->Dot().c_str(), file);
    std::fclose(file);
  });
}

hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after,
                                size_t count) {
  return AddNode(node, graph, after, count, [] { return nullptr; });
}

hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* after, size_t count,
                                 const hipKernelNodeParams* parameters) {
  return AddNode(node, graph, after, count, [&] { return KernelWork(*parameters); });
}

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph,
                                   const hipGraphNode_t* after, size_t count, void* to,
                                   const void* from, size_t bytes, int) {
  return AddNode(node, graph, after, count, [&] { return MakeCopy(to, from, bytes); });
}

hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* after, size_t count,
                                 const hipMemsetParams* parameters) {
  return AddNode(node, graph, after, count, [&] { return MakeMemset(*parameters); });
}

hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* node, hipGraph_t graph,
                                     const hipGraphNode_t* after, size_t count, hipGraph_t child) {
  return AddNode(node, graph, after, count, [&] { return MakeGraphWork(child->Steps()); });
}

hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph, hipGraphNode_t*, char*,
                               size_t) {
  return Guarded([&] { *exec = new GraphExec(*graph); });
}

hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
  delete exec;
  return hipSuccess;
}

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipKernelNodeParams* parameters) {
  return Guarded([&] { exec->Set(node, KernelWork(*parameters)); });
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void* to,
                                             const void* from, size_t bytes, int) {
  return Guarded([&] { exec->Set(node, MakeCopy(to, from, bytes)); });
}

hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipMemsetParams* parameters) {
  return Guarded([&] { exec->Set(node, MakeMemset(*parameters)); });
}

hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                               hipGraph_t child) {
  return Guarded([&] { exec->SetChild(node, *child); });
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  return Guarded([&] { Submit(stream, exec->work()); });
}

}  // namespace jaxgemm::emulator
