// A LocalTensor without its C++ type: a range of UB, the buffer it belongs to, and which allocation of that buffer.
#pragma once

#include "dtype.h"

namespace ascendc_cpu {

struct TensorRef {
  std::uint32_t offset = 0;  // bytes from the start of UB
  std::uint32_t bytes = 0;   // size of the tensor
  DType dtype = DType::U8;
  std::int32_t buffer = -1;      // index in the core's buffer table; -1: never allocated
  std::uint64_t generation = 0;  // which AllocTensor (or InitBuffer) of that buffer
};

inline std::int64_t elements_of(const TensorRef& tensor) {
  return tensor.bytes / size_of(tensor.dtype);
}

// A GlobalTensor without its C++ type. `address` moves with operator[]; `elements` is what SetGlobalBuffer declared, less that offset.
struct GmRef {
  std::uint8_t* address = nullptr;
  std::int64_t elements = 0;
  bool sized = false;
  DType dtype = DType::U8;
  void* buffer = nullptr;  // GmBuffer it was set on
};

}  // namespace ascendc_cpu
