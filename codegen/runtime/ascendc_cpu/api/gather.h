#pragma once

#include "../machine/library_calls.h"
#include "vector_params.h"

namespace AscendC {

struct GatherMaskParams {
  std::int64_t src0BlockStride = 1;
  std::int64_t repeatTimes = 0;
  std::int64_t src0RepeatStride = 0;
  std::int64_t src1RepeatStride = 0;

  GatherMaskParams() = default;
  GatherMaskParams(std::int64_t block_stride, std::int64_t repeat, std::int64_t src0_repeat_stride, std::int64_t src1_repeat_stride)
      : src0BlockStride(block_stride), repeatTimes(repeat), src0RepeatStride(src0_repeat_stride), src1RepeatStride(src1_repeat_stride) {}
};

// Offsets are in bytes, relative to src + srcBaseAddr bytes.
template <class T>
inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint32_t>& srcOffset,
                   std::int64_t srcBaseAddr, std::int64_t count, CpuSite site = CpuSite()) {
  ascendc_cpu::gather(ascendc_cpu::operand(dst, "dst"), src.ref(), srcOffset.ref(), srcBaseAddr, ascendc_cpu::count_lanes(count), site);
}

template <class T>
inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint32_t>& srcOffset,
                   std::int64_t srcBaseAddr, std::uint64_t mask, std::int64_t repeatTime, std::int64_t dstRepStride,
                   CpuSite site = CpuSite()) {
  ascendc_cpu::gather(ascendc_cpu::operand(dst, "dst", 1, dstRepStride), src.ref(), srcOffset.ref(), srcBaseAddr,
                      ascendc_cpu::mask_lanes(mask, repeatTime), site);
}

template <class T>
inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const std::uint8_t src1Pattern, bool reduceMode,
                       std::uint32_t mask, const GatherMaskParams& params, std::uint64_t& rsvdCnt, CpuSite site = CpuSite()) {
  rsvdCnt = ascendc_cpu::gather_mask(dst.ref(), src0.ref(), nullptr, src1Pattern, reduceMode, mask,
                                     {params.src0BlockStride, params.repeatTimes, params.src0RepeatStride, params.src1RepeatStride}, site);
}

template <class T, class U>
inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<U>& src1Pattern, bool reduceMode,
                       std::uint32_t mask, const GatherMaskParams& params, std::uint64_t& rsvdCnt, CpuSite site = CpuSite()) {
  rsvdCnt = ascendc_cpu::gather_mask(dst.ref(), src0.ref(), &src1Pattern.ref(), 0, reduceMode, mask,
                                     {params.src0BlockStride, params.repeatTimes, params.src0RepeatStride, params.src1RepeatStride}, site);
}

}  // namespace AscendC
