// Reductions by instruction, and over the first elements. Mind the argument order: WholeReduce takes mask then repeat, the others repeat
// then mask.
#pragma once

#include "vector_params.h"

namespace ascendc_cpu {

inline Lanes lanes(std::uint64_t mask, std::int64_t repeat, bool set_mask) {
  return mask_lanes(mask, repeat, set_mask);
}
inline Lanes lanes(const std::uint64_t* mask, std::int64_t repeat, bool set_mask) {
  return bit_lanes(mask, repeat, set_mask);
}

}  // namespace ascendc_cpu

namespace AscendC {

#define ASCENDC_CPU_WHOLE(Mask)                                                                                                            \
  template <class T, bool isSetMask = true>                                                                                                \
  inline void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, Mask mask, std::int64_t repeatTime,                     \
                             std::int64_t dstRepStride, std::int64_t srcBlkStride, std::int64_t srcRepStride, CpuSite site = CpuSite()) {  \
    ascendc_cpu::reduce_repeats(ascendc_cpu::ReduceOp::SUM, "WholeReduceSum", dst.ref(),                                                   \
                                ascendc_cpu::operand(src, "src", srcBlkStride, srcRepStride), dstRepStride, ReduceOrder::ORDER_ONLY_VALUE, \
                                ascendc_cpu::lanes(mask, repeatTime, isSetMask), site);                                                    \
  }                                                                                                                                        \
  template <class T, bool isSetMask = true>                                                                                                \
  inline void WholeReduceMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, Mask mask, std::int64_t repeatTime,                     \
                             std::int64_t dstRepStride, std::int64_t srcBlkStride, std::int64_t srcRepStride,                              \
                             ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, CpuSite site = CpuSite()) {                               \
    ascendc_cpu::reduce_repeats(ascendc_cpu::ReduceOp::MAX, "WholeReduceMax", dst.ref(),                                                   \
                                ascendc_cpu::operand(src, "src", srcBlkStride, srcRepStride), dstRepStride, order,                         \
                                ascendc_cpu::lanes(mask, repeatTime, isSetMask), site);                                                    \
  }                                                                                                                                        \
  template <class T, bool isSetMask = true>                                                                                                \
  inline void WholeReduceMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, Mask mask, std::int64_t repeatTime,                     \
                             std::int64_t dstRepStride, std::int64_t srcBlkStride, std::int64_t srcRepStride,                              \
                             ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, CpuSite site = CpuSite()) {                               \
    ascendc_cpu::reduce_repeats(ascendc_cpu::ReduceOp::MIN, "WholeReduceMin", dst.ref(),                                                   \
                                ascendc_cpu::operand(src, "src", srcBlkStride, srcRepStride), dstRepStride, order,                         \
                                ascendc_cpu::lanes(mask, repeatTime, isSetMask), site);                                                    \
  }                                                                                                                                        \
  template <class T, bool isSetMask = true>                                                                                                \
  inline void PairReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, std::int64_t repeatTime, Mask mask,                      \
                            std::int64_t dstRepStride, std::int64_t srcBlkStride, std::int64_t srcRepStride, CpuSite site = CpuSite()) {   \
    ascendc_cpu::reduce_pairs("PairReduceSum", dst.ref(), ascendc_cpu::operand(src, "src", srcBlkStride, srcRepStride), dstRepStride,      \
                              ascendc_cpu::lanes(mask, repeatTime, isSetMask), site);                                                      \
  }

ASCENDC_CPU_WHOLE(std::uint64_t)
ASCENDC_CPU_WHOLE(const std::uint64_t*)

#undef ASCENDC_CPU_WHOLE

#define ASCENDC_CPU_BLOCK(Name, OP, Mask)                                                                                                 \
  template <class T, bool isSetMask = true>                                                                                               \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, std::int64_t repeatTime, Mask mask, std::int64_t dstRepStride,   \
                   std::int64_t srcBlkStride, std::int64_t srcRepStride, CpuSite site = CpuSite()) {                                      \
    ascendc_cpu::reduce_blocks(ascendc_cpu::ReduceOp::OP, #Name, dst.ref(), ascendc_cpu::operand(src, "src", srcBlkStride, srcRepStride), \
                               dstRepStride, ascendc_cpu::lanes(mask, repeatTime, isSetMask), site);                                      \
  }

ASCENDC_CPU_BLOCK(BlockReduceSum, SUM, std::uint64_t)
ASCENDC_CPU_BLOCK(BlockReduceMax, MAX, std::uint64_t)
ASCENDC_CPU_BLOCK(BlockReduceMin, MIN, std::uint64_t)
ASCENDC_CPU_BLOCK(BlockReduceSum, SUM, const std::uint64_t*)
ASCENDC_CPU_BLOCK(BlockReduceMax, MAX, const std::uint64_t*)
ASCENDC_CPU_BLOCK(BlockReduceMin, MIN, const std::uint64_t*)

#undef ASCENDC_CPU_BLOCK

template <class T, bool isSetMask = true>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, std::int64_t count,
                      CpuSite site = CpuSite()) {
  ascendc_cpu::reduce_first(ascendc_cpu::ReduceOp::SUM, "ReduceSum", dst.ref(), ascendc_cpu::operand(src, "src"), sharedTmpBuffer.ref(),
                            false, ascendc_cpu::count_lanes(count), site);
}

template <class T, bool isSetMask = true>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, std::uint64_t mask,
                      std::int64_t repeatTime, std::int64_t srcRepStride, CpuSite site = CpuSite()) {
  ascendc_cpu::reduce_first(ascendc_cpu::ReduceOp::SUM, "ReduceSum", dst.ref(), ascendc_cpu::operand(src, "src", 1, srcRepStride),
                            sharedTmpBuffer.ref(), false, ascendc_cpu::mask_lanes(mask, repeatTime, isSetMask), site);
}

#define ASCENDC_CPU_PICK(Name, OP)                                                                                                  \
  template <class T>                                                                                                                \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, std::int64_t count, \
                   bool calIndex = false, CpuSite site = CpuSite()) {                                                               \
    ascendc_cpu::reduce_first(ascendc_cpu::ReduceOp::OP, #Name, dst.ref(), ascendc_cpu::operand(src, "src"), sharedTmpBuffer.ref(), \
                              calIndex, ascendc_cpu::count_lanes(count), site);                                                     \
  }                                                                                                                                 \
  template <class T>                                                                                                                \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer, std::uint64_t mask, \
                   std::int64_t repeatTime, std::int64_t srcRepStride, bool calIndex = false, CpuSite site = CpuSite()) {           \
    ascendc_cpu::reduce_first(ascendc_cpu::ReduceOp::OP, #Name, dst.ref(), ascendc_cpu::operand(src, "src", 1, srcRepStride),       \
                              sharedTmpBuffer.ref(), calIndex, ascendc_cpu::mask_lanes(mask, repeatTime), site);                    \
  }

ASCENDC_CPU_PICK(ReduceMax, MAX)
ASCENDC_CPU_PICK(ReduceMin, MIN)

#undef ASCENDC_CPU_PICK

}  // namespace AscendC
