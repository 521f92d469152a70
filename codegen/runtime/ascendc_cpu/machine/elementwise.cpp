#include "elementwise.h"

#include <algorithm>

namespace ascendc_cpu {

void propagate(Core& core, const Segment& run, const Operand* operands, int count, bool bitwise) {
  const std::uint32_t dst_size = static_cast<std::uint32_t>(size_of(operands[0].tensor.dtype));
  const std::uint32_t lanes = static_cast<std::uint32_t>(run.lanes);
  bool tainted = false;
  for (int i = 1; i < count; ++i)
    tainted |= core.taint.any(run.offset[i], lanes * static_cast<std::uint32_t>(size_of(operands[i].tensor.dtype)));
  if (!tainted) {
    core.taint.clear(run.offset[0], lanes * dst_size);
    return;
  }
  thread_local std::vector<std::uint8_t> bits;
  bits.assign(lanes * dst_size, 0);
  for (int i = 1; i < count; ++i) {
    const std::uint32_t size = static_cast<std::uint32_t>(size_of(operands[i].tensor.dtype));
    const std::uint8_t* source = core.taint.at(run.offset[i]);
    if (bitwise) {
      for (std::uint32_t byte = 0; byte < lanes * size; ++byte) bits[byte] |= source[byte];
      continue;
    }
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      if (any_bit(source + lane * size, size)) std::fill_n(bits.begin() + lane * dst_size, dst_size, 0xff);
    }
  }
  core.taint.copy(run.offset[0], bits.data(), lanes * dst_size);
}

void execute(Core& core, const Lanes& lanes, const Elementwise& call) {
  int widest = 1;
  for (int i = 0; i < call.count; ++i) widest = std::max(widest, size_of(call.operands[i].tensor.dtype));
  const std::int64_t lanes_per_repeat = kRepeatBytes / widest;
  const LaneSet set = resolve(core, lanes, lanes_per_repeat);
  for (int i = 0; i < call.count; ++i) {
    if (!set.dense) check_strides(core, call.operands[i], call.block_stride_max, call.repeat_stride_max);
    core.check_operand(call.operands[i].tensor, call.operands[i].role, extent(set, call.operands[i]));
  }
  check_overlap(core, set, call.operands, call.count, lanes_per_repeat, call.rule);
  core.issue(Pipe::V);
  const std::uint8_t* sources[kOperandsMax] = {};
  for (const Segment& run : segments(set, call.operands, call.count, lanes_per_repeat)) {
    for (int i = 1; i < call.count; ++i) {
      core.reads(Pipe::V, run.offset[i], run.lanes * size_of(call.operands[i].tensor.dtype), call.operands[i].role);
      sources[i - 1] = core.at(run.offset[i]);
    }
    core.writes(Pipe::V, run.offset[0], run.lanes * size_of(call.operands[0].tensor.dtype), call.operands[0].role);
    propagate(core, run, call.operands, call.count, call.bitwise);
    call.run(core.at(run.offset[0]), sources, call.scalar, run.lanes);
  }
}

}  // namespace ascendc_cpu
