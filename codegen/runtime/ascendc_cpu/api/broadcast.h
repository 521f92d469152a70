#pragma once

#include "../machine/library_calls.h"
#include "vector_params.h"

namespace ascendc_cpu {

template <std::int32_t dim, std::int32_t axis>
inline ascendc_cpu::BroadcastShape broadcast_shape(const std::uint32_t* dst, const std::uint32_t* src) {
  static_assert(dim == 1 || dim == 2, "Broadcast has 1 or 2 dimensions");
  static_assert(axis == 0 || axis == 1, "Broadcast axis is 0 or 1");
  return {dim, axis, {dst[0], dim == 2 ? dst[dim - 1] : 1}, {src[0], dim == 2 ? src[dim - 1] : 1}};
}

}  // namespace ascendc_cpu

namespace AscendC {

// The temporary buffer is taken by reference and not by const reference, as on the device.
template <class T, std::int32_t dim, std::int32_t axis, bool isReuseSource = false>
inline void Broadcast(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t dstShape[dim],
                      const std::uint32_t srcShape[dim], LocalTensor<std::uint8_t>& sharedTmpBuffer, CpuSite site = CpuSite()) {
  ascendc_cpu::broadcast(dst.ref(), src.ref(), &sharedTmpBuffer.ref(), ascendc_cpu::broadcast_shape<dim, axis>(dstShape, srcShape), site);
}

template <class T, std::int32_t dim, std::int32_t axis, bool isReuseSource = false>
inline void Broadcast(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t dstShape[dim],
                      const std::uint32_t srcShape[dim], CpuSite site = CpuSite()) {
  ascendc_cpu::broadcast(dst.ref(), src.ref(), nullptr, ascendc_cpu::broadcast_shape<dim, axis>(dstShape, srcShape), site);
}

}  // namespace AscendC
