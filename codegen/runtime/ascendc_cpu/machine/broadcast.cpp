// Broadcast of a scalar, a column or a row (ascendc_api_facts §8).
#include <algorithm>

#include "arithmetic.h"
#include "library.h"
#include "library_calls.h"

namespace ascendc_cpu {

namespace {

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// What a call does, with the shape reduced to m rows of n.
enum class Form : std::uint8_t { COPY, FILL, COLUMN, ROW };
struct Plan {
  Form form;
  std::int64_t m = 1;
  std::int64_t n = 1;
};

void check_shape(const Core& core, const BroadcastShape& shape) {
  if (shape.dims < 1 || shape.dims > 2) core.fail(Fault::ARGUMENT, "dim of Broadcast", "1 or 2", say(shape.dims));
  if (shape.axis < 0 || shape.axis >= shape.dims)
    core.fail(Fault::ARGUMENT, "axis of Broadcast", say("0 to ", shape.dims - 1), say(shape.axis));
  for (int i = 0; i < shape.dims; ++i) {
    const std::int64_t expected = i == shape.axis ? 1 : shape.dst[i];
    if (shape.src[i] != expected && shape.src[i] != shape.dst[i] && shape.src[0] * shape.src[shape.dims - 1] != 1) {
      core.fail(Fault::ARGUMENT, say("srcShape[", i, "]"), say(expected, " or ", shape.dst[i]), say(shape.src[i]));
    }
    if (shape.dst[i] < 1) core.fail(Fault::ARGUMENT, say("dstShape[", i, "]"), "at least 1", say(shape.dst[i]));
  }
}

Plan plan_of(const BroadcastShape& shape) {
  const bool two = shape.dims == 2;
  const std::int64_t dst_size = shape.dst[0] * (two ? shape.dst[1] : 1);
  const std::int64_t src_size = shape.src[0] * (two ? shape.src[1] : 1);
  if (dst_size == src_size) return {Form::COPY, 1, dst_size};
  if (src_size == 1) return {Form::FILL, 1, dst_size};
  if (shape.axis == 1) return {Form::COLUMN, shape.dst[0], shape.dst[1]};
  return {Form::ROW, shape.dst[0], shape.dst[1]};
}

// Smallest temporary; 1-byte types are widened to 2 bytes in it first.
std::int64_t tmp_bytes(const Plan& plan, DType dtype) {
  if (plan.form == Form::COPY || plan.form == Form::FILL) return 0;
  const bool narrow_type = size_of(dtype) == 1;
  const std::int64_t size = narrow_type ? 2 : size_of(dtype);
  const std::int64_t per_block = kBlockBytes / size;
  const std::int64_t src_size = plan.form == Form::COLUMN ? plan.m : plan.n;
  const std::int64_t widened = narrow_type ? 2 * (round_up(src_size, 16) + round_up(plan.m * plan.n, 16)) : 0;
  if (plan.form == Form::ROW) return kBlockBytes + widened;
  const std::int64_t aligned = per_block * kBlockBytes;
  const bool whole = plan.n * size % kBlockBytes == 0;
  return widened + (whole ? aligned : aligned + per_block * round_up(plan.n, per_block) * size);
}

std::int64_t src_elements(const Plan& plan) {
  switch (plan.form) {
    case Form::COPY:
      return plan.n;
    case Form::FILL:
      return 1;
    case Form::ROW:
      return plan.n;
    // Brcb reads groups of eight.
    default:
      return round_up(plan.m, 8);
  }
}

}  // namespace

void broadcast(const TensorRef& dst, const TensorRef& src, const TensorRef* tmp, const BroadcastShape& shape, Site site) {
  Core& core = Core::current();
  core.enter("Broadcast", site, Unit::V);
  core.check_dtype(src.dtype, DTypes(DType::F16, DType::F32, DType::I8, DType::U8), "the operands", "half, float, int8_t, uint8_t");
  check_shape(core, shape);
  const Plan plan = plan_of(shape);
  const std::int64_t size = size_of(src.dtype);
  if (plan.form == Form::ROW && plan.n * size % kBlockBytes != 0) {
    core.fail(Fault::ARGUMENT, "last dimension of a broadcast along axis 0", "a multiple of 32 B", say(plan.n * size, " B"));
  }
  const std::int64_t dst_bytes = plan.m * plan.n * size;
  const std::int64_t src_bytes = src_elements(plan) * size;
  core.check_operand(dst, "dst", dst_bytes);
  core.check_operand(src, "src", src_bytes);
  const std::int64_t need = tmp_bytes(plan, src.dtype);
  const TensorRef scratch = library_tmp(core, tmp, need);
  check_disjoint(core, dst, dst_bytes, "dst", src, src_bytes, "src");
  check_disjoint(core, scratch, need, "sharedTmpBuffer", src, src_bytes, "src");
  check_disjoint(core, scratch, need, "sharedTmpBuffer", dst, dst_bytes, "dst");
  core.mask = MaskState{};
  core.issue(Pipe::V);
  core.reads(Pipe::V, src.offset, src_bytes, "src");
  clobber(core, scratch, need);
  core.writes(Pipe::V, dst.offset, dst_bytes, "dst");
  const std::uint32_t bytes = static_cast<std::uint32_t>(size);
  for (std::int64_t i = 0; i < plan.m; ++i) {
    const std::uint32_t row = dst.offset + static_cast<std::uint32_t>(i * plan.n * size);
    if (plan.form == Form::ROW || plan.form == Form::COPY) {
      std::memcpy(core.at(row), core.at(src.offset), static_cast<std::size_t>(plan.n * size));
      core.taint.copy(row, core.taint.at(src.offset), static_cast<std::uint32_t>(plan.n * size));
      continue;
    }
    const std::uint32_t from = src.offset + static_cast<std::uint32_t>(i) * bytes;
    for (std::int64_t j = 0; j < plan.n; ++j) std::memcpy(core.at(row) + j * size, core.at(from), bytes);
    core.taint.fill(row, static_cast<std::uint32_t>(plan.n * size), core.taint.any(from, bytes) ? 0xff : 0);
  }
}

}  // namespace ascendc_cpu
