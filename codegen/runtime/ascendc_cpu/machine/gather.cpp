// Gather by byte offsets, and GatherMask: compaction of selected lanes (ascendc_api_facts §10).
#include <algorithm>

#include "arithmetic.h"
#include "library_calls.h"

namespace ascendc_cpu {

namespace {

constexpr DTypes k16and32(DType::F16, DType::BF16, DType::I16, DType::U16, DType::F32, DType::I32, DType::U32);
constexpr const char* k16and32Names = "half, bfloat16_t, (u)int16_t, (u)int32_t, float";

std::uint32_t source_of(const Core& core, const TensorRef& src, std::uint32_t entry_offset, std::int64_t base_bytes, std::int64_t lane) {
  core.check_untainted(entry_offset, 4, "srcOffset", "an index");
  std::uint32_t relative = 0;
  std::memcpy(&relative, core.at(entry_offset), sizeof(relative));
  const std::int64_t size = size_of(src.dtype);
  const std::int64_t at = base_bytes + relative;
  if (relative % size != 0)
    core.fail(Fault::ALIGNMENT, say("srcOffset[", lane, "]"), say("a multiple of ", size, " B"), say(relative, " B"));
  if (at + size > src.bytes) {
    core.fail(Fault::EXTENT, say("srcBaseAddr + srcOffset[", lane, "]"), say("inside src, 0 to ", src.bytes - size, " B"), say(at, " B"));
  }
  return src.offset + static_cast<std::uint32_t>(at);
}

bool in_pattern(std::int64_t pattern, std::int64_t lane) {
  switch (pattern) {
    case 1:
      return lane % 2 == 0;
    case 2:
      return lane % 2 == 1;
    case 7:
      return true;
    default:
      return lane % 4 == pattern - 3;
  }
}

// Selected lanes of all iterations, one after another.
class Compaction {
 public:
  Compaction(Core& core, const TensorRef& src, const TensorRef* bits, std::int64_t pattern, std::int64_t lanes,
             const GatherMaskShape& shape)
      : core_(core),
        src_(src),
        bits_(bits),
        pattern_(pattern),
        lanes_(lanes),
        shape_(shape),
        size_(static_cast<std::uint32_t>(size_of(src.dtype))) {}

  void check() const {
    core_.check_operand(src_, "src0", src_bytes());
    if (bits_ == nullptr) return;
    const bool wide = size_ == 4;
    core_.check_dtype(bits_->dtype, wide ? DTypes(DType::U32) : DTypes(DType::U16), "src1Pattern",
                      wide ? "uint32_t for 32-bit data" : "uint16_t for 16-bit data");
    core_.check_operand(*bits_, "src1Pattern", (shape_.repeat - 1) * shape_.src1_repeat_stride * kBlockBytes + (lanes_ + 7) / 8);
  }

  void collect() {
    for (std::int64_t r = 0; r < shape_.repeat; ++r) {
      for (std::int64_t lane = 0; lane < lanes_; ++lane) {
        const std::uint32_t from = lane_offset(r, lane);
        if (lane % per_block() == 0) core_.reads(Pipe::V, from, kBlockBytes, "src0");
        if (!selected(r, lane)) continue;
        data_.insert(data_.end(), core_.at(from), core_.at(from) + size_);
        taint_.insert(taint_.end(), core_.taint.at(from), core_.taint.at(from) + size_);
      }
    }
  }

  std::uint64_t write(const TensorRef& dst) {
    const std::int64_t bytes = static_cast<std::int64_t>(data_.size());
    core_.check_operand(dst, "dst", bytes);
    check_disjoint(core_, dst, bytes, "dst", src_, src_bytes(), "src0");
    if (bits_ != nullptr) check_disjoint(core_, dst, bytes, "dst", *bits_, bits_->bytes, "src1Pattern");
    core_.writes(Pipe::V, dst.offset, bytes, "dst");
    std::memcpy(core_.at(dst.offset), data_.data(), data_.size());
    core_.taint.copy(dst.offset, taint_.data(), static_cast<std::uint32_t>(bytes));
    return data_.size() / size_;
  }

 private:
  std::int64_t per_block() const { return kBlockBytes / size_; }

  std::int64_t in_blocks(std::int64_t r, std::int64_t lane) const {
    return (r * shape_.src0_repeat_stride + lane / per_block() * shape_.block_stride) * kBlockBytes + lane % per_block() * size_;
  }
  std::uint32_t lane_offset(std::int64_t r, std::int64_t lane) const {
    return src_.offset + static_cast<std::uint32_t>(in_blocks(r, lane));
  }
  std::int64_t src_bytes() const { return in_blocks(shape_.repeat - 1, lanes_ - 1) + size_; }

