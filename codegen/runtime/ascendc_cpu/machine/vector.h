// What all vector instructions share: which lanes run, where they lie, and the checks of their operands (ascendc_api_facts §5).
#pragma once

#include <vector>

#include "core.h"

namespace ascendc_cpu {

constexpr std::int64_t kRepeatBytes = 256;
constexpr std::int64_t kRepeatsMax = 255;

// How a call names its lanes.
struct Lanes {
  enum class Style : std::uint8_t { COUNT, MASK, MASK_BITS, MASK_REGISTER };
  Style style = Style::COUNT;
  std::int64_t count = 0;  // COUNT: elements; MASK: first elements of each iteration
  std::uint64_t low = 0;   // MASK_BITS: elements 0..63 and 64..127
  std::uint64_t high = 0;
  std::int64_t repeat = 1;
};

inline Lanes count_lanes(std::int64_t count) {
  return {Lanes::Style::COUNT, count, 0, 0, 1};
}
inline Lanes mask_lanes(std::uint64_t mask, std::int64_t repeat, bool set_mask = true) {
  return {set_mask ? Lanes::Style::MASK : Lanes::Style::MASK_REGISTER, static_cast<std::int64_t>(mask), 0, 0, repeat};
}
inline Lanes bit_lanes(const std::uint64_t* mask, std::int64_t repeat, bool set_mask = true) {
  if (!set_mask) return {Lanes::Style::MASK_REGISTER, 0, 0, 0, repeat};
  return {Lanes::Style::MASK_BITS, 0, mask[0], mask[1], repeat};
}

// One operand; strides are in blocks of 32 bytes, start to start. They matter only where lanes come in iterations.
struct Operand {
  TensorRef tensor;
  std::int64_t block_stride = 1;
  std::int64_t repeat_stride = 8;
  const char* role = "";
};

// The lanes of a call, resolved: `repeat` iterations; either the first `full` lanes of each (`tail` of the last), or the set bits.
struct LaneSet {
  bool dense = false;  // count style: one gapless run
  bool prefix = true;
  std::int64_t repeat = 0;
  std::int64_t full = 0;
  std::int64_t tail = 0;
  std::uint64_t bits[2] = {0, 0};

  std::int64_t first_lanes(std::int64_t r) const { return r + 1 < repeat ? full : tail; }
  bool active(std::int64_t r, std::int64_t lane) const {
    return prefix ? lane < first_lanes(r) : ((bits[lane / 64] >> (lane % 64)) & 1u) != 0;
  }
  // One more than the highest active lane of any iteration.
  std::int64_t span() const;
  std::int64_t elements() const;
};

// A gapless run of lanes; offsets in UB bytes: the destination first, then the sources.
constexpr int kOperandsMax = 4;
struct Segment {
  std::int64_t lanes = 0;
  std::int64_t position = 0;  // of the first lane: iteration * lanes of an iteration + lane
  std::uint32_t offset[kOperandsMax] = {0, 0, 0, 0};
};

// Checks the lanes of a call and resolves them. Leaves the mask register as the call leaves it.
LaneSet resolve(Core& core, const Lanes& lanes, std::int64_t lanes_per_repeat);

// Bytes from the start of an operand to the end of its last active lane.
std::int64_t extent(const LaneSet& set, const Operand& operand);
void check_strides(const Core& core, const Operand& operand, std::int64_t block_max, std::int64_t repeat_max);

// Splits lanes into runs that are gapless for all operands. The result is valid until the next call on this thread.
const std::vector<Segment>& segments(const LaneSet& set, const Operand* operands, int operands_count, std::int64_t lanes_per_repeat);

// Forbidden overlaps of the destination (operand 0) with the sources.
enum class InPlace : std::uint8_t {
  SAME_LANES,  // identical or disjoint
  ACCUMULATE,  // also the destination as second source with repeat stride 0
  NEVER,       // disjoint
};
void check_overlap(const Core& core, const LaneSet& set, const Operand* operands, int operands_count, std::int64_t lanes_per_repeat,
                   InPlace rule);
void check_disjoint(const Core& core, const TensorRef& a, std::int64_t a_bytes, const char* a_role, const TensorRef& b,
                    std::int64_t b_bytes, const char* b_role);

}  // namespace ascendc_cpu
