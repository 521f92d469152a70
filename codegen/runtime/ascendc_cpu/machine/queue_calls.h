// TPipe, TQue and TBuf without their C++ types (ascendc_api_facts §3).
#pragma once

#include "../api/enums.h"
#include "site.h"
#include "tensor.h"

namespace ascendc_cpu {

// What a TQue or TBuf object holds: its index in the core's table and the TPipe it was initialised by.
struct QueueHandle {
  int index = -1;
  std::uint32_t epoch = 0;
};

struct QueueKind {
  AscendC::TPosition source;
  AscendC::TPosition target;
  AscendC::TPosition position;  // where the buffers count: VECIN, VECOUT or VECCALC
  int depth;
};

// A VECIN queue is filled from GM, a VECOUT queue is emptied to GM; a VECCALC queue stays in UB.
constexpr AscendC::TPosition queue_source(AscendC::TPosition position) {
  return position == AscendC::TPosition::VECIN ? AscendC::TPosition::GM : position;
}
constexpr AscendC::TPosition queue_target(AscendC::TPosition position) {
  return position == AscendC::TPosition::VECOUT ? AscendC::TPosition::GM : position;
}

void pipe_open(Site site);
void pipe_close(Site site);
void pipe_reset(Site site);

void init_queue(QueueHandle& handle, const QueueKind& kind, std::int64_t num, std::int64_t len_bytes, Site site);
void init_tbuf(QueueHandle& handle, std::int64_t len_bytes, Site site);

TensorRef alloc_tensor(const QueueHandle& handle, DType dtype, Site site);
void enque(const QueueHandle& handle, const TensorRef& tensor, Site site);
TensorRef deque(const QueueHandle& handle, DType dtype, Site site);
void free_tensor(const QueueHandle& handle, const TensorRef& tensor, Site site);
int tensors_in_queue(const QueueHandle& handle, Site site);
bool vacant_in_queue(const QueueHandle& handle, Site site);
bool has_idle_buffer(const QueueHandle& handle, Site site);

// `len_bytes` < 0: the whole buffer.
TensorRef tbuf_get(const QueueHandle& handle, DType dtype, std::int64_t elements, std::int64_t offset_bytes, const char* api, Site site);

// A slice, a new type, a new size of a tensor.
TensorRef slice(const TensorRef& tensor, Index offset);
TensorRef resized(const TensorRef& tensor, std::int64_t elements, Site site);

// Scalar access through the scalar pipe; `bits` holds the element's bytes.
std::uint64_t get_value(const TensorRef& tensor, Index element);
void set_value(const TensorRef& tensor, Index element, std::uint64_t bits);
// Host address of a tensor, for the calls that take addresses.
std::uint8_t* address_of(const TensorRef& tensor);

}  // namespace ascendc_cpu