  bool selected(std::int64_t r, std::int64_t lane) {
    if (bits_ == nullptr) return in_pattern(pattern_, lane);
    const std::uint32_t byte = bits_->offset + static_cast<std::uint32_t>(r * shape_.src1_repeat_stride * kBlockBytes + lane / 8);
    core_.reads(Pipe::V, byte, 1, "src1Pattern");
    if ((*core_.taint.at(byte) >> (lane % 8)) & 1u) {
      core_.fail(Fault::TAINT, "lanes that were never written reach the mask of GatherMask", "mask bits from written lanes",
                 say("bit ", lane, " holds no data"));
    }
    return ((*core_.at(byte) >> (lane % 8)) & 1u) != 0;
  }

  Core& core_;
  const TensorRef& src_;
  const TensorRef* bits_;
  std::int64_t pattern_;
  std::int64_t lanes_;
  const GatherMaskShape& shape_;
  std::uint32_t size_;
  std::vector<std::uint8_t> data_;
  std::vector<std::uint8_t> taint_;
};

}  // namespace

void gather(const Operand& dst, const TensorRef& src, const TensorRef& offsets, std::int64_t base_bytes, const Lanes& lanes, Site site) {
  Core& core = Core::current();
  core.enter("Gather", site, Unit::V);
  core.check_dtype(src.dtype, k16and32, "the operands", k16and32Names);
  const std::uint32_t size = static_cast<std::uint32_t>(size_of(src.dtype));
  const std::int64_t lanes_per_repeat = kRepeatBytes / size;
  const LaneSet set = resolve(core, lanes, lanes_per_repeat);
  // Offsets are consumed one after another, an iteration's worth for each iteration.
  const std::int64_t entries = set.dense ? set.elements() : (set.repeat - 1) * lanes_per_repeat + set.span();
  if (set.elements() == 0) return;
  if (base_bytes < 0 || base_bytes > src.bytes)
    core.fail(Fault::EXTENT, "srcBaseAddr", say("0 to ", src.bytes, " B"), say(base_bytes, " B"));
  core.check_operand(src, "src", 0);
  core.check_operand(offsets, "srcOffset", entries * 4);
  const std::int64_t dst_bytes = extent(set, dst);
  core.check_operand(dst.tensor, "dst", dst_bytes);
  check_disjoint(core, dst.tensor, dst_bytes, "dst", src, src.bytes, "src");
  core.issue(Pipe::V);
  core.reads(Pipe::V, offsets.offset, entries * 4, "srcOffset");
  for (const Segment& run : segments(set, &dst, 1, lanes_per_repeat)) {
    core.writes(Pipe::V, run.offset[0], run.lanes * size, "dst");
    for (std::int64_t i = 0; i < run.lanes; ++i) {
      const std::int64_t lane = run.position + i;
      const std::uint32_t from = source_of(core, src, offsets.offset + static_cast<std::uint32_t>(lane) * 4, base_bytes, lane);
      const std::uint32_t to = run.offset[0] + static_cast<std::uint32_t>(i) * size;
      core.reads(Pipe::V, from, size, "src");
      std::memcpy(core.at(to), core.at(from), size);
      core.taint.copy(to, core.taint.at(from), size);
    }
  }
}

std::uint64_t gather_mask(const TensorRef& dst, const TensorRef& src, const TensorRef* bits, std::int64_t pattern, bool reduce_mode,
                          std::int64_t mask, const GatherMaskShape& shape, Site site) {
  Core& core = Core::current();
  core.enter("GatherMask", site, Unit::V);
  core.check_dtype(src.dtype, k16and32, "the operands", k16and32Names);
  if (bits == nullptr && (pattern < 1 || pattern > 7)) core.fail(Fault::ARGUMENT, "src1Pattern", "1 to 7", say(pattern));
  if (shape.repeat < 0 || shape.repeat > 65535) core.fail(Fault::ARGUMENT, "repeatTimes", "0 to 65535", say(shape.repeat));
  check_strides(core, {src, shape.block_stride, shape.src0_repeat_stride, "src0"}, 255, 65535);
  core.mask = MaskState{};
  // With reduceMode the mask counts elements of an iteration and may exceed its 256 B; without, it is ignored.
  const std::int64_t lanes = reduce_mode ? mask : kRepeatBytes / size_of(src.dtype);
  if (shape.repeat == 0 || lanes == 0) return 0;
  Compaction compaction(core, src, bits, pattern, lanes, shape);
  compaction.check();
  core.check_operand(dst, "dst", 0);
  core.issue(Pipe::V);
  compaction.collect();
  return compaction.write(dst);
}

}  // namespace ascendc_cpu
