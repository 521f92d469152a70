// dst = f(src, scalar). The scalar must have the element type: a float literal for half does not compile, as on the device.
#pragma once

#include "vector_params.h"

namespace AscendC {

#define ASCENDC_CPU_SCALAR(Name, OP)                                                                                                      \
  template <class T, bool isSetMask = true>                                                                                               \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalar, std::int64_t count, CpuSite site = CpuSite()) { \
    ascendc_cpu::with_scalar(ascendc_cpu::ScalarOp::OP, ascendc_cpu::operand(dst, "dst"), ascendc_cpu::operand(src, "src"),               \
                             ascendc_cpu::scalar_of(scalar), ascendc_cpu::count_lanes(count), site);                                      \
  }                                                                                                                                       \
  template <class T, bool isSetMask = true>                                                                                               \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalar, std::uint64_t mask, std::int64_t repeatTime,    \
                   const UnaryRepeatParams& p, CpuSite site = CpuSite()) {                                                                \
    ascendc_cpu::with_scalar(ascendc_cpu::ScalarOp::OP, ascendc_cpu::operand(dst, "dst", p.dstBlkStride, p.dstRepStride),                 \
                             ascendc_cpu::operand(src, "src", p.srcBlkStride, p.srcRepStride), ascendc_cpu::scalar_of(scalar),            \
                             ascendc_cpu::mask_lanes(mask, repeatTime, isSetMask), site);                                                 \
  }                                                                                                                                       \
  template <class T, bool isSetMask = true>                                                                                               \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalar, const std::uint64_t mask[],                     \
                   std::int64_t repeatTime, const UnaryRepeatParams& p, CpuSite site = CpuSite()) {                                       \
    ascendc_cpu::with_scalar(ascendc_cpu::ScalarOp::OP, ascendc_cpu::operand(dst, "dst", p.dstBlkStride, p.dstRepStride),                 \
                             ascendc_cpu::operand(src, "src", p.srcBlkStride, p.srcRepStride), ascendc_cpu::scalar_of(scalar),            \
                             ascendc_cpu::bit_lanes(mask, repeatTime, isSetMask), site);                                                  \
  }

ASCENDC_CPU_SCALAR(Adds, ADDS)
ASCENDC_CPU_SCALAR(Muls, MULS)
ASCENDC_CPU_SCALAR(Maxs, MAXS)
ASCENDC_CPU_SCALAR(Mins, MINS)
ASCENDC_CPU_SCALAR(LeakyRelu, LEAKY_RELU)
ASCENDC_CPU_SCALAR(ShiftLeft, SHIFT_LEFT)
ASCENDC_CPU_SCALAR(ShiftRight, SHIFT_RIGHT)

#undef ASCENDC_CPU_SCALAR

// dst += src * scalar; dst may be float while src is half.
template <class D, class S, bool isSetMask = true>
inline void Axpy(const LocalTensor<D>& dst, const LocalTensor<S>& src, const S& scalar, std::int64_t count, CpuSite site = CpuSite()) {
  ascendc_cpu::axpy(ascendc_cpu::operand(dst, "dst"), ascendc_cpu::operand(src, "src"), ascendc_cpu::scalar_of(scalar),
                    ascendc_cpu::count_lanes(count), site);
}

template <class D, class S, bool isSetMask = true>
inline void Axpy(const LocalTensor<D>& dst, const LocalTensor<S>& src, const S& scalar, std::uint64_t mask, std::int64_t repeatTime,
                 const UnaryRepeatParams& p, CpuSite site = CpuSite()) {
  ascendc_cpu::axpy(ascendc_cpu::operand(dst, "dst", p.dstBlkStride, p.dstRepStride),
                    ascendc_cpu::operand(src, "src", p.srcBlkStride, p.srcRepStride), ascendc_cpu::scalar_of(scalar),
                    ascendc_cpu::mask_lanes(mask, repeatTime, isSetMask), site);
}

}  // namespace AscendC
