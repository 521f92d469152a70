// Loops over lanes, shared by the files of elementwise instructions. half computes in float and rounds once; integers wrap.
#pragma once

#include "elementwise.h"

namespace ascendc_cpu {

template <class T>
inline T narrow(Wide<T> value) {
  return static_cast<T>(value);
}

template <class T>
inline const T* lanes_of(const std::uint8_t* data) {
  return reinterpret_cast<const T*>(data);
}

template <class T, class F>
void run_unary(std::uint8_t* dst, const std::uint8_t* const* src, std::uint64_t, std::int64_t lanes) {
  T* out = reinterpret_cast<T*>(dst);
  const T* x = lanes_of<T>(src[0]);
  for (std::int64_t i = 0; i < lanes; ++i) out[i] = narrow<T>(F::of(static_cast<Wide<T>>(x[i])));
}

template <class T, class F>
void run_binary(std::uint8_t* dst, const std::uint8_t* const* src, std::uint64_t, std::int64_t lanes) {
  T* out = reinterpret_cast<T*>(dst);
  const T* x = lanes_of<T>(src[0]);
  const T* y = lanes_of<T>(src[1]);
  for (std::int64_t i = 0; i < lanes; ++i) out[i] = narrow<T>(F::of(static_cast<Wide<T>>(x[i]), static_cast<Wide<T>>(y[i])));
}

template <class T, class F>
void run_scalar(std::uint8_t* dst, const std::uint8_t* const* src, std::uint64_t scalar, std::int64_t lanes) {
  T* out = reinterpret_cast<T*>(dst);
  const T* x = lanes_of<T>(src[0]);
  const Wide<T> s = scalar_value<T>(scalar);
  for (std::int64_t i = 0; i < lanes; ++i) out[i] = narrow<T>(F::of(static_cast<Wide<T>>(x[i]), s));
}

// Unsigned arithmetic wraps where signed arithmetic would be undefined.
template <class T, bool = std::is_integral<T>::value>
struct Wrapping {
  using type = std::make_unsigned_t<T>;
};
template <class T>
struct Wrapping<T, false> {
  using type = T;
};
// int16_t promotes to int, whose products of two 16-bit values do not overflow; 32 bits need the unsigned type.
template <class T>
using Wrap = std::conditional_t<sizeof(T) == 4, typename Wrapping<T>::type, T>;

template <class T>
inline T larger(T x, T y) {
  return x > y || x != x ? x : y;
}
template <class T>
inline T smaller(T x, T y) {
  return x < y || x != x ? x : y;
}

}  // namespace ascendc_cpu
