// dst = f(src0, src1).
#pragma once

#include "vector_params.h"

namespace AscendC {

#define ASCENDC_CPU_BINARY(Name, call, OP, D)                                                                                     \
  template <class T, bool isSetMask = true>                                                                                       \
  inline void Name(const LocalTensor<D>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, std::int64_t count,         \
                   CpuSite site = CpuSite()) {                                                                                    \
    ascendc_cpu::call(ascendc_cpu::OP, ascendc_cpu::operand(dst, "dst"), ascendc_cpu::operand(src0, "src0"),                      \
                      ascendc_cpu::operand(src1, "src1"), ascendc_cpu::count_lanes(count), site);                                 \
  }                                                                                                                               \
  template <class T, bool isSetMask = true>                                                                                       \
  inline void Name(const LocalTensor<D>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, std::uint64_t mask,         \
                   std::int64_t repeatTime, const BinaryRepeatParams& p, CpuSite site = CpuSite()) {                              \
    ascendc_cpu::call(ascendc_cpu::OP, ascendc_cpu::operand(dst, "dst", p.dstBlkStride, p.dstRepStride),                          \
                      ascendc_cpu::operand(src0, "src0", p.src0BlkStride, p.src0RepStride),                                       \
                      ascendc_cpu::operand(src1, "src1", p.src1BlkStride, p.src1RepStride),                                       \
                      ascendc_cpu::mask_lanes(mask, repeatTime, isSetMask), site);                                                \
  }                                                                                                                               \
  template <class T, bool isSetMask = true>                                                                                       \
  inline void Name(const LocalTensor<D>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const std::uint64_t mask[], \
                   std::int64_t repeatTime, const BinaryRepeatParams& p, CpuSite site = CpuSite()) {                              \
    ascendc_cpu::call(ascendc_cpu::OP, ascendc_cpu::operand(dst, "dst", p.dstBlkStride, p.dstRepStride),                          \
                      ascendc_cpu::operand(src0, "src0", p.src0BlkStride, p.src0RepStride),                                       \
                      ascendc_cpu::operand(src1, "src1", p.src1BlkStride, p.src1RepStride),                                       \
                      ascendc_cpu::bit_lanes(mask, repeatTime, isSetMask), site);                                                 \
  }

ASCENDC_CPU_BINARY(Add, binary, BinaryOp::ADD, T)
ASCENDC_CPU_BINARY(Sub, binary, BinaryOp::SUB, T)
ASCENDC_CPU_BINARY(Mul, binary, BinaryOp::MUL, T)
ASCENDC_CPU_BINARY(Div, binary, BinaryOp::DIV, T)
ASCENDC_CPU_BINARY(Max, binary, BinaryOp::MAX, T)
ASCENDC_CPU_BINARY(Min, binary, BinaryOp::MIN, T)
ASCENDC_CPU_BINARY(And, binary, BinaryOp::AND, T)
ASCENDC_CPU_BINARY(Or, binary, BinaryOp::OR, T)
ASCENDC_CPU_BINARY(AddRelu, binary, BinaryOp::ADD_RELU, T)
ASCENDC_CPU_BINARY(SubRelu, binary, BinaryOp::SUB_RELU, T)
ASCENDC_CPU_BINARY(FusedMulAdd, fused, FusedOp::MUL_ADD, T)
ASCENDC_CPU_BINARY(FusedMulAddRelu, fused, FusedOp::MUL_ADD_RELU, T)

#undef ASCENDC_CPU_BINARY

// dst += src0 * src1; dst may be float while the sources are half.
template <class D, class S, bool isSetMask = true>
inline void MulAddDst(const LocalTensor<D>& dst, const LocalTensor<S>& src0, const LocalTensor<S>& src1, std::int64_t count,
                      CpuSite site = CpuSite()) {
  ascendc_cpu::fused(ascendc_cpu::FusedOp::MUL_ADD_DST, ascendc_cpu::operand(dst, "dst"), ascendc_cpu::operand(src0, "src0"),
                     ascendc_cpu::operand(src1, "src1"), ascendc_cpu::count_lanes(count), site);
}

template <class D, class S, bool isSetMask = true>
inline void MulAddDst(const LocalTensor<D>& dst, const LocalTensor<S>& src0, const LocalTensor<S>& src1, std::uint64_t mask,
                      std::int64_t repeatTime, const BinaryRepeatParams& p, CpuSite site = CpuSite()) {
  ascendc_cpu::fused(ascendc_cpu::FusedOp::MUL_ADD_DST, ascendc_cpu::operand(dst, "dst", p.dstBlkStride, p.dstRepStride),
                     ascendc_cpu::operand(src0, "src0", p.src0BlkStride, p.src0RepStride),
                     ascendc_cpu::operand(src1, "src1", p.src1BlkStride, p.src1RepStride),
                     ascendc_cpu::mask_lanes(mask, repeatTime, isSetMask), site);
}

}  // namespace AscendC
