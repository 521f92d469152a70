// ReduceSum, ReduceMax, ReduceMin over the first elements, or over all iterations: one result (ascendc_api_facts §7.2).
#include <algorithm>

#include "reduce_lanes.h"

namespace ascendc_cpu {

namespace {

using AscendC::HardEvent;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}
std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return ceil_div(value, unit) * unit;
}

// Elements of temporary that max and min need for R partial results, with E lanes in a block and P in an iteration.
std::int64_t pick_tmp_elements(std::int64_t partials, bool with_index, std::int64_t per_block, std::int64_t per_repeat) {
  const std::int64_t first = 2 * partials;
  const std::int64_t a = round_up(first, per_block);
  if (!with_index) return a;
  const std::int64_t second = 2 * ceil_div(first, per_repeat);
  const std::int64_t b = round_up(second, per_block);
  if (second <= 2) return a + b;
  return a + b + round_up(2 * ceil_div(second, per_repeat), per_block);
}

std::int64_t tmp_elements(ReduceOp op, bool with_index, const LaneSet& set, std::int64_t per_block, std::int64_t per_repeat) {
  if (op == ReduceOp::SUM) return set.dense ? 0 : round_up(set.repeat, per_block);
  const std::int64_t partials = set.dense ? std::max<std::int64_t>(1, set.elements() / per_repeat) : set.repeat;
  return pick_tmp_elements(partials, with_index, per_block, per_repeat);
}

// The library hands its result over through the scalar pipe and needs one id of each of these kinds for a moment.
void check_handshake_ids(const Core& core) {
  for (HardEvent kind : {HardEvent::V_S, HardEvent::S_V, HardEvent::S_MTE3}) {
    if (core.events.lowest_free(kind) < 0) {
      core.fail(Fault::EVENT, say("the call needs an event id of kind ", name_of(kind)), say("at most ", core.events.ids() - 1, " held"),
                "all held");
    }
  }
}

Reduced over_all(Core& core, ReduceOp op, const LaneSet& set, const Operand& src, std::int64_t per_repeat) {
  const DType dtype = src.tensor.dtype;
  Reduced total;
  for (std::int64_t r = 0; r < set.repeat; ++r) {
    const LaneValues values = lanes_of_repeat(core, set, src, r, per_repeat);
    Reduced part = reduce_lanes(op, values, 0, per_repeat, dtype);
    part.lane += r * per_repeat;
    if (!part.any) continue;
    if (!total.any) {
      total = part;
    } else if (op == ReduceOp::SUM) {
      // A tree inside an iteration, iterations one after another.
      total.value = round_to_type(dtype, total.value + part.value);
    } else {
      const bool better = op == ReduceOp::MAX ? part.value > total.value : part.value < total.value;
      if (better || (std::isnan(part.value) && !std::isnan(total.value))) total = part;
    }
  }
  return total;
}

}  // namespace

void reduce_first(ReduceOp op, const char* api, const TensorRef& dst, const Operand& src, const TensorRef& tmp, bool with_index,
                  const Lanes& lanes, Site site) {
  Core& core = Core::current();
  core.enter(api, site, Unit::V);
  const DType dtype = src.tensor.dtype;
  core.check_dtype(dtype, DTypes(DType::F16, DType::F32), "the operands", "half, float");
  const std::int64_t size = size_of(dtype);
  const std::int64_t per_repeat = kRepeatBytes / size;
  if (lanes.style == Lanes::Style::COUNT && op != ReduceOp::SUM && lanes.count < 1)
    core.fail(Fault::ARGUMENT, "count", "at least 1", say(lanes.count));
  const LaneSet set = resolve(core, lanes, per_repeat);
  if (set.elements() == 0) return;
  check_handshake_ids(core);
  if (!set.dense) check_strides(core, src, 65535, 65535);
  const std::int64_t src_bytes = extent(set, src);
  const std::int64_t dst_bytes = (with_index ? 2 : 1) * size;
  const std::int64_t tmp_bytes = tmp_elements(op, with_index, set, kBlockBytes / size, per_repeat) * size;
  core.check_operand(src.tensor, "src", src_bytes);
  core.check_operand(dst, "dst", dst_bytes, static_cast<int>(dst_bytes));
  check_disjoint(core, dst, dst_bytes, "dst", src.tensor, src_bytes, "src");
  if (tmp_bytes > 0) core.check_operand(tmp, "sharedTmpBuffer", tmp_bytes);
  core.issue(Pipe::V);
  const Reduced result = over_all(core, op, set, src, per_repeat);
  if (tmp_bytes > 0) {
    core.writes(Pipe::V, tmp.offset, tmp_bytes, "sharedTmpBuffer");
    core.spoil(tmp.offset, static_cast<std::uint32_t>(tmp_bytes));
  }
  core.writes(Pipe::V, dst.offset, dst_bytes, "dst");
  write_float(dtype, core.at(dst.offset), result.value);
  const std::uint64_t index = static_cast<std::uint64_t>(result.lane);
  if (with_index) std::memcpy(core.at(dst.offset + static_cast<std::uint32_t>(size)), &index, static_cast<std::size_t>(size));
  core.taint.clear(dst.offset, static_cast<std::uint32_t>(dst_bytes));
}

}  // namespace ascendc_cpu
