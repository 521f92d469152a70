// Compare: one result bit for each lane, packed from the low end (ascendc_api_facts §6.3).
#include "arithmetic.h"
#include "vector_calls.h"

namespace ascendc_cpu {

namespace {

using AscendC::CMPMODE;

template <class T>
bool holds(CMPMODE mode, T x, T y) {
  switch (mode) {
    case CMPMODE::LT:
      return x < y;
    case CMPMODE::GT:
      return x > y;
    case CMPMODE::EQ:
      return x == y;
    case CMPMODE::LE:
      return x <= y;
    case CMPMODE::GE:
      return x >= y;
    default:
      return x != y;
  }
}

bool compare_lane(DType dtype, CMPMODE mode, const std::uint8_t* x, const std::uint8_t* y) {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::memcpy(&a, x, static_cast<std::size_t>(size_of(dtype)));
  std::memcpy(&b, y, static_cast<std::size_t>(size_of(dtype)));
  if (dtype == DType::F16) return holds(mode, scalar_value<half>(a), scalar_value<half>(b));
  if (dtype == DType::F32) return holds(mode, scalar_value<float>(a), scalar_value<float>(b));
  return holds(mode, scalar_value<std::int32_t>(a), scalar_value<std::int32_t>(b));
}

void check_types(const Core& core, DType dst, DType src, bool with_scalar, CMPMODE mode) {
  core.check_dtype(src, DTypes(DType::F16, DType::F32, DType::I32), "the sources", "half, float, int32_t (EQ only)");
  if (src == DType::I32 && mode != CMPMODE::EQ) core.fail(Fault::DTYPE, "comparison of int32_t", "CMPMODE::EQ only", "another mode");
  if (with_scalar) {
    core.check_dtype(dst, DTypes(DType::U8), "dst", "uint8_t");
  } else {
    core.check_dtype(dst, DTypes(DType::U8, DType::I8), "dst", "uint8_t, int8_t");
  }
}

// Compare knows only whole iterations; a mask is ignored.
std::int64_t iterations(Core& core, const Lanes& lanes, std::int64_t lanes_per_repeat) {
  if (lanes.style == Lanes::Style::COUNT) {
    const LaneSet set = resolve(core, lanes, lanes_per_repeat);
    if (lanes.count % lanes_per_repeat != 0) {
      core.fail(Fault::ARGUMENT, "count", say("a multiple of ", lanes_per_repeat, ", whole iterations of 256 B"), say(lanes.count));
    }
    return set.repeat;
  }
  if (lanes.repeat < 0 || lanes.repeat > kRepeatsMax)
    core.fail(Fault::ARGUMENT, "repeatTime", say("0 to ", kRepeatsMax), say(lanes.repeat));
  return lanes.repeat;
}

void compare_run(Core& core, const Segment& run, std::uint32_t out, DType dtype, CMPMODE mode, const Scalar* scalar) {
  const std::uint32_t size = static_cast<std::uint32_t>(size_of(dtype));
  const std::uint8_t* y = scalar != nullptr ? reinterpret_cast<const std::uint8_t*>(&scalar->bits) : core.at(run.offset[1]);
  const std::uint32_t step = scalar != nullptr ? 0 : size;
  const std::uint32_t bytes = static_cast<std::uint32_t>(run.lanes / 8);
  std::vector<std::uint8_t> result(bytes, 0);
  std::vector<std::uint8_t> taint(bytes, 0);
  for (std::uint32_t lane = 0; lane < run.lanes; ++lane) {
    const std::uint8_t bit = static_cast<std::uint8_t>(1u << (lane % 8));
    if (compare_lane(dtype, mode, core.at(run.offset[0]) + lane * size, y + lane * step)) result[lane / 8] |= bit;
  }
  const std::uint32_t lanes = static_cast<std::uint32_t>(run.lanes);
  for (int source = 0; source < (scalar != nullptr ? 1 : 2); ++source) {
    if (!core.taint.any(run.offset[source], lanes * size)) continue;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      if (any_bit(core.taint.at(run.offset[source]) + lane * size, size)) taint[lane / 8] |= static_cast<std::uint8_t>(1u << (lane % 8));
    }
  }
  core.writes(Pipe::V, out, bytes, "dst");
  std::memcpy(core.at(out), result.data(), bytes);
  core.taint.copy(out, taint.data(), bytes);
}

}  // namespace

void compare(const Operand& dst, const Operand& src0, const Operand& src1, const Scalar* scalar, CMPMODE mode, const Lanes& lanes,
             const char* api, Site site) {
  Core& core = Core::current();
  core.enter(api, site, Unit::V);
  const DType dtype = src0.tensor.dtype;
  check_types(core, dst.tensor.dtype, dtype, scalar != nullptr, mode);
  const std::int64_t lanes_per_repeat = kRepeatBytes / size_of(dtype);
  LaneSet set;
  set.repeat = iterations(core, lanes, lanes_per_repeat);
  set.full = set.tail = lanes_per_repeat;
  set.dense = lanes.style == Lanes::Style::COUNT;
  const Operand sources[] = {src0, src1};
  const int count = scalar != nullptr ? 1 : 2;
  const std::int64_t mask_bytes = set.elements() / 8;
  core.check_operand(dst.tensor, "dst", mask_bytes);
  for (int i = 0; i < count; ++i) {
    if (!set.dense) check_strides(core, sources[i], scalar != nullptr ? 65535 : 255, 255);
    core.check_operand(sources[i].tensor, sources[i].role, extent(set, sources[i]));
    check_disjoint(core, dst.tensor, mask_bytes, "dst", sources[i].tensor, extent(set, sources[i]), sources[i].role);
  }
  core.issue(Pipe::V);
  std::uint32_t out = dst.tensor.offset;
  // Results lie one after another whatever the strides: 8 B for each iteration of float, 16 B of half.
  for (const Segment& run : segments(set, sources, count, lanes_per_repeat)) {
    for (int i = 0; i < count; ++i) core.reads(Pipe::V, run.offset[i], run.lanes * size_of(dtype), sources[i].role);
    compare_run(core, run, out, dtype, mode, scalar);
    out += static_cast<std::uint32_t>(run.lanes / 8);
  }
}

}  // namespace ascendc_cpu
