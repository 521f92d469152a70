// Duplicate, Copy, Brcb, CreateVecIndex, ArithProgression.
#pragma once

#include "vector_params.h"

namespace AscendC {

template <class T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalar, std::int64_t count, CpuSite site = CpuSite()) {
  ascendc_cpu::duplicate(ascendc_cpu::operand(dst, "dst"), ascendc_cpu::scalar_of(scalar), ascendc_cpu::count_lanes(count), site);
}

template <class T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalar, std::uint64_t mask, std::int64_t repeatTime, std::int64_t dstBlockStride,
                      std::int64_t dstRepeatStride, CpuSite site = CpuSite()) {
  ascendc_cpu::duplicate(ascendc_cpu::operand(dst, "dst", dstBlockStride, dstRepeatStride), ascendc_cpu::scalar_of(scalar),
                         ascendc_cpu::mask_lanes(mask, repeatTime, isSetMask), site);
}

template <class T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalar, const std::uint64_t mask[], std::int64_t repeatTime,
                      std::int64_t dstBlockStride, std::int64_t dstRepeatStride, CpuSite site = CpuSite()) {
  ascendc_cpu::duplicate(ascendc_cpu::operand(dst, "dst", dstBlockStride, dstRepeatStride), ascendc_cpu::scalar_of(scalar),
                         ascendc_cpu::bit_lanes(mask, repeatTime, isSetMask), site);
}

template <class T, bool isSetMask = true>
inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, std::uint64_t mask, std::int64_t repeatTime,
                 const CopyRepeatParams& p, CpuSite site = CpuSite()) {
  ascendc_cpu::copy(ascendc_cpu::operand(dst, "dst", p.dstStride, p.dstRepeatSize),
                    ascendc_cpu::operand(src, "src", p.srcStride, p.srcRepeatSize), ascendc_cpu::mask_lanes(mask, repeatTime, isSetMask),
                    site);
}

template <class T, bool isSetMask = true>
inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint64_t mask[], std::int64_t repeatTime,
                 const CopyRepeatParams& p, CpuSite site = CpuSite()) {
  ascendc_cpu::copy(ascendc_cpu::operand(dst, "dst", p.dstStride, p.dstRepeatSize),
                    ascendc_cpu::operand(src, "src", p.srcStride, p.srcRepeatSize), ascendc_cpu::bit_lanes(mask, repeatTime, isSetMask),
                    site);
}

template <class T>
inline void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src, std::int64_t repeatTime, const BrcbRepeatParams& p,
                 CpuSite site = CpuSite()) {
  ascendc_cpu::brcb(ascendc_cpu::operand(dst, "dst", p.dstBlkStride, p.dstRepStride), src.ref(), repeatTime, site);
}

template <class T>
inline void CreateVecIndex(const LocalTensor<T>& dst, const T& firstValue, std::int64_t count, CpuSite site = CpuSite()) {
  ascendc_cpu::arithmetic_progression("CreateVecIndex", dst.ref(), ascendc_cpu::scalar_of(firstValue), ascendc_cpu::scalar_of(T(1)), count,
                                      site);
}

template <class T>
inline void ArithProgression(const LocalTensor<T>& dst, const T firstValue, const T diffValue, std::int64_t count,
                             CpuSite site = CpuSite()) {
  ascendc_cpu::arithmetic_progression("ArithProgression", dst.ref(), ascendc_cpu::scalar_of(firstValue), ascendc_cpu::scalar_of(diffValue),
                                      count, site);
}

}  // namespace AscendC
