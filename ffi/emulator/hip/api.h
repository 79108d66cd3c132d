// The types and functions of ROCm's hip_runtime_api.h that the stand-in runtime has. Layouts and
// numbers are those of HIP 6 and 7; functions.def has the list of the functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace jaxgemm::emulator {

struct Module;
struct Function;
class Stream;
struct Event;
class Graph;
class GraphExec;
struct Node;

using hipModule_t = Module*;
using hipFunction_t = Function*;
using hipStream_t = Stream*;
using hipEvent_t = Event*;
using hipGraph_t = Graph*;
using hipGraphNode_t = Node*;
using hipGraphExec_t = GraphExec*;
using hipCtx_t = void*;

enum hipError_t {
#define JAXGEMM_HIP_ERROR(name, value) name = value,
#include "emulator/hip/errors.def"
#undef JAXGEMM_HIP_ERROR
};

struct Dim3 {
  uint32_t x, y, z;
};

struct hipKernelNodeParams {
  Dim3 block;
  void** extra;
  void* function;
  Dim3 grid;
  void** parameters;
  unsigned dynamic_lds;
};

struct hipMemsetParams {
  void* to;
  unsigned element_bytes;
  size_t rows, pitch;
  unsigned value;
  size_t elements;  // of a row
};
static_assert(sizeof(hipKernelNodeParams) == 64 && sizeof(hipMemsetParams) == 48);

struct hipPointerAttributes {
  int type, device;
  void *device_pointer, *host_pointer;
  int is_managed;
  unsigned allocation_flags;
};
static_assert(sizeof(hipPointerAttributes) == 32);

struct hipIpcMemHandle {
  char bytes[64];
};

#define JAXGEMM_HIP(version, result, name, parameters) \
  extern "C" __attribute__((visibility("default"))) result name parameters;
#include "emulator/hip/functions.def"
#undef JAXGEMM_HIP

}  // namespace jaxgemm::emulator
