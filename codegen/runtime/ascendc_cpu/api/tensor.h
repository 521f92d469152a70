// LocalTensor and GlobalTensor.
#pragma once

#include "../machine/dma_calls.h"
#include "../machine/queue_calls.h"

namespace AscendC {

// Where a call stands in the kernel; see machine/site.h.
using CpuSite = ascendc_cpu::Site;
using CpuIndex = ascendc_cpu::Index;

template <class T>
class LocalTensor {
 public:
  using PrimType = T;

  LocalTensor() { ref_.dtype = ascendc_cpu::dtype_of<T>; }
  explicit LocalTensor(const ascendc_cpu::TensorRef& ref) : ref_(ref) { ref_.dtype = ascendc_cpu::dtype_of<T>; }

  LocalTensor operator[](CpuIndex offset) const { return LocalTensor(ascendc_cpu::slice(ref_, offset)); }

  template <class U>
  LocalTensor<U> ReinterpretCast() const {
    return LocalTensor<U>(ref_);
  }

  std::uint32_t GetSize() const { return static_cast<std::uint32_t>(ascendc_cpu::elements_of(ref_)); }
  void SetSize(std::uint32_t size, CpuSite site = CpuSite()) { ref_ = ascendc_cpu::resized(ref_, size, site); }

  T GetValue(CpuIndex index) const {
    const std::uint64_t bits = ascendc_cpu::get_value(ref_, index);
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
    return value;
  }
  template <class S>
  void SetValue(CpuIndex index, S value) const {
    ascendc_cpu::set_value(ref_, index, ascendc_cpu::scalar_of(static_cast<T>(value)).bits);
  }

  T* GetPhyAddr() const { return reinterpret_cast<T*>(ascendc_cpu::address_of(ref_)); }
  T* GetPhyAddr(CpuIndex offset) const { return (*this)[offset].GetPhyAddr(); }

  const ascendc_cpu::TensorRef& ref() const { return ref_; }

 private:
  ascendc_cpu::TensorRef ref_;
};

template <class T>
class GlobalTensor {
 public:
  using PrimType = T;

  GlobalTensor() = default;
  explicit GlobalTensor(const ascendc_cpu::GmRef& ref) : ref_(ref) {}

  void SetGlobalBuffer(__gm__ T* buffer, std::uint64_t elements, CpuSite site = CpuSite()) {
    set(buffer, static_cast<std::int64_t>(elements), site);
  }
  void SetGlobalBuffer(__gm__ T* buffer, CpuSite site = CpuSite()) { set(buffer, -1, site); }

  GlobalTensor operator[](CpuIndex offset) const { return GlobalTensor(ascendc_cpu::gm_slice(ref_, offset)); }
  std::uint64_t GetSize() const { return ref_.sized && ref_.elements > 0 ? static_cast<std::uint64_t>(ref_.elements) : 0; }

  T GetValue(CpuIndex index) const {
    const std::uint64_t bits = ascendc_cpu::gm_get_value(ref_, index);
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
    return value;
  }
  void SetValue(CpuIndex index, T value) const { ascendc_cpu::gm_set_value(ref_, index, ascendc_cpu::scalar_of(value).bits); }

  const ascendc_cpu::GmRef& ref() const { return ref_; }

 private:
  void set(__gm__ T* buffer, std::int64_t elements, CpuSite site) {
    ref_ = ascendc_cpu::gm_view(reinterpret_cast<std::uint8_t*>(buffer), elements, ascendc_cpu::dtype_of<T>, site);
  }

  ascendc_cpu::GmRef ref_;
};

}  // namespace AscendC
