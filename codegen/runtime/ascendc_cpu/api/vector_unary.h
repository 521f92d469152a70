// dst = f(src), and Cast.
#pragma once

#include "vector_params.h"

namespace AscendC {

// Three calling styles of one instruction: first `count` elements; first `mask` lanes of each iteration; lanes by bits.
#define ASCENDC_CPU_UNARY(Name, OP)                                                                                           \
  template <class T, bool isSetMask = true>                                                                                   \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, std::int64_t count, CpuSite site = CpuSite()) {      \
    ascendc_cpu::unary(ascendc_cpu::UnaryOp::OP, ascendc_cpu::operand(dst, "dst"), ascendc_cpu::operand(src, "src"),          \
                       ascendc_cpu::count_lanes(count), site);                                                                \
  }                                                                                                                           \
  template <class T, bool isSetMask = true>                                                                                   \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, std::uint64_t mask, std::int64_t repeatTime,         \
                   const UnaryRepeatParams& p, CpuSite site = CpuSite()) {                                                    \
    ascendc_cpu::unary(ascendc_cpu::UnaryOp::OP, ascendc_cpu::operand(dst, "dst", p.dstBlkStride, p.dstRepStride),            \
                       ascendc_cpu::operand(src, "src", p.srcBlkStride, p.srcRepStride),                                      \
                       ascendc_cpu::mask_lanes(mask, repeatTime, isSetMask), site);                                           \
  }                                                                                                                           \
  template <class T, bool isSetMask = true>                                                                                   \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint64_t mask[], std::int64_t repeatTime, \
                   const UnaryRepeatParams& p, CpuSite site = CpuSite()) {                                                    \
    ascendc_cpu::unary(ascendc_cpu::UnaryOp::OP, ascendc_cpu::operand(dst, "dst", p.dstBlkStride, p.dstRepStride),            \
                       ascendc_cpu::operand(src, "src", p.srcBlkStride, p.srcRepStride),                                      \
                       ascendc_cpu::bit_lanes(mask, repeatTime, isSetMask), site);                                            \
  }

ASCENDC_CPU_UNARY(Abs, ABS)
ASCENDC_CPU_UNARY(Exp, EXP)
ASCENDC_CPU_UNARY(Ln, LN)
ASCENDC_CPU_UNARY(Sqrt, SQRT)
ASCENDC_CPU_UNARY(Rsqrt, RSQRT)
ASCENDC_CPU_UNARY(Reciprocal, RECIPROCAL)
ASCENDC_CPU_UNARY(Relu, RELU)
ASCENDC_CPU_UNARY(Not, NOT)

#undef ASCENDC_CPU_UNARY

template <class D, class S>
inline void Cast(const LocalTensor<D>& dst, const LocalTensor<S>& src, RoundMode mode, std::int64_t count, CpuSite site = CpuSite()) {
  ascendc_cpu::cast(ascendc_cpu::operand(dst, "dst"), ascendc_cpu::operand(src, "src"), mode, ascendc_cpu::count_lanes(count), site);
}

template <class D, class S, bool isSetMask = true>
inline void Cast(const LocalTensor<D>& dst, const LocalTensor<S>& src, RoundMode mode, std::uint64_t mask, std::int64_t repeatTime,
                 const UnaryRepeatParams& p, CpuSite site = CpuSite()) {
  ascendc_cpu::cast(ascendc_cpu::operand(dst, "dst", p.dstBlkStride, p.dstRepStride),
                    ascendc_cpu::operand(src, "src", p.srcBlkStride, p.srcRepStride), mode,
                    ascendc_cpu::mask_lanes(mask, repeatTime, isSetMask), site);
}

template <class D, class S, bool isSetMask = true>
inline void Cast(const LocalTensor<D>& dst, const LocalTensor<S>& src, RoundMode mode, const std::uint64_t mask[], std::int64_t repeatTime,
                 const UnaryRepeatParams& p, CpuSite site = CpuSite()) {
  ascendc_cpu::cast(ascendc_cpu::operand(dst, "dst", p.dstBlkStride, p.dstRepStride),
                    ascendc_cpu::operand(src, "src", p.srcBlkStride, p.srcRepStride), mode,
                    ascendc_cpu::bit_lanes(mask, repeatTime, isSetMask), site);
}

}  // namespace AscendC
