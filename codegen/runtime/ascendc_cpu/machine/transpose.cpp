// Transposition of 16 x 16 blocks of 16-bit elements, and of 16 rows of 32 bytes of 16- or 32-bit elements (ascendc_api_facts §11).
#include "arithmetic.h"
#include "library_calls.h"

namespace ascendc_cpu {

namespace {

constexpr std::int64_t kSide = 16;
constexpr std::int64_t kRowBytes = kSide * 2;

struct Block {
  std::uint16_t value[kSide][kSide];
  std::uint16_t taint[kSide][kSide];
};

}  // namespace

void transpose_block(const TensorRef& dst, const TensorRef& src, Site site) {
  Core& core = Core::current();
  core.enter("Transpose", site, Unit::V);
  core.check_dtype(src.dtype, DTypes(DType::I16, DType::U16, DType::F16), "the operands", "int16_t, uint16_t, half");
  constexpr std::int64_t bytes = kSide * kRowBytes;
  core.check_operand(dst, "dst", bytes);
  core.check_operand(src, "src", bytes);
  if (dst.offset != src.offset) check_disjoint(core, dst, bytes, "dst", src, bytes, "src");
  core.issue(Pipe::V);
  core.reads(Pipe::V, src.offset, bytes, "src");
  core.writes(Pipe::V, dst.offset, bytes, "dst");
  Block in;
  Block out;
  std::memcpy(in.value, core.at(src.offset), bytes);
  std::memcpy(in.taint, core.taint.at(src.offset), bytes);
  for (std::int64_t i = 0; i < kSide; ++i) {
    for (std::int64_t j = 0; j < kSide; ++j) {
      out.value[j][i] = in.value[i][j];
      out.taint[j][i] = in.taint[i][j];
    }
  }
  std::memcpy(core.at(dst.offset), out.value, bytes);
  core.taint.copy(dst.offset, reinterpret_cast<const std::uint8_t*>(out.taint), bytes);
}

namespace {

// Which element of the 16 source rows goes to lane `lane` of destination row `k`. Rows of 32-bit elements hold 8 columns, whose 16 elements
// fill two destination rows.
std::uint32_t source_lane(const TensorRef* src, std::int64_t shift_bytes, std::int64_t size, std::int64_t k, std::int64_t lane) {
  const std::int64_t row = size == 2 ? lane : k % 2 * 8 + lane;
  const std::int64_t column = size == 2 ? k : k / 2;
  return src[row].offset + static_cast<std::uint32_t>(shift_bytes + column * size);
}

}  // namespace

void transpose_lists(const TensorRef* dst, const TensorRef* src, std::int64_t repeat, std::int64_t dst_stride, std::int64_t src_stride,
                     Site site) {
  Core& core = Core::current();
  core.enter("TransDataTo5HD", site, Unit::V);
  core.check_dtype(src[0].dtype, DTypes(DType::I16, DType::U16, DType::F16, DType::I32, DType::U32, DType::F32), "the operands",
                   "(u)int16_t, half, (u)int32_t, float (8-bit elements are not modelled)");
  if (repeat < 0 || repeat > kRepeatsMax) core.fail(Fault::ARGUMENT, "repeatTimes", say("0 to ", kRepeatsMax), say(repeat));
  if (repeat == 1 && (dst_stride != 0 || src_stride != 0)) {
    core.fail(Fault::ARGUMENT, "strides of a single iteration: they are added once to the addresses", "0",
              say("dstRepStride ", dst_stride, ", srcRepStride ", src_stride));
  }
  for (const std::int64_t stride : {dst_stride, src_stride}) {
    if (stride < 0 || stride > 65535) core.fail(Fault::ARGUMENT, "a repeat stride in blocks of 32 B", "0 to 65535", say(stride));
  }
  for (std::int64_t k = 0; k < kSide; ++k) {
    core.check_operand(dst[k], "dstList", repeat == 0 ? 0 : (repeat - 1) * dst_stride * kBlockBytes + kRowBytes);
    core.check_operand(src[k], "srcList", repeat == 0 ? 0 : (repeat - 1) * src_stride * kBlockBytes + kRowBytes);
  }
  const std::int64_t size = size_of(src[0].dtype);
  core.issue(Pipe::V);
  for (std::int64_t r = 0; r < repeat; ++r) {
    const std::int64_t shift = r * src_stride * kBlockBytes;
    std::uint8_t value[kSide][kRowBytes];
    std::uint8_t taint[kSide][kRowBytes];
    for (std::int64_t i = 0; i < kSide; ++i) core.reads(Pipe::V, src[i].offset + static_cast<std::uint32_t>(shift), kRowBytes, "srcList");
    for (std::int64_t k = 0; k < kSide; ++k) {
      for (std::int64_t lane = 0; lane < kRowBytes / size; ++lane) {
        const std::uint32_t from = source_lane(src, shift, size, k, lane);
        std::memcpy(&value[k][lane * size], core.at(from), static_cast<std::size_t>(size));
        std::memcpy(&taint[k][lane * size], core.taint.at(from), static_cast<std::size_t>(size));
      }
    }
    for (std::int64_t k = 0; k < kSide; ++k) {
      const std::uint32_t to = dst[k].offset + static_cast<std::uint32_t>(r * dst_stride * kBlockBytes);
      core.writes(Pipe::V, to, kRowBytes, "dstList");
      std::memcpy(core.at(to), value[k], kRowBytes);
      core.taint.copy(to, taint[k], kRowBytes);
    }
  }
}

TensorRef tensor_at(std::uint64_t address, DType dtype, Site site) {
  Core& core = Core::current();
  core.enter("TransDataTo5HD", site, Unit::NONE);
  const std::uint64_t base = reinterpret_cast<std::uint64_t>(core.at(0));
  if (address < base || address >= base + core.chip.ub_bytes)
    core.fail(Fault::EXTENT, "an address of the list", "an address from LocalTensor::GetPhyAddr", "one outside UB");
  const std::uint32_t offset = static_cast<std::uint32_t>(address - base);
  for (std::size_t i = 0; i < core.buffers.size(); ++i) {
    const Buffer& buffer = core.buffers[i];
    if (offset >= buffer.offset && offset < buffer.offset + buffer.bytes) {
      return {offset, buffer.offset + buffer.bytes - offset, dtype, static_cast<std::int32_t>(i), buffer.generation};
    }
  }
  core.fail(Fault::LIFETIME, "an address of the list", "an address inside an allocated buffer", say("UB byte ", offset));
}

}  // namespace ascendc_cpu
