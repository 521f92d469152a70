// TPipe, TQueBind, TQue, TBuf.
#pragma once

#include <exception>

#include "../machine/sync_calls.h"
#include "tensor.h"

namespace AscendC {

template <TPosition source, TPosition target, std::int32_t depth, std::int32_t mask = 0>
class TQueBind {
  static_assert(depth > 0, "a queue of depth 0 (in-place tensors) is not modelled");

 public:
  template <class T>
  LocalTensor<T> AllocTensor(CpuSite site = CpuSite()) {
    return LocalTensor<T>(ascendc_cpu::alloc_tensor(handle_, ascendc_cpu::dtype_of<T>, site));
  }
  template <class T>
  bool EnQue(const LocalTensor<T>& tensor, CpuSite site = CpuSite()) {
    ascendc_cpu::enque(handle_, tensor.ref(), site);
    return true;
  }
  template <class T>
  LocalTensor<T> DeQue(CpuSite site = CpuSite()) {
    return LocalTensor<T>(ascendc_cpu::deque(handle_, ascendc_cpu::dtype_of<T>, site));
  }
  template <class T>
  void FreeTensor(const LocalTensor<T>& tensor, CpuSite site = CpuSite()) {
    ascendc_cpu::free_tensor(handle_, tensor.ref(), site);
  }

  bool VacantInQue(CpuSite site = CpuSite()) { return ascendc_cpu::vacant_in_queue(handle_, site); }
  bool HasTensorInQue(CpuSite site = CpuSite()) { return ascendc_cpu::tensors_in_queue(handle_, site) > 0; }
  std::int32_t GetTensorCountInQue(CpuSite site = CpuSite()) { return ascendc_cpu::tensors_in_queue(handle_, site); }
  bool HasIdleBuffer(CpuSite site = CpuSite()) { return ascendc_cpu::has_idle_buffer(handle_, site); }

 private:
  friend class TPipe;

  // Buffers of a queue that stays in UB are counted by where its data goes.
  static constexpr ascendc_cpu::QueueKind kKind{source, target,
                                                source == TPosition::GM   ? target
                                                : target == TPosition::GM ? source
                                                                          : TPosition::VECCALC,
                                                depth};
  ascendc_cpu::QueueHandle handle_;
};

template <TPosition position, std::int32_t depth, std::int32_t mask = 0>
class TQue : public TQueBind<ascendc_cpu::queue_source(position), ascendc_cpu::queue_target(position), depth, mask> {
  static_assert(position != TPosition::GM, "a queue lies in UB: VECIN, VECOUT or VECCALC");
};

template <TPosition position = TPosition::VECCALC>
class TBuf {
 public:
  template <class T>
  LocalTensor<T> Get(CpuSite site = CpuSite()) {
    return get<T>(-1, 0, "TBuf::Get", site);
  }
  template <class T>
  LocalTensor<T> Get(std::uint32_t len, CpuSite site = CpuSite()) {
    return get<T>(len, 0, "TBuf::Get", site);
  }
  template <class T>
  LocalTensor<T> GetWithOffset(std::uint32_t size, std::uint32_t offset_bytes, CpuSite site = CpuSite()) {
    return get<T>(size, offset_bytes, "TBuf::GetWithOffset", site);
  }

 private:
  friend class TPipe;

  template <class T>
  LocalTensor<T> get(std::int64_t elements, std::int64_t offset_bytes, const char* api, CpuSite site) {
    return LocalTensor<T>(ascendc_cpu::tbuf_get(handle_, ascendc_cpu::dtype_of<T>, elements, offset_bytes, api, site));
  }

  ascendc_cpu::QueueHandle handle_;
};

class TPipe {
 public:
  explicit TPipe(CpuSite site = CpuSite()) : site_(site) { ascendc_cpu::pipe_open(site); }
  TPipe(const TPipe&) = delete;
  TPipe& operator=(const TPipe&) = delete;
  // A kernel that has failed must not fail again while its stack unwinds.
  ~TPipe() noexcept(false) {
    if (std::uncaught_exceptions() == 0) ascendc_cpu::pipe_close(site_);
  }

  template <TPosition source, TPosition target, std::int32_t depth, std::int32_t mask>
  bool InitBuffer(TQueBind<source, target, depth, mask>& queue, std::int64_t num, std::int64_t len_bytes, CpuSite site = CpuSite()) {
    using Queue = TQueBind<source, target, depth, mask>;
    ascendc_cpu::init_queue(queue.handle_, Queue::kKind, num, len_bytes, site);
    return true;
  }
  template <TPosition position>
  bool InitBuffer(TBuf<position>& buffer, std::int64_t len_bytes, CpuSite site = CpuSite()) {
    ascendc_cpu::init_tbuf(buffer.handle_, len_bytes, site);
    return true;
  }

  void Reset(CpuSite site = CpuSite()) { ascendc_cpu::pipe_reset(site); }
  void Destroy(CpuSite site = CpuSite()) { ascendc_cpu::pipe_close(site); }

  template <HardEvent event>
  TEventID AllocEventID(CpuSite site = CpuSite()) {
    return static_cast<TEventID>(ascendc_cpu::alloc_event_id(event, site));
  }
  template <HardEvent event>
  void ReleaseEventID(TEventID id, CpuSite site = CpuSite()) {
    ascendc_cpu::release_event_id(event, id, site);
  }
  TEventID FetchEventID(HardEvent event, CpuSite site = CpuSite()) {
    return static_cast<TEventID>(ascendc_cpu::fetch_event_id(event, site));
  }
  template <HardEvent event>
  TEventID FetchEventID(CpuSite site = CpuSite()) {
    return FetchEventID(event, site);
  }

 private:
  CpuSite site_;
};

}  // namespace AscendC
