// WholeReduce*, BlockReduce*, PairReduceSum: one value for each iteration, block or pair of lanes.
#include "reduce_lanes.h"

namespace ascendc_cpu {

namespace {

using AscendC::ReduceOrder;

constexpr std::int64_t kBlocksOfRepeat = 8;

void check_float(const Core& core, DType dtype) {
  core.check_dtype(dtype, DTypes(DType::F16, DType::F32), "the operands", "half, float");
}

struct Call {
  LaneSet set;
  std::int64_t lanes_per_repeat;
};

// Checks a repeat reduction; `unit_bytes` is what dst_stride counts, `out_bytes` what an iteration writes.
Call begin(Core& core, const TensorRef& dst, const Operand& src, std::int64_t dst_stride, std::int64_t unit_bytes, std::int64_t out_bytes,
           int align_bytes, const Lanes& lanes) {
  Call call;
  call.lanes_per_repeat = kRepeatBytes / size_of(src.tensor.dtype);
  call.set = resolve(core, lanes, call.lanes_per_repeat);
  if (call.set.elements() == 0) return call;
  check_strides(core, src, 65535, 65535);
  if (dst_stride < 0 || dst_stride > 65535)
    core.fail(Fault::ARGUMENT, "dstRepStride", say("0 to 65535 units of ", unit_bytes, " B"), say(dst_stride));
  if (dst_stride == 0 && call.set.repeat > 1) core.fail(Fault::ARGUMENT, "dstRepStride", "at least 1", "0");
  const std::int64_t dst_bytes = (call.set.repeat - 1) * dst_stride * unit_bytes + out_bytes;
  core.check_operand(src.tensor, "src", extent(call.set, src));
  core.check_operand(dst, "dst", dst_bytes, align_bytes);
  check_disjoint(core, dst, dst_bytes, "dst", src.tensor, extent(call.set, src), "src");
  core.issue(Pipe::V);
  return call;
}

void put(Core& core, std::uint32_t offset, std::uint64_t bits, std::uint32_t bytes) {
  core.writes(Pipe::V, offset, bytes, "dst");
  std::memcpy(core.at(offset), &bits, bytes);
  core.taint.clear(offset, bytes);
}

std::uint64_t value_bits(DType dtype, float value) {
  std::uint64_t bits = 0;
  write_float(dtype, reinterpret_cast<std::uint8_t*>(&bits), value);
  return bits;
}

}  // namespace

LaneValues lanes_of_repeat(Core& core, const LaneSet& set, const Operand& src, std::int64_t r, std::int64_t lanes_per_repeat) {
  const std::uint32_t size = static_cast<std::uint32_t>(size_of(src.tensor.dtype));
  const std::int64_t per_block = kBlockBytes / size;
  LaneValues lanes;
  lanes.count = lanes_per_repeat;
  for (std::int64_t block = 0; block * per_block < lanes_per_repeat; ++block) {
    const std::int64_t at_block = r * (set.dense ? kBlocksOfRepeat : src.repeat_stride) + block * (set.dense ? 1 : src.block_stride);
    const std::uint32_t base = src.tensor.offset + static_cast<std::uint32_t>(at_block * kBlockBytes);
    bool used = false;
    for (std::int64_t i = 0; i < per_block; ++i) {
      const std::size_t lane = static_cast<std::size_t>(block * per_block + i);
      lanes.active[lane] = set.active(r, static_cast<std::int64_t>(lane));
      if (!lanes.active[lane]) continue;
      used = true;
      const std::uint32_t offset = base + static_cast<std::uint32_t>(i) * size;
      core.check_untainted(offset, size, src.role, "a reduction");
      lanes.value[lane] = read_float(src.tensor.dtype, core.at(offset));
    }
    if (used) core.reads(Pipe::V, base, kBlockBytes, src.role);
  }
  return lanes;
}

void reduce_repeats(ReduceOp op, const char* api, const TensorRef& dst, const Operand& src, std::int64_t dst_stride, ReduceOrder order,
                    const Lanes& lanes, Site site) {
  Core& core = Core::current();
  core.enter(api, site, Unit::V);
  const DType dtype = src.tensor.dtype;
  check_float(core, dtype);
  const std::uint32_t size = static_cast<std::uint32_t>(size_of(dtype));
  const bool both = op != ReduceOp::SUM && (order == ReduceOrder::ORDER_VALUE_INDEX || order == ReduceOrder::ORDER_INDEX_VALUE);
  const bool index_only = op != ReduceOp::SUM && order == ReduceOrder::ORDER_ONLY_INDEX;
  const std::uint32_t unit = both ? 2 * size : index_only ? 4 : size;
  const Call call = begin(core, dst, src, dst_stride, unit, unit, static_cast<int>(unit), lanes);
  for (std::int64_t r = 0; r < call.set.repeat; ++r) {
    const LaneValues values = lanes_of_repeat(core, call.set, src, r, call.lanes_per_repeat);
    const Reduced result = reduce_lanes(op, values, 0, call.lanes_per_repeat, dtype);
    if (!result.any) continue;
    const std::uint32_t to = dst.offset + static_cast<std::uint32_t>(r * dst_stride * unit);
    const std::uint64_t bits = value_bits(dtype, result.value);
    const std::uint64_t lane = static_cast<std::uint64_t>(result.lane);
    if (index_only) {
      put(core, to, lane, 4);
    } else if (both) {
      const bool value_first = order == ReduceOrder::ORDER_VALUE_INDEX;
      put(core, to, value_first ? bits : lane, size);
      put(core, to + size, value_first ? lane : bits, size);
    } else {
      put(core, to, bits, size);
    }
  }
}

void reduce_blocks(ReduceOp op, const char* api, const TensorRef& dst, const Operand& src, std::int64_t dst_stride, const Lanes& lanes,
                   Site site) {
  Core& core = Core::current();
  core.enter(api, site, Unit::V);
  const DType dtype = src.tensor.dtype;
  check_float(core, dtype);
  const std::uint32_t size = static_cast<std::uint32_t>(size_of(dtype));
  const std::int64_t unit = kBlocksOfRepeat * size;
  const std::int64_t per_block = kBlockBytes / size;
  const Call call = begin(core, dst, src, dst_stride, unit, unit, static_cast<int>(unit), lanes);
  for (std::int64_t r = 0; r < call.set.repeat; ++r) {
    const LaneValues values = lanes_of_repeat(core, call.set, src, r, call.lanes_per_repeat);
    for (std::int64_t block = 0; block < kBlocksOfRepeat; ++block) {
      const Reduced result = reduce_lanes(op, values, block * per_block, per_block, dtype);
      // A block that is switched off leaves its destination as it was.
      if (!result.any) continue;
      put(core, dst.offset + static_cast<std::uint32_t>(r * dst_stride * unit + block * size), value_bits(dtype, result.value), size);
    }
  }
}

void reduce_pairs(const char* api, const TensorRef& dst, const Operand& src, std::int64_t dst_stride, const Lanes& lanes, Site site) {
  Core& core = Core::current();
  core.enter(api, site, Unit::V);
  const DType dtype = src.tensor.dtype;
  check_float(core, dtype);
  const std::uint32_t size = static_cast<std::uint32_t>(size_of(dtype));
  constexpr std::int64_t unit = kRepeatBytes / 2;
  const Call call = begin(core, dst, src, dst_stride, unit, unit, kBlockBytes, lanes);
  for (std::int64_t r = 0; r < call.set.repeat; ++r) {
    const LaneValues values = lanes_of_repeat(core, call.set, src, r, call.lanes_per_repeat);
    for (std::int64_t pair = 0; pair < call.lanes_per_repeat / 2; ++pair) {
      const Reduced result = sum_lanes(values, 2 * pair, 2, dtype);
      if (!result.any) continue;
      put(core, dst.offset + static_cast<std::uint32_t>(r * dst_stride * unit + pair * size), value_bits(dtype, result.value), size);
    }
  }
}

}  // namespace ascendc_cpu
