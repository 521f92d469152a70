// High-level reductions: Pattern::Reduce::AR reduces the last axis, RA the first.
#pragma once

#include "vector_params.h"

namespace ascendc_cpu {

template <class Pattern>
struct IsRows;
template <>
struct IsRows<AscendC::Pattern::Reduce::AR> {
  static constexpr bool value = true;
};
template <>
struct IsRows<AscendC::Pattern::Reduce::RA> {
  static constexpr bool value = false;
};

}  // namespace ascendc_cpu

namespace AscendC {

#define ASCENDC_CPU_MATRIX(Name, OP)                                                                                                 \
  template <class T, class pattern, bool isReuseSource = false>                                                                      \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<std::uint8_t>& sharedTmpBuffer,           \
                   const std::uint32_t srcShape[], bool srcInnerPad, CpuSite site = CpuSite()) {                                     \
    const ascendc_cpu::MatrixShape shape{srcShape[0], srcShape[1], srcInnerPad, ascendc_cpu::IsRows<pattern>::value, isReuseSource}; \
    ascendc_cpu::reduce_matrix(ascendc_cpu::MatrixReduce::OP, dst.ref(), src.ref(), &sharedTmpBuffer.ref(), shape, site);            \
  }                                                                                                                                  \
  template <class T, class pattern, bool isReuseSource = false>                                                                      \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t srcShape[], bool srcInnerPad,           \
                   CpuSite site = CpuSite()) {                                                                                       \
    const ascendc_cpu::MatrixShape shape{srcShape[0], srcShape[1], srcInnerPad, ascendc_cpu::IsRows<pattern>::value, isReuseSource}; \
    ascendc_cpu::reduce_matrix(ascendc_cpu::MatrixReduce::OP, dst.ref(), src.ref(), nullptr, shape, site);                           \
  }

ASCENDC_CPU_MATRIX(ReduceSum, SUM)
ASCENDC_CPU_MATRIX(ReduceMax, MAX)
ASCENDC_CPU_MATRIX(ReduceMin, MIN)
ASCENDC_CPU_MATRIX(ReduceProd, PROD)
ASCENDC_CPU_MATRIX(ReduceMean, MEAN)
ASCENDC_CPU_MATRIX(ReduceAny, ANY)
ASCENDC_CPU_MATRIX(ReduceAll, ALL)

#undef ASCENDC_CPU_MATRIX

}  // namespace AscendC
