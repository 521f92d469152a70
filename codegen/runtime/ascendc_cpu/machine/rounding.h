// The rounding modes of Cast (ascendc_api_facts §6.2).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "../api/enums.h"
#include "../number.h"

namespace ascendc_cpu {

// To an integral value. NONE loses precision like RINT.
template <class Real>
inline Real round_integral(Real x, AscendC::RoundMode mode) {
  switch (mode) {
    case AscendC::RoundMode::CAST_FLOOR:
      return std::floor(x);
    case AscendC::RoundMode::CAST_CEIL:
      return std::ceil(x);
    case AscendC::RoundMode::CAST_ROUND:
      return std::round(x);
    case AscendC::RoundMode::CAST_TRUNC:
      return std::trunc(x);
    case AscendC::RoundMode::CAST_ODD: {
      const Real cut = std::trunc(x);
      const bool inexact_even = cut != x && std::fmod(cut, Real(2)) == 0;
      return inexact_even ? cut + std::copysign(Real(1), x) : cut;
    }
    default:
      return std::rint(x);
  }
}

// A binary floating-point format: bits of the significand and the smallest normal exponent; the largest finite value.
struct Format {
  int precision;
  int min_exponent;
  double largest;
};
constexpr Format kHalf{11, -14, 65504.0};
constexpr Format kBfloat{8, -126, 3.3895313892515355e38};
constexpr Format kFloat{24, -126, 3.4028234663852886e38};

// To a value of the format; beyond its range infinity, as the instruction does not saturate.
template <class Real>
inline float round_to(Real x, AscendC::RoundMode mode, const Format& format) {
  if (x == 0 || !std::isfinite(x)) return static_cast<float>(x);
  const int exponent = std::max(std::ilogb(x), format.min_exponent) - (format.precision - 1);
  const Real rounded = std::ldexp(round_integral(std::ldexp(x, -exponent), mode), exponent);
  if (std::fabs(rounded) > static_cast<Real>(format.largest))
    return std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(x));
  return static_cast<float>(rounded);
}

// To an integer type: saturates, NaN becomes 0.
template <class Int, class Real>
inline Int saturate(Real x) {
  if (x != x) return 0;
  constexpr Real low = static_cast<Real>(std::numeric_limits<Int>::min());
  // One more than the largest value: a power of two, so exact in every Real.
  constexpr Real beyond =
      -2 * (static_cast<Real>(std::numeric_limits<std::make_signed_t<Int>>::min()) / (std::is_signed<Int>::value ? 2 : 1));
  if (x <= low) return std::numeric_limits<Int>::min();
  if (x >= beyond) return std::numeric_limits<Int>::max();
  return static_cast<Int>(x);
}

}  // namespace ascendc_cpu
