// half and bfloat16_t: storage types with IEEE-correct conversions from and to float (round to nearest even, overflow to infinity,
// NaN stays NaN). They carry no arithmetic: an instruction computes in float and rounds once (ascendc_api_facts §14.4).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ascendc_cpu {

template <class To, class From>
inline To bit_copy(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "bit_copy needs equal sizes");
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

inline float float_of_half_bits(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t shifted = static_cast<std::uint32_t>(bits & 0x7fffu) << 13;
  // Multiplying by 2^112 moves the exponent bias from 15 to 127 and normalizes subnormals in one exact step.
  const float scaled = bit_copy<float>(shifted) * 0x1p112f;
  const std::uint32_t finite = bit_copy<std::uint32_t>(scaled);
  const std::uint32_t special = shifted | 0x7f800000u;
  return bit_copy<float>(((bits & 0x7c00u) == 0x7c00u ? special : finite) | sign);
}

inline std::uint16_t half_bits_of_float(float value) {
  const std::uint32_t bits = bit_copy<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
  // Adding 0.5 lets the float adder round a subnormal: its last mantissa bit then weighs 2^-24, like that of half.
  const std::uint32_t subnormal = bit_copy<std::uint32_t>(bit_copy<float>(magnitude) + 0.5f) - 0x3f000000u;
  const std::uint32_t nan = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  std::uint32_t half = magnitude < 0x38800000u ? subnormal : normal;
  half = magnitude >= 0x47800000u ? 0x7c00u : half;
  half = magnitude > 0x7f800000u ? nan : half;
  return static_cast<std::uint16_t>(half | sign);
}

// A double narrowed to float with an odd last bit where it is inexact: rounding that once more, to half, then loses nothing.
inline float odd_float_of_double(double value) {
  const float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value) || std::isinf(nearest)) return nearest;
  const bool away = std::fabs(static_cast<double>(nearest)) > std::fabs(value);
  return bit_copy<float>((bit_copy<std::uint32_t>(nearest) - (away ? 1u : 0u)) | 1u);
}

inline float float_of_bfloat_bits(std::uint16_t bits) {
  return bit_copy<float>(static_cast<std::uint32_t>(bits) << 16);
}

inline std::uint16_t bfloat_bits_of_float(float value) {
  const std::uint32_t bits = bit_copy<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return static_cast<std::uint16_t>(nan ? (bits >> 16) | 0x40u : rounded);
}

}  // namespace ascendc_cpu

struct half {
  std::uint16_t bits = 0;

  half() = default;
  half(float value) : bits(ascendc_cpu::half_bits_of_float(value)) {}
  template <class Number, class = std::enable_if_t<std::is_arithmetic<Number>::value>>
  half(Number value) : half(ascendc_cpu::odd_float_of_double(static_cast<double>(value))) {}
  operator float() const { return ascendc_cpu::float_of_half_bits(bits); }
};

struct bfloat16_t {
  std::uint16_t bits = 0;

  bfloat16_t() = default;
  explicit bfloat16_t(float value) : bits(ascendc_cpu::bfloat_bits_of_float(value)) {}
  explicit operator float() const { return ascendc_cpu::float_of_bfloat_bits(bits); }
};

using float16_t = half;
