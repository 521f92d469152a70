// Compare, CompareScalar (Compares), Select.
#pragma once

#include "vector_params.h"

namespace AscendC {

template <class T, class U>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE mode, std::int64_t count,
                    CpuSite site = CpuSite()) {
  ascendc_cpu::compare(ascendc_cpu::operand(dst, "dst"), ascendc_cpu::operand(src0, "src0"), ascendc_cpu::operand(src1, "src1"), nullptr,
                       mode, ascendc_cpu::count_lanes(count), "Compare", site);
}

// The mask is ignored: the instruction always compares whole iterations.
template <class T, class U>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE mode, std::uint64_t mask,
                    std::int64_t repeatTime, const BinaryRepeatParams& p, CpuSite site = CpuSite()) {
  ascendc_cpu::compare(ascendc_cpu::operand(dst, "dst"), ascendc_cpu::operand(src0, "src0", p.src0BlkStride, p.src0RepStride),
                       ascendc_cpu::operand(src1, "src1", p.src1BlkStride, p.src1RepStride), nullptr, mode,
                       ascendc_cpu::mask_lanes(mask, repeatTime), "Compare", site);
}

#define ASCENDC_CPU_COMPARE_SCALAR(Name)                                                                                                   \
  template <class T, class U>                                                                                                              \
  inline void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, T scalar, CMPMODE mode, std::int64_t count,                      \
                   CpuSite site = CpuSite()) {                                                                                             \
    const ascendc_cpu::Scalar value = ascendc_cpu::scalar_of(scalar);                                                                      \
    ascendc_cpu::compare(ascendc_cpu::operand(dst, "dst"), ascendc_cpu::operand(src0, "src0"), ascendc_cpu::operand(src0, "src0"), &value, \
                         mode, ascendc_cpu::count_lanes(count), #Name, site);                                                              \
  }                                                                                                                                        \
  template <class T, class U>                                                                                                              \
  inline void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, T scalar, CMPMODE mode, std::uint64_t mask,                      \
                   std::int64_t repeatTime, const UnaryRepeatParams& p, CpuSite site = CpuSite()) {                                        \
    const ascendc_cpu::Scalar value = ascendc_cpu::scalar_of(scalar);                                                                      \
    const ascendc_cpu::Operand source = ascendc_cpu::operand(src0, "src0", p.srcBlkStride, p.srcRepStride);                                \
    ascendc_cpu::compare(ascendc_cpu::operand(dst, "dst"), source, source, &value, mode, ascendc_cpu::mask_lanes(mask, repeatTime), #Name, \
                         site);                                                                                                            \
  }

ASCENDC_CPU_COMPARE_SCALAR(CompareScalar)
ASCENDC_CPU_COMPARE_SCALAR(Compares)

#undef ASCENDC_CPU_COMPARE_SCALAR

template <class T, class U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                   SELMODE mode, std::int64_t count, CpuSite site = CpuSite()) {
  ascendc_cpu::select(ascendc_cpu::operand(dst, "dst"), selMask.ref(), ascendc_cpu::operand(src0, "src0"),
                      ascendc_cpu::operand(src1, "src1"), nullptr, mode, ascendc_cpu::count_lanes(count), site);
}

template <class T, class U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1, SELMODE mode,
                   std::int64_t count, CpuSite site = CpuSite()) {
  const ascendc_cpu::Scalar value = ascendc_cpu::scalar_of(src1);
  ascendc_cpu::select(ascendc_cpu::operand(dst, "dst"), selMask.ref(), ascendc_cpu::operand(src0, "src0"),
                      ascendc_cpu::operand(src0, "src0"), &value, mode, ascendc_cpu::count_lanes(count), site);
}

template <class T, class U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                   SELMODE mode, std::uint64_t mask, std::int64_t repeatTime, const BinaryRepeatParams& p, CpuSite site = CpuSite()) {
  ascendc_cpu::select(ascendc_cpu::operand(dst, "dst", p.dstBlkStride, p.dstRepStride), selMask.ref(),
                      ascendc_cpu::operand(src0, "src0", p.src0BlkStride, p.src0RepStride),
                      ascendc_cpu::operand(src1, "src1", p.src1BlkStride, p.src1RepStride), nullptr, mode,
                      ascendc_cpu::mask_lanes(mask, repeatTime), site);
}

template <class T, class U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1, SELMODE mode,
                   std::uint64_t mask, std::int64_t repeatTime, const BinaryRepeatParams& p, CpuSite site = CpuSite()) {
  const ascendc_cpu::Scalar value = ascendc_cpu::scalar_of(src1);
  const ascendc_cpu::Operand source = ascendc_cpu::operand(src0, "src0", p.src0BlkStride, p.src0RepStride);
  ascendc_cpu::select(ascendc_cpu::operand(dst, "dst", p.dstBlkStride, p.dstRepStride), selMask.ref(), source, source, &value, mode,
                      ascendc_cpu::mask_lanes(mask, repeatTime), site);
}

}  // namespace AscendC
