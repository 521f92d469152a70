#pragma once

#include "../machine/library_calls.h"
#include "vector_params.h"

namespace AscendC {

struct TransDataTo5HDParams {
  bool dstHighHalf = false;
  bool srcHighHalf = false;
  std::int64_t repeatTimes = 1;
  std::int64_t dstRepStride = 0;
  std::int64_t srcRepStride = 0;

  TransDataTo5HDParams() = default;
  TransDataTo5HDParams(bool dst_high, bool src_high, std::int64_t repeat, std::int64_t dst_stride, std::int64_t src_stride)
      : dstHighHalf(dst_high), srcHighHalf(src_high), repeatTimes(repeat), dstRepStride(dst_stride), srcRepStride(src_stride) {}
};

template <class T>
inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, CpuSite site = CpuSite()) {
  ascendc_cpu::transpose_block(dst.ref(), src.ref(), site);
}

template <class T>
inline void TransDataTo5HD(const LocalTensor<T> (&dstList)[16], const LocalTensor<T> (&srcList)[16], const TransDataTo5HDParams& params,
                           CpuSite site = CpuSite()) {
  ascendc_cpu::TensorRef dst[16];
  ascendc_cpu::TensorRef src[16];
  for (int i = 0; i < 16; ++i) {
    dst[i] = dstList[i].ref();
    src[i] = srcList[i].ref();
  }
  ascendc_cpu::transpose_lists(dst, src, params.repeatTimes, params.dstRepStride, params.srcRepStride, site);
}

template <class T>
inline void TransDataTo5HD(std::uint64_t dstList[16], std::uint64_t srcList[16], const TransDataTo5HDParams& params,
                           CpuSite site = CpuSite()) {
  ascendc_cpu::TensorRef dst[16];
  ascendc_cpu::TensorRef src[16];
  for (int i = 0; i < 16; ++i) {
    dst[i] = ascendc_cpu::tensor_at(dstList[i], ascendc_cpu::dtype_of<T>, site);
    src[i] = ascendc_cpu::tensor_at(srcList[i], ascendc_cpu::dtype_of<T>, site);
  }
  ascendc_cpu::transpose_lists(dst, src, params.repeatTimes, params.dstRepStride, params.srcRepStride, site);
}

}  // namespace AscendC
