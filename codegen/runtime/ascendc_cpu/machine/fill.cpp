// Duplicate, Copy, Brcb, index vectors: instructions that move or make data without computing on it.
#include <algorithm>

#include "arithmetic.h"
#include "vector_calls.h"

namespace ascendc_cpu {

namespace {

template <class T>
void run_fill(std::uint8_t* dst, const std::uint8_t* const*, std::uint64_t bits, std::int64_t lanes) {
  std::fill_n(reinterpret_cast<T*>(dst), lanes, static_cast<T>(bits));
}

template <class T>
void run_move(std::uint8_t* dst, const std::uint8_t* const* src, std::uint64_t, std::int64_t lanes) {
  std::memmove(dst, src[0], static_cast<std::size_t>(lanes) * sizeof(T));
}

constexpr DTypes k16and32(DType::F16, DType::BF16, DType::I16, DType::U16, DType::F32, DType::I32, DType::U32);
constexpr const char* k16and32Names = "half, bfloat16_t, (u)int16_t, (u)int32_t, float";
constexpr std::int64_t kCopyStrideMax = 65535;
constexpr std::int64_t kCopyRepeatStrideMax = 4095;  // 12 bits, unlike the arithmetic instructions (§9.4)

template <class T>
void progression(std::uint8_t* dst, const Scalar& first, const Scalar& step, std::int64_t count) {
  T* out = reinterpret_cast<T*>(dst);
  const Wide<T> start = scalar_value<T>(first.bits);
  const Wide<T> delta = scalar_value<T>(step.bits);
  for (std::int64_t i = 0; i < count; ++i) out[i] = narrow<T>(static_cast<Wide<T>>(start + delta * static_cast<Wide<T>>(i)));
}

}  // namespace

void duplicate(const Operand& dst, const Scalar& value, const Lanes& lanes, Site site) {
  Core& core = Core::current();
  core.enter("Duplicate", site, Unit::V);
  core.check_dtype(dst.tensor.dtype, k16and32, "dst", k16and32Names);
  Elementwise call;
  call.operands[0] = dst;
  call.count = 1;
  call.block_stride_max = 65535;
  call.run = size_of(dst.tensor.dtype) == 4 ? run_fill<std::uint32_t> : run_fill<std::uint16_t>;
  call.scalar = value.bits;
  execute(core, lanes, call);
}

void copy(const Operand& dst, const Operand& src, const Lanes& lanes, Site site) {
  Core& core = Core::current();
  core.enter("Copy", site, Unit::V);
  core.check_dtype(dst.tensor.dtype, k16and32, "the operands", k16and32Names);
  // In counter mode Copy counts the elements of each iteration, unlike the arithmetic instructions (§5).
  if (core.mask.mode == AscendC::MaskMode::COUNTER)
    core.fail(Fault::ARGUMENT, "Copy in counter mode, which is not modelled", "normal mode", "counter mode");
  Elementwise call;
  call.operands[0] = dst;
  call.operands[1] = src;
  call.count = 2;
  call.block_stride_max = kCopyStrideMax;
  call.repeat_stride_max = kCopyRepeatStrideMax;
  call.run = size_of(dst.tensor.dtype) == 4 ? run_move<std::uint32_t> : run_move<std::uint16_t>;
  execute(core, lanes, call);
}

void brcb(const Operand& dst, const TensorRef& src, std::int64_t repeat, Site site) {
  Core& core = Core::current();
  core.enter("Brcb", site, Unit::V);
  constexpr std::int64_t per_repeat = 8;  // elements in, blocks out
  core.check_dtype(src.dtype, k16and32, "the operands", k16and32Names);
  if (repeat < 0 || repeat > kRepeatsMax) core.fail(Fault::ARGUMENT, "repeatTime", say("0 to ", kRepeatsMax), say(repeat));
  check_strides(core, dst, 65535, 65535);
  if (dst.block_stride == 0) core.fail(Fault::ARGUMENT, "dstBlkStride", "at least 1", "0");
  if (repeat == 0) return;
  const std::uint32_t size = static_cast<std::uint32_t>(size_of(src.dtype));
  const std::int64_t dst_bytes = ((repeat - 1) * dst.repeat_stride + (per_repeat - 1) * dst.block_stride + 1) * kBlockBytes;
  const std::int64_t src_bytes = repeat * per_repeat * size;
  core.check_operand(dst.tensor, "dst", dst_bytes);
  core.check_operand(src, "src", src_bytes);
  check_disjoint(core, dst.tensor, dst_bytes, "dst", src, src_bytes, "src");
  core.issue(Pipe::V);
  core.reads(Pipe::V, src.offset, src_bytes, "src");
  for (std::int64_t i = 0; i < repeat * per_repeat; ++i) {
    const std::uint32_t from = src.offset + static_cast<std::uint32_t>(i) * size;
    const std::uint32_t to =
        dst.tensor.offset +
        static_cast<std::uint32_t>((i / per_repeat * dst.repeat_stride + i % per_repeat * dst.block_stride) * kBlockBytes);
    core.writes(Pipe::V, to, kBlockBytes, "dst");
    for (std::uint32_t lane = 0; lane < kBlockBytes; lane += size) std::memcpy(core.at(to + lane), core.at(from), size);
    core.taint.fill(to, kBlockBytes, core.taint.any(from, size) ? 0xff : 0);
  }
}

void arithmetic_progression(const char* api, const TensorRef& dst, const Scalar& first, const Scalar& step, std::int64_t count, Site site) {
  Core& core = Core::current();
  core.enter(api, site, Unit::V);
  core.check_dtype(dst.dtype, DTypes(DType::F16, DType::I16, DType::F32, DType::I32), "dst", "half, int16_t, float, int32_t");
  if (count < 0) core.fail(Fault::ARGUMENT, "count", "at least 0", say(count));
  if (count == 0) return;
  const std::uint32_t bytes = static_cast<std::uint32_t>(count * size_of(dst.dtype));
  core.check_operand(dst, "dst", bytes);
  // The scalar pipe writes the first block, the vector pipe the rest; the library orders the two (§10).
  core.issue(Pipe::S);
  core.writes(Pipe::S, dst.offset, std::min<std::uint32_t>(bytes, kBlockBytes), "dst");
  core.hazards.wait(Pipe::V, core.hazards.flag(Pipe::S));
  core.issue(Pipe::V);
  core.writes(Pipe::V, dst.offset, bytes, "dst");
  switch (dst.dtype) {
    case DType::F16:
      progression<half>(core.at(dst.offset), first, step, count);
      break;
    case DType::I16:
      progression<std::int16_t>(core.at(dst.offset), first, step, count);
      break;
    case DType::F32:
      progression<float>(core.at(dst.offset), first, step, count);
      break;
    default:
      progression<std::int32_t>(core.at(dst.offset), first, step, count);
      break;
  }
  core.taint.clear(dst.offset, bytes);
}

}  // namespace ascendc_cpu
