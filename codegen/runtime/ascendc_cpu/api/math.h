// Library mathematics. Each function takes a temporary buffer, or uses what InitBuffer left of UB.
#pragma once

#include "../machine/library_calls.h"
#include "vector_params.h"

namespace AscendC {

#define ASCENDC_CPU_MATH(Name, OP)                                                                                          \
  template <class T, bool isReuseSource = false>                                                                            \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint8_t>& sharedTmpBuffer,  \
                   std::int64_t calCount, CpuSite site = CpuSite()) {                                                       \
    ascendc_cpu::math_unary(ascendc_cpu::MathOp::OP, dst.ref(), src.ref(), &sharedTmpBuffer.ref(), calCount, site);         \
  }                                                                                                                         \
  template <class T, bool isReuseSource = false>                                                                            \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, std::int64_t calCount, CpuSite site = CpuSite()) { \
    ascendc_cpu::math_unary(ascendc_cpu::MathOp::OP, dst.ref(), src.ref(), nullptr, calCount, site);                        \
  }

ASCENDC_CPU_MATH(Tanh, TANH)
ASCENDC_CPU_MATH(Sigmoid, SIGMOID)
ASCENDC_CPU_MATH(Erf, ERF)
ASCENDC_CPU_MATH(Sin, SIN)
ASCENDC_CPU_MATH(Cos, COS)
ASCENDC_CPU_MATH(Log, LOG)
ASCENDC_CPU_MATH(Log2, LOG2)
ASCENDC_CPU_MATH(Log10, LOG10)
ASCENDC_CPU_MATH(Floor, FLOOR)
ASCENDC_CPU_MATH(Ceil, CEIL)
ASCENDC_CPU_MATH(Round, ROUND)
ASCENDC_CPU_MATH(Trunc, TRUNC)
ASCENDC_CPU_MATH(Sign, SIGN)

#undef ASCENDC_CPU_MATH

// highPrecision computes half in float; the model always does.
template <class T, bool highPrecision = false, bool highPerformance = false>
inline void Gelu(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint8_t>& sharedTmpBuffer,
                 std::int64_t dataSize, CpuSite site = CpuSite()) {
  ascendc_cpu::math_unary(ascendc_cpu::MathOp::GELU, dst.ref(), src.ref(), &sharedTmpBuffer.ref(), dataSize, site);
}

template <class T, bool highPrecision = false, bool highPerformance = false>
inline void Gelu(const LocalTensor<T>& dst, const LocalTensor<T>& src, std::int64_t dataSize, CpuSite site = CpuSite()) {
  ascendc_cpu::math_unary(ascendc_cpu::MathOp::GELU, dst.ref(), src.ref(), nullptr, dataSize, site);
}

template <class T, bool isReuseSource = false>
inline void Xor(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                const LocalTensor<std::uint8_t>& sharedTmpBuffer, std::int64_t calCount, CpuSite site = CpuSite()) {
  ascendc_cpu::math_xor(dst.ref(), src0.ref(), src1.ref(), &sharedTmpBuffer.ref(), calCount, site);
}

template <class T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                  const LocalTensor<std::uint8_t>& sharedTmpBuffer, std::int64_t calCount, CpuSite site = CpuSite()) {
  ascendc_cpu::math_power(dst.ref(), &src0.ref(), &src1.ref(), {}, &sharedTmpBuffer.ref(), calCount, site);
}

template <class T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const T& src1, const LocalTensor<std::uint8_t>& sharedTmpBuffer,
                  std::int64_t calCount, CpuSite site = CpuSite()) {
  ascendc_cpu::math_power(dst.ref(), &src0.ref(), nullptr, ascendc_cpu::scalar_of(src1), &sharedTmpBuffer.ref(), calCount, site);
}

template <class T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dst, const T& src0, const LocalTensor<T>& src1, const LocalTensor<std::uint8_t>& sharedTmpBuffer,
                  std::int64_t calCount, CpuSite site = CpuSite()) {
  ascendc_cpu::math_power(dst.ref(), nullptr, &src1.ref(), ascendc_cpu::scalar_of(src0), &sharedTmpBuffer.ref(), calCount, site);
}

}  // namespace AscendC
