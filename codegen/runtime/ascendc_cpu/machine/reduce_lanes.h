// Reducing the lanes of one iteration, in the order and precision of the instructions (ascendc_api_facts §7.1).
#pragma once

#include <array>
#include <cmath>

#include "arithmetic.h"
#include "reduce_calls.h"

namespace ascendc_cpu {

constexpr std::int64_t kLanesMax = 128;

// The lanes of one iteration as floats; lanes that are off hold nothing.
struct LaneValues {
  std::array<float, kLanesMax> value;
  std::array<bool, kLanesMax> active;
  std::int64_t count = 0;
};

struct Reduced {
  bool any = false;  // at least one active lane
  float value = 0.0f;
  std::int64_t lane = 0;  // lowest lane that holds the value (max, min)
};

inline float read_float(DType dtype, const std::uint8_t* at) {
  return dtype == DType::F16 ? static_cast<float>(*lanes_of<half>(at)) : *lanes_of<float>(at);
}

inline void write_float(DType dtype, std::uint8_t* at, float value) {
  if (dtype == DType::F16) {
    *reinterpret_cast<half*>(at) = half(value);
  } else {
    *reinterpret_cast<float*>(at) = value;
  }
}

inline float round_to_type(DType dtype, float value) {
  return dtype == DType::F16 ? static_cast<float>(half(value)) : value;
}

// Sum of lanes [begin, begin + count): a tree of neighbours, each addition rounded to the type. count is a power of two.
inline Reduced sum_lanes(const LaneValues& lanes, std::int64_t begin, std::int64_t count, DType dtype) {
  std::array<float, kLanesMax> level;
  Reduced result;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool on = begin + i < lanes.count && lanes.active[static_cast<std::size_t>(begin + i)];
    level[static_cast<std::size_t>(i)] = on ? lanes.value[static_cast<std::size_t>(begin + i)] : 0.0f;
    result.any |= on;
  }
  for (std::int64_t width = count / 2; width >= 1; width /= 2) {
    for (std::int64_t i = 0; i < width; ++i) {
      level[static_cast<std::size_t>(i)] =
          round_to_type(dtype, level[static_cast<std::size_t>(2 * i)] + level[static_cast<std::size_t>(2 * i + 1)]);
    }
  }
  result.value = level[0];
  return result;
}

inline Reduced pick_lanes(const LaneValues& lanes, std::int64_t begin, std::int64_t count, bool largest) {
  Reduced result;
  for (std::int64_t i = begin; i < begin + count && i < lanes.count; ++i) {
    if (!lanes.active[static_cast<std::size_t>(i)]) continue;
    const float value = lanes.value[static_cast<std::size_t>(i)];
    const bool better = largest ? value > result.value : value < result.value;
    const bool first_nan = std::isnan(value) && !std::isnan(result.value);
    if (!result.any || better || first_nan) result = {true, value, i};
  }
  return result;
}

inline Reduced reduce_lanes(ReduceOp op, const LaneValues& lanes, std::int64_t begin, std::int64_t count, DType dtype) {
  return op == ReduceOp::SUM ? sum_lanes(lanes, begin, count, dtype) : pick_lanes(lanes, begin, count, op == ReduceOp::MAX);
}

// Reads iteration r of an operand; each active lane must have been written.
LaneValues lanes_of_repeat(Core& core, const LaneSet& set, const Operand& src, std::int64_t r, std::int64_t lanes_per_repeat);

}  // namespace ascendc_cpu
