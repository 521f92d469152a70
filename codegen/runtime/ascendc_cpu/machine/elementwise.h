// One elementwise vector instruction: every lane of the destination from the same lane of the sources.
#pragma once

#include "vector.h"

namespace ascendc_cpu {

// Computes a gapless run of lanes. `scalar` holds the bits of the scalar operand.
using Run = void (*)(std::uint8_t* dst, const std::uint8_t* const* src, std::uint64_t scalar, std::int64_t lanes);

struct Elementwise {
  Operand operands[kOperandsMax];  // the destination first; again as a source where its old value counts
  int count = 0;
  std::int64_t block_stride_max = 255;
  std::int64_t repeat_stride_max = 255;
  InPlace rule = InPlace::SAME_LANES;
  Run run = nullptr;
  std::uint64_t scalar = 0;
  bool bitwise = false;  // every bit from the same bit of the sources
};

void execute(Core& core, const Lanes& lanes, const Elementwise& call);

// Taint of a run: a destination lane (`bitwise`: bit) is tainted where any source lane is. Operand 0 is the destination.
void propagate(Core& core, const Segment& run, const Operand* operands, int count, bool bitwise = false);

// float for half, else the type itself: what an instruction computes in.
template <class T>
struct WideOf {
  using type = T;
};
template <>
struct WideOf<half> {
  using type = float;
};
template <class T>
using Wide = typename WideOf<T>::type;

template <class T>
inline Wide<T> scalar_value(std::uint64_t bits) {
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return static_cast<Wide<T>>(value);
}

}  // namespace ascendc_cpu
