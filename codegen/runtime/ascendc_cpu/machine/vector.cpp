#include "vector.h"

#include <algorithm>

namespace ascendc_cpu {

namespace {

using AscendC::MaskMode;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

std::int64_t lanes_of_block(const Operand& operand) {
  return kBlockBytes / size_of(operand.tensor.dtype);
}

std::int64_t lane_offset(const Operand& operand, std::int64_t r, std::int64_t lane) {
  const std::int64_t per_block = lanes_of_block(operand);
  return operand.tensor.offset + (r * operand.repeat_stride + lane / per_block * operand.block_stride) * kBlockBytes +
         lane % per_block * size_of(operand.tensor.dtype);
}

LaneSet counted(std::int64_t count, std::int64_t lanes_per_repeat) {
  LaneSet set;
  set.repeat = ceil_div(count, lanes_per_repeat);
  set.full = lanes_per_repeat;
  set.tail = count - (set.repeat - 1) * lanes_per_repeat;
  return set;
}

LaneSet with_bits(std::uint64_t low, std::uint64_t high, std::int64_t repeat, std::int64_t lanes_per_repeat) {
  LaneSet set;
  set.prefix = false;
  set.repeat = repeat;
  // 32-bit types have 64 lanes and ignore the second word; 64-bit types have 32.
  set.bits[0] = lanes_per_repeat >= 64 ? low : low & ((1ull << lanes_per_repeat) - 1);
  set.bits[1] = lanes_per_repeat > 64 ? high : 0;
  return set;
}

void check_repeat(const Core& core, std::int64_t repeat) {
  if (repeat < 0 || repeat > kRepeatsMax) core.fail(Fault::ARGUMENT, "repeatTime", say("0 to ", kRepeatsMax), say(repeat));
}

// A full mask of a contiguous call is one run; so is each iteration of a prefix mask without block gaps.
bool gapless_blocks(const Operand* operands, int count) {
  return std::all_of(operands, operands + count, [](const Operand& o) { return o.block_stride == 1; });
}

bool gapless_repeats(const LaneSet& set, const Operand* operands, int count, std::int64_t lanes_per_repeat) {
  return set.full == lanes_per_repeat && std::all_of(operands, operands + count, [&](const Operand& o) {
           return o.repeat_stride * kBlockBytes == lanes_per_repeat * size_of(o.tensor.dtype);
         });
}

Segment run_at(const Operand* operands, int count, std::int64_t r, std::int64_t lane, std::int64_t lanes, std::int64_t lanes_per_repeat) {
  Segment segment;
  segment.lanes = lanes;
  segment.position = r * lanes_per_repeat + lane;
  for (int i = 0; i < count; ++i) segment.offset[i] = static_cast<std::uint32_t>(lane_offset(operands[i], r, lane));
  return segment;
}

void runs_of_repeat(const LaneSet& set, const Operand* operands, int count, std::int64_t r, std::int64_t lanes_per_repeat,
                    std::vector<Segment>& out) {
  std::int64_t unit = lanes_per_repeat;
  for (int i = 0; i < count; ++i) {
    if (operands[i].block_stride != 1) unit = std::min(unit, lanes_of_block(operands[i]));
  }
  std::int64_t lane = 0;
  while (lane < lanes_per_repeat) {
    if (!set.active(r, lane)) {
      ++lane;
      continue;
    }
    const std::int64_t border = std::min(lanes_per_repeat, (lane / unit + 1) * unit);
    std::int64_t end = lane + 1;
    while (end < border && set.active(r, end)) ++end;
    out.push_back(run_at(operands, count, r, lane, end - lane, lanes_per_repeat));
    lane = end;
  }
}

struct Range {
  std::int64_t begin;
  std::int64_t end;
  bool meets(const Range& other) const { return begin < other.end && other.begin < end; }
  bool operator==(const Range& other) const { return begin == other.begin && end == other.end; }
};

Range range_of(const LaneSet& set, const Operand& operand) {
  return {operand.tensor.offset, operand.tensor.offset + extent(set, operand)};
}

[[noreturn]] void fail_overlap(const Core& core, const Operand& dst, const Operand& src, const char* expected) {
  core.fail(Fault::OVERLAP, say(dst.role, " and ", src.role, " overlap"), expected,
            say("UB bytes ", dst.tensor.offset, " and ", src.tensor.offset));
}

// Each iteration overwrites exactly the lanes it reads, and no two iterations share a block.
bool in_place(const LaneSet& set, const Operand& dst, const Operand& src) {
  LaneSet one = set;
  one.repeat = 1;
  one.tail = set.span();
  const bool apart = set.repeat == 1 || dst.repeat_stride >= ceil_div(extent(one, dst), kBlockBytes);
  return apart && dst.tensor.offset == src.tensor.offset && dst.block_stride == src.block_stride &&
         dst.repeat_stride == src.repeat_stride && dst.tensor.dtype == src.tensor.dtype;
}

// Iteration by iteration: a source must not partly overlap the destination of its own iteration, nor any of an earlier one.
void check_iterations(const Core& core, const LaneSet& set, const Operand& dst, const Operand& src, std::int64_t lanes_per_repeat) {
  std::vector<std::uint8_t> written(core.chip.ub_bytes / kBlockBytes + 1, 0);
  const Operand pair[] = {dst, src};
  const std::int64_t dst_size = size_of(dst.tensor.dtype);
  const std::int64_t src_size = size_of(src.tensor.dtype);
  for (std::int64_t r = 0; r < set.repeat; ++r) {
    std::vector<Segment> runs;
    runs_of_repeat(set, pair, 2, r, lanes_per_repeat, runs);
    for (const Segment& run : runs) {
      const Range read{run.offset[1], run.offset[1] + run.lanes * src_size};
      for (std::int64_t block = read.begin / kBlockBytes; block <= (read.end - 1) / kBlockBytes; ++block) {
        if (written[static_cast<std::size_t>(block)] != 0) fail_overlap(core, dst, src, "a destination that no later iteration reads");
      }
      for (const Segment& other : runs) {
        const Range write{other.offset[0], other.offset[0] + other.lanes * dst_size};
        const bool same_lanes = &other == &run && write == read;
        if (write.meets(read) && !same_lanes) fail_overlap(core, dst, src, "identical or disjoint addresses in an iteration");
      }
    }
    for (const Segment& run : runs) {
      for (std::int64_t at = run.offset[0]; at < run.offset[0] + run.lanes * dst_size; at += dst_size) {
        written[static_cast<std::size_t>(at / kBlockBytes)] = 1;
      }
    }
  }
}

}  // namespace

std::int64_t LaneSet::span() const {
  if (prefix) return repeat > 1 ? std::max(full, tail) : tail;
  if (bits[1] != 0) return 128 - __builtin_clzll(bits[1]);
  return bits[0] != 0 ? 64 - __builtin_clzll(bits[0]) : 0;
}

std::int64_t LaneSet::elements() const {
  if (repeat == 0) return 0;
  if (prefix) return (repeat - 1) * full + tail;
  return repeat * (__builtin_popcountll(bits[0]) + __builtin_popcountll(bits[1]));
}

LaneSet resolve(Core& core, const Lanes& lanes, std::int64_t lanes_per_repeat) {
  if (lanes.style == Lanes::Style::COUNT) {
    if (lanes.count < 0) core.fail(Fault::ARGUMENT, "count", "at least 0", say(lanes.count));
    // The instruction sets its own counter mask and restores the normal mode and a full mask (§5).
    core.mask = MaskState{};
    LaneSet set = counted(lanes.count, lanes_per_repeat);
    set.dense = true;
    return set;
  }
  check_repeat(core, lanes.repeat);
  if (lanes.style == Lanes::Style::MASK_REGISTER) {
    const bool counter = core.mask.mode == MaskMode::COUNTER;
    if (counter != core.mask.counter_value) {
      core.fail(Fault::ARGUMENT, "value of the mask register", "SetVectorMask after the mode was changed",
                counter ? "bits in counter mode" : "a count in normal mode");
    }
    if (counter) return counted(static_cast<std::int64_t>(core.mask.low & 0xffffffffull), lanes_per_repeat);
    return with_bits(core.mask.low, core.mask.high, lanes.repeat, lanes_per_repeat);
  }
  if (core.mask.mode == MaskMode::COUNTER) {
    core.fail(Fault::ARGUMENT, "mode of the mask", "SetMaskNorm before a call with a mask of its own", "counter mode");
  }
  if (lanes.style == Lanes::Style::MASK_BITS) {
    core.mask.low = lanes.low;
    core.mask.high = lanes.high;
    return with_bits(lanes.low, lanes.high, lanes.repeat, lanes_per_repeat);
  }
  if (lanes.count < 0 || lanes.count > lanes_per_repeat) {
    core.fail(Fault::ARGUMENT, "mask", say("0 to ", lanes_per_repeat, " elements of an iteration"), say(lanes.count));
  }
  const std::int64_t n = lanes.count;
  core.mask.low = n >= 64 ? ~0ull : (1ull << n) - 1;
  core.mask.high = n >= 128 ? ~0ull : n > 64 ? (1ull << (n - 64)) - 1 : 0;
  LaneSet set;
  set.repeat = n == 0 ? 0 : lanes.repeat;
  set.full = set.tail = n;
  return set;
}

std::int64_t extent(const LaneSet& set, const Operand& operand) {
  const std::int64_t size = size_of(operand.tensor.dtype);
  if (set.elements() == 0) return 0;
  if (set.dense) return set.elements() * size;
  const std::int64_t per_block = lanes_of_block(operand);
  const auto reach = [&](std::int64_t r, std::int64_t span) {
    const std::int64_t blocks = ceil_div(span, per_block) - 1;
    return (r * operand.repeat_stride + blocks * operand.block_stride) * kBlockBytes + (span - blocks * per_block) * size;
  };
  const std::int64_t last = reach(set.repeat - 1, set.prefix ? set.tail : set.span());
  return set.repeat > 1 ? std::max(last, reach(set.repeat - 2, set.span())) : last;
}

void check_strides(const Core& core, const Operand& operand, std::int64_t block_max, std::int64_t repeat_max) {
  if (operand.block_stride < 0 || operand.block_stride > block_max) {
    core.fail(Fault::ARGUMENT, say("block stride of ", operand.role), say("0 to ", block_max, " blocks of 32 B"),
              say(operand.block_stride));
  }
  if (operand.repeat_stride < 0 || operand.repeat_stride > repeat_max) {
    core.fail(Fault::ARGUMENT, say("repeat stride of ", operand.role), say("0 to ", repeat_max, " blocks of 32 B"),
              say(operand.repeat_stride));
  }
}

const std::vector<Segment>& segments(const LaneSet& set, const Operand* operands, int count, std::int64_t lanes_per_repeat) {
  thread_local std::vector<Segment> out;
  out.clear();
  if (set.elements() == 0) return out;
  if (set.dense || (set.prefix && gapless_blocks(operands, count) && gapless_repeats(set, operands, count, lanes_per_repeat))) {
    out.push_back(run_at(operands, count, 0, 0, set.elements(), lanes_per_repeat));
    return out;
  }
  for (std::int64_t r = 0; r < set.repeat; ++r) {
    if (set.prefix && gapless_blocks(operands, count)) {
      out.push_back(run_at(operands, count, r, 0, set.first_lanes(r), lanes_per_repeat));
    } else {
      runs_of_repeat(set, operands, count, r, lanes_per_repeat, out);
    }
  }
  return out;
}

void check_overlap(const Core& core, const LaneSet& set, const Operand* operands, int count, std::int64_t lanes_per_repeat, InPlace rule) {
  if (set.elements() == 0) return;
  const Operand& dst = operands[0];
  const bool accumulates = rule == InPlace::ACCUMULATE && count > 2 && dst.repeat_stride == 0 && operands[2].repeat_stride == 0 &&
                           dst.tensor.offset == operands[2].tensor.offset && dst.block_stride == operands[2].block_stride;
  if (!set.dense && dst.repeat_stride == 0 && set.repeat > 1 && !accumulates) {
    core.fail(Fault::ARGUMENT, "dstRepStride", "at least 1, or 0 with dst as src1 and src1RepStride 0", "0");
  }
  if (!set.dense && dst.block_stride == 0 && set.span() > lanes_of_block(dst))
    core.fail(Fault::ARGUMENT, "dstBlkStride", "at least 1", "0");
  for (int i = 1; i < count; ++i) {
    const Operand& src = operands[i];
    if (accumulates && i == 2) continue;
    const Range write = range_of(set, dst);
    const Range read = range_of(set, src);
    if (!write.meets(read)) continue;
    if (rule == InPlace::NEVER) fail_overlap(core, dst, src, "disjoint addresses");
    if (set.dense) {
      // Narrowing in place reads every lane before it is overwritten; widening does not (§6.2).
      const bool fits = write.begin == read.begin && size_of(dst.tensor.dtype) <= size_of(src.tensor.dtype);
      if (!fits) fail_overlap(core, dst, src, "identical or disjoint addresses");
      continue;
    }
    if (!in_place(set, dst, src)) check_iterations(core, set, dst, src, lanes_per_repeat);
  }
}

void check_disjoint(const Core& core, const TensorRef& a, std::int64_t a_bytes, const char* a_role, const TensorRef& b,
                    std::int64_t b_bytes, const char* b_role) {
  const Range first{a.offset, a.offset + a_bytes};
  const Range second{b.offset, b.offset + b_bytes};
  if (!first.meets(second)) return;
  core.fail(Fault::OVERLAP, say(a_role, " and ", b_role, " overlap"), "disjoint tensors",
            say("UB bytes ", first.begin, " to ", first.end, " and ", second.begin, " to ", second.end));
}

}  // namespace ascendc_cpu
