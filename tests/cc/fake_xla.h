// A stand-in for XLA, as a handler sees it: an API and call frames. It needs no device.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "plan/plan.h"
#include "xla/ffi/api/c_api.h"

struct XLA_FFI_Error {
  XLA_FFI_Error_Code code;
  std::string message;
};

struct XLA_FFI_ExecutionContext {
  int32_t device;
  void* stream;
};

namespace jaxgemm {

inline XLA_FFI_Api MakeFakeApi() {
  XLA_FFI_Api api{};
  api.struct_size = XLA_FFI_Api_STRUCT_SIZE;
  api.api_version = {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, XLA_FFI_API_MAJOR,
                     XLA_FFI_API_MINOR};
  api.XLA_FFI_Error_Create = [](XLA_FFI_Error_Create_Args* args) {
    return new XLA_FFI_Error{args->errc, args->message};
  };
  api.XLA_FFI_Error_GetMessage = [](XLA_FFI_Error_GetMessage_Args* args) {
    args->message = args->error->message.c_str();
  };
  api.XLA_FFI_Error_Destroy = [](XLA_FFI_Error_Destroy_Args* args) { delete args->error; };
  api.XLA_FFI_Stream_Get = [](XLA_FFI_Stream_Get_Args* args) -> XLA_FFI_Error* {
    args->stream = args->ctx->stream;
    return nullptr;
  };
  api.XLA_FFI_DeviceOrdinal_Get = [](XLA_FFI_DeviceOrdinal_Get_Args* args) -> XLA_FFI_Error* {
    args->device_ordinal = args->ctx->device;
    return nullptr;
  };
  return api;
}

inline const XLA_FFI_Api fake_api = MakeFakeApi();

// The operands, results and attributes of one call.
class FakeCall {
 public:
  std::map<std::string, std::variant<int64_t, std::string>> attributes;  // sorted, as in XLA

  void AddArg(XLA_FFI_DataType dtype, void* data, std::vector<int64_t> dims) {
    args_.push_back(Add(dtype, data, std::move(dims)));
    arg_types_.push_back(XLA_FFI_ArgType_BUFFER);
  }
  void AddRet(XLA_FFI_DataType dtype, void* data, std::vector<int64_t> dims) {
    rets_.push_back(Add(dtype, data, std::move(dims)));
    ret_types_.push_back(XLA_FFI_RetType_BUFFER);
  }

  // Calls the handler. Returns the message of its error, or "".
  std::string Run(XLA_FFI_Handler* handler, XLA_FFI_ExecutionStage stage, int device,
                  void* stream) const {
    std::deque<XLA_FFI_ByteSpan> spans;
    std::deque<XLA_FFI_Scalar> scalars;
    std::vector<XLA_FFI_ByteSpan*> names;
    std::vector<XLA_FFI_AttrType> types;
    std::vector<void*> values;
    for (const auto& [name, value] : attributes) {
      spans.push_back({name.data(), name.size()});
      names.push_back(&spans.back());
      if (auto* text = std::get_if<std::string>(&value)) {
        spans.push_back({text->data(), text->size()});
        types.push_back(XLA_FFI_AttrType_STRING);
        values.push_back(&spans.back());
      } else {
        scalars.push_back({XLA_FFI_DataType_S64, const_cast<int64_t*>(&std::get<int64_t>(value))});
        types.push_back(XLA_FFI_AttrType_SCALAR);
        values.push_back(&scalars.back());
      }
    }
    std::vector<void*> args = args_, rets = rets_;
    std::vector<XLA_FFI_ArgType> arg_types = arg_types_;
    std::vector<XLA_FFI_RetType> ret_types = ret_types_;
    XLA_FFI_ExecutionContext context{device, stream};
    XLA_FFI_CallFrame frame{};
    frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
    frame.api = &fake_api;
    frame.ctx = &context;
    frame.stage = stage;
    frame.args = {XLA_FFI_Args_STRUCT_SIZE, nullptr, static_cast<int64_t>(args.size()),
                  arg_types.data(), args.data()};
    frame.rets = {XLA_FFI_Rets_STRUCT_SIZE, nullptr, static_cast<int64_t>(rets.size()),
                  ret_types.data(), rets.data()};
    frame.attrs = {XLA_FFI_Attrs_STRUCT_SIZE,
                   nullptr,
                   static_cast<int64_t>(values.size()),
                   types.data(),
                   names.data(),
                   values.data()};
    std::unique_ptr<XLA_FFI_Error> error(handler(&frame));
    return error ? error->message : "";
  }

 private:
  void* Add(XLA_FFI_DataType dtype, void* data, std::vector<int64_t> dims) {
    dims_.push_back(std::move(dims));
    buffers_.push_back({XLA_FFI_Buffer_STRUCT_SIZE, nullptr, dtype, data,
                        static_cast<int64_t>(dims_.back().size()), dims_.back().data()});
    return &buffers_.back();
  }

  std::deque<XLA_FFI_Buffer> buffers_;
  std::deque<std::vector<int64_t>> dims_;
  std::vector<void*> args_, rets_;
  std::vector<XLA_FFI_ArgType> arg_types_;
  std::vector<XLA_FFI_RetType> ret_types_;
};

// Adds the attributes that a lowered call has.
inline void AddAttributes(const Problem& problem, const Choice& choice, FakeCall* call) {
  auto add = [call](const char* name, auto value) {
    using T = decltype(value);
    if constexpr (std::is_same_v<T, std::string_view>) {
      call->attributes[name] = std::string(value);
    } else if constexpr (std::is_enum_v<T>) {
      call->attributes[name] = std::string(Name(value));
    } else {
      call->attributes[name] = int64_t{value};
    }
  };
#define JAXGEMM_ATTRIBUTE(record, type, name) add(#name, record.name);
#include "spec/call_schema.def"
#undef JAXGEMM_ATTRIBUTE
}

// The traits that a handler is registered with.
inline XLA_FFI_Handler_Traits TraitsOf(XLA_FFI_Handler* handler) {
  XLA_FFI_Metadata metadata{};
  metadata.struct_size = XLA_FFI_Metadata_STRUCT_SIZE;
  XLA_FFI_Metadata_Extension extension{
      {XLA_FFI_Metadata_Extension_STRUCT_SIZE, XLA_FFI_Extension_Metadata, nullptr}, &metadata};
  XLA_FFI_CallFrame frame{};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.api = &fake_api;
  frame.extension_start = &extension.extension_base;
  handler(&frame);
  return metadata.traits;
}

}  // namespace jaxgemm
