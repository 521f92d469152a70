// DataCopy and DataCopyPad. Parameter fields are wider than on the device, so that a value beyond a field's limit is seen and not cut off.
#pragma once

#include "tensor.h"

namespace AscendC {

// All in blocks of 32 bytes, except the count.
struct DataCopyParams {
  std::int64_t blockCount = 1;
  std::int64_t blockLen = 0;
  std::int64_t srcGap = 0;
  std::int64_t dstGap = 0;

  DataCopyParams() = default;
  DataCopyParams(std::int64_t count, std::int64_t len, std::int64_t src_gap, std::int64_t dst_gap)
      : blockCount(count), blockLen(len), srcGap(src_gap), dstGap(dst_gap) {}
};

// blockLen in bytes; strides in bytes on the GM side and in blocks of 32 bytes on the UB side.
struct DataCopyExtParams {
  std::int64_t blockCount = 1;
  std::int64_t blockLen = 0;
  std::int64_t srcStride = 0;
  std::int64_t dstStride = 0;
  std::int64_t rsv = 0;

  DataCopyExtParams() = default;
  DataCopyExtParams(std::int64_t count, std::int64_t len, std::int64_t src_stride, std::int64_t dst_stride, std::int64_t reserved)
      : blockCount(count), blockLen(len), srcStride(src_stride), dstStride(dst_stride), rsv(reserved) {}
};

template <class T>
struct DataCopyPadExtParams {
  bool isPad = false;
  std::int64_t leftPadding = 0;
  std::int64_t rightPadding = 0;
  T paddingValue = T(0);

  DataCopyPadExtParams() = default;
  DataCopyPadExtParams(bool is_pad, std::int64_t left, std::int64_t right, T value)
      : isPad(is_pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

template <class T>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& params,
                        const DataCopyPadExtParams<T>& pad, CpuSite site = CpuSite()) {
  const ascendc_cpu::Padding padding{pad.isPad, pad.leftPadding, pad.rightPadding, ascendc_cpu::scalar_of(pad.paddingValue).bits};
  ascendc_cpu::load(dst.ref(), src.ref(), {params.blockCount, params.blockLen, params.srcStride, params.dstStride}, padding, "DataCopyPad",
                    site);
}

template <class T>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& params, CpuSite site = CpuSite()) {
  ascendc_cpu::store(dst.ref(), src.ref(), {params.blockCount, params.blockLen, params.dstStride, params.srcStride}, "DataCopyPad", site);
}

template <class T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, std::int64_t count, CpuSite site = CpuSite()) {
  ascendc_cpu::load_count(dst.ref(), src.ref(), count, site);
}
template <class T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, std::int64_t count, CpuSite site = CpuSite()) {
  ascendc_cpu::store_count(dst.ref(), src.ref(), count, site);
}
template <class T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, std::int64_t count, CpuSite site = CpuSite()) {
  ascendc_cpu::copy_count(dst.ref(), src.ref(), count, site);
}

template <class T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params, CpuSite site = CpuSite()) {
  ascendc_cpu::load_blocks(dst.ref(), src.ref(), {params.blockCount, params.blockLen, params.srcGap, params.dstGap}, site);
}
template <class T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params, CpuSite site = CpuSite()) {
  ascendc_cpu::store_blocks(dst.ref(), src.ref(), {params.blockCount, params.blockLen, params.srcGap, params.dstGap}, site);
}
template <class T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params, CpuSite site = CpuSite()) {
  ascendc_cpu::copy_blocks(dst.ref(), src.ref(), {params.blockCount, params.blockLen, params.srcGap, params.dstGap}, site);
}

}  // namespace AscendC
