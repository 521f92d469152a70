// Flags, barriers, the meeting of all cores, mask control, and who this core is.
#pragma once

#include "../machine/sync_calls.h"
#include "tensor.h"

namespace AscendC {

template <HardEvent event>
inline void SetFlag(std::int32_t id, CpuSite site = CpuSite()) {
  ascendc_cpu::set_flag(event, id, site);
}

template <HardEvent event>
inline void WaitFlag(std::int32_t id, CpuSite site = CpuSite()) {
  ascendc_cpu::wait_flag(event, id, site);
}

template <pipe_t pipe>
inline void PipeBarrier(CpuSite site = CpuSite()) {
  static_assert(pipe != PIPE_S, "PipeBarrier<PIPE_S> does not exist");
  ascendc_cpu::pipe_barrier(pipe, site);
}

template <bool isAIVOnly = true>
inline void SyncAll(CpuSite site = CpuSite()) {
  ascendc_cpu::sync_all(site);
}

template <bool isAIVOnly = true>
inline void SyncAll(const GlobalTensor<std::int32_t>& workspace, const LocalTensor<std::int32_t>& ub_workspace, std::int32_t used_cores = 0,
                    CpuSite site = CpuSite()) {
  ascendc_cpu::sync_all_soft(workspace.ref(), ub_workspace.ref(), used_cores, site);
}

inline std::int64_t GetBlockIdx() {
  return ascendc_cpu::block_idx();
}
inline std::int64_t GetBlockNum() {
  return ascendc_cpu::block_num();
}

inline void SetMaskNorm(CpuSite site = CpuSite()) {
  ascendc_cpu::set_mask_mode(MaskMode::NORMAL, site);
}
inline void SetMaskCount(CpuSite site = CpuSite()) {
  ascendc_cpu::set_mask_mode(MaskMode::COUNTER, site);
}
inline void ResetMask(CpuSite site = CpuSite()) {
  ascendc_cpu::reset_mask(site);
}

template <class T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(std::uint64_t high, std::uint64_t low, CpuSite site = CpuSite()) {
  ascendc_cpu::set_vector_mask(mode, high, low, site);
}
// COUNTER: the first `length` elements. NORMAL: the first `length` lanes of each iteration.
template <class T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(std::int32_t length, CpuSite site = CpuSite()) {
  const std::uint64_t n = static_cast<std::uint64_t>(length);
  if (mode == MaskMode::COUNTER) {
    ascendc_cpu::set_vector_mask(mode, 0, n, site);
  } else {
    const std::uint64_t high = n >= 128 ? ~0ull : n > 64 ? (1ull << (n - 64)) - 1 : 0;
    ascendc_cpu::set_vector_mask(mode, high, n >= 64 ? ~0ull : (1ull << n) - 1, site);
  }
}

inline void SetDeqScale(half scale, CpuSite site = CpuSite()) {
  ascendc_cpu::set_deq_scale(static_cast<float>(scale), site);
}

template <class T>
inline void SetPadValue(T value, CpuSite site = CpuSite()) {
  ascendc_cpu::set_pad_value(ascendc_cpu::scalar_of(value), site);
}

template <class T, CacheLine lines = CacheLine::ENTIRE_DATA_CACHE, DcciDst target = DcciDst::CACHELINE_OUT>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T>& tensor, CpuSite site = CpuSite()) {
  ascendc_cpu::clean_cache(tensor.ref(), site);
}

}  // namespace AscendC
