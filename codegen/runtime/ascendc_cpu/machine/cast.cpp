#include <algorithm>
#include <initializer_list>

#include "arithmetic.h"
#include "rounding.h"
#include "vector_calls.h"

namespace ascendc_cpu {

namespace {

using AscendC::RoundMode;

constexpr std::uint32_t bit(RoundMode mode) {
  return 1u << static_cast<int>(mode);
}

constexpr std::uint32_t kNone = bit(RoundMode::CAST_NONE);
constexpr std::uint32_t kRounding = bit(RoundMode::CAST_RINT) | bit(RoundMode::CAST_FLOOR) | bit(RoundMode::CAST_CEIL) |
                                    bit(RoundMode::CAST_ROUND) | bit(RoundMode::CAST_TRUNC);
constexpr std::uint32_t kAny = kRounding | kNone;

template <class To, class From>
void run_plain(std::uint8_t* dst, const std::uint8_t* const* src, std::uint64_t, std::int64_t lanes) {
  To* out = reinterpret_cast<To*>(dst);
  const From* x = lanes_of<From>(src[0]);
  for (std::int64_t i = 0; i < lanes; ++i) out[i] = static_cast<To>(x[i]);
}

// Float to float format; the common modes take the fast conversion.
template <class To>
void run_float_to(std::uint8_t* dst, const std::uint8_t* const* src, std::uint64_t mode_bits, std::int64_t lanes) {
  const RoundMode mode = static_cast<RoundMode>(mode_bits);
  if (mode == RoundMode::CAST_NONE || mode == RoundMode::CAST_RINT) return run_plain<To, float>(dst, src, 0, lanes);
  To* out = reinterpret_cast<To*>(dst);
  const float* x = lanes_of<float>(src[0]);
  const Format format = std::is_same<To, half>::value ? kHalf : kBfloat;
  for (std::int64_t i = 0; i < lanes; ++i) out[i] = static_cast<To>(round_to(static_cast<double>(x[i]), mode, format));
}

void run_integral(std::uint8_t* dst, const std::uint8_t* const* src, std::uint64_t mode_bits, std::int64_t lanes) {
  float* out = reinterpret_cast<float*>(dst);
  const float* x = lanes_of<float>(src[0]);
  for (std::int64_t i = 0; i < lanes; ++i) out[i] = round_integral(x[i], static_cast<RoundMode>(mode_bits));
}

template <class To, class From>
void run_to_int(std::uint8_t* dst, const std::uint8_t* const* src, std::uint64_t mode_bits, std::int64_t lanes) {
  To* out = reinterpret_cast<To*>(dst);
  const From* x = lanes_of<From>(src[0]);
  for (std::int64_t i = 0; i < lanes; ++i) {
    out[i] = saturate<To>(static_cast<double>(round_integral(static_cast<float>(x[i]), static_cast<RoundMode>(mode_bits))));
  }
}

template <class To, class From>
void run_from_int(std::uint8_t* dst, const std::uint8_t* const* src, std::uint64_t mode_bits, std::int64_t lanes) {
  To* out = reinterpret_cast<To*>(dst);
  const From* x = lanes_of<From>(src[0]);
  const Format format = std::is_same<To, half>::value ? kHalf : kFloat;
  // long double holds every 64-bit integer.
  for (std::int64_t i = 0; i < lanes; ++i)
    out[i] = static_cast<To>(round_to(static_cast<long double>(x[i]), static_cast<RoundMode>(mode_bits), format));
}

template <class To, class From>
void run_saturating(std::uint8_t* dst, const std::uint8_t* const* src, std::uint64_t, std::int64_t lanes) {
  To* out = reinterpret_cast<To*>(dst);
  const From* x = lanes_of<From>(src[0]);
  constexpr From low = std::numeric_limits<To>::min();
  constexpr From high = std::numeric_limits<To>::max();
  for (std::int64_t i = 0; i < lanes; ++i) out[i] = static_cast<To>(std::clamp(x[i], low, high));
}

// int32 to half multiplies by the scale that SetDeqScale left; it travels in the upper half of the scalar.
void run_dequantize(std::uint8_t* dst, const std::uint8_t* const* src, std::uint64_t bits, std::int64_t lanes) {
  half* out = reinterpret_cast<half*>(dst);
  const std::int32_t* x = lanes_of<std::int32_t>(src[0]);
  const float scale = bit_copy<float>(static_cast<std::uint32_t>(bits >> 32));
  for (std::int64_t i = 0; i < lanes; ++i) out[i] = half(static_cast<float>(x[i]) * scale);
}

struct Entry {
  DType from;
  DType to;
  std::uint32_t modes;
  Run run;
};

// Conversions of arch 2201 and their modes (ascendc_api_facts §6.2).
constexpr Entry kCasts[] = {
    {DType::F16, DType::F32, kNone, run_plain<float, half>},
    {DType::BF16, DType::F32, kNone, run_plain<float, bfloat16_t>},
    {DType::I16, DType::F32, kNone, run_plain<float, std::int16_t>},
    {DType::I8, DType::F16, kNone, run_plain<half, std::int8_t>},
    {DType::U8, DType::F16, kNone, run_plain<half, std::uint8_t>},
    {DType::I32, DType::I16, kNone, run_saturating<std::int16_t, std::int32_t>},
    {DType::I32, DType::I64, kNone, run_plain<std::int64_t, std::int32_t>},
    {DType::I64, DType::I32, kNone, run_saturating<std::int32_t, std::int64_t>},
    {DType::I16, DType::F16, kAny, run_from_int<half, std::int16_t>},
    {DType::F16, DType::I8, kAny, run_to_int<std::int8_t, half>},
    {DType::F16, DType::U8, kAny, run_to_int<std::uint8_t, half>},
    {DType::F16, DType::I16, kRounding, run_to_int<std::int16_t, half>},
    {DType::F16, DType::I32, kRounding, run_to_int<std::int32_t, half>},
    {DType::BF16, DType::I32, kRounding, run_to_int<std::int32_t, bfloat16_t>},
    {DType::F32, DType::I16, kRounding, run_to_int<std::int16_t, float>},
    {DType::F32, DType::I32, kRounding, run_to_int<std::int32_t, float>},
    {DType::F32, DType::I64, kRounding, run_to_int<std::int64_t, float>},
    {DType::F32, DType::BF16, kRounding, run_float_to<bfloat16_t>},
    {DType::F32, DType::F32, kRounding, run_integral},
    {DType::I64, DType::F32, kRounding, run_from_int<float, std::int64_t>},
    {DType::F32, DType::F16, kAny | bit(RoundMode::CAST_ODD), run_float_to<half>},
    {DType::I32, DType::F32, kAny, run_from_int<float, std::int32_t>},
    {DType::I32, DType::F16, kAny | bit(RoundMode::CAST_ODD), run_dequantize},
};

constexpr const char* kModeNames[] = {"CAST_NONE", "CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};

std::string mode_names(std::uint32_t modes) {
  std::string names;
  for (int i = 0; i < 7; ++i) {
    if ((modes >> i) & 1u) names += (names.empty() ? "" : ", ") + std::string(kModeNames[i]);
  }
  return names;
}

std::string targets_of(DType from) {
  std::string names;
  for (const Entry& entry : kCasts) {
    if (entry.from == from) names += (names.empty() ? "" : ", ") + std::string(name_of(entry.to));
  }
  return names.empty() ? "no conversion from this type" : say("from ", name_of(from), " to ", names);
}

const Entry& find_cast(const Core& core, DType from, DType to) {
  for (const Entry& entry : kCasts) {
    if (entry.from == from && entry.to == to) return entry;
  }
  core.fail(Fault::DTYPE, "the conversion does not exist on arch 2201", targets_of(from), say(name_of(from), " to ", name_of(to)));
}

}  // namespace

void cast(const Operand& dst, const Operand& src, RoundMode mode, const Lanes& lanes, Site site) {
  Core& core = Core::current();
  core.enter("Cast", site, Unit::V);
  const Entry& entry = find_cast(core, src.tensor.dtype, dst.tensor.dtype);
  if (!(entry.modes & bit(mode))) {
    core.fail(Fault::ARGUMENT, say("rounding mode from ", name_of(entry.from), " to ", name_of(entry.to)), mode_names(entry.modes),
              kModeNames[static_cast<int>(mode)]);
  }
  Elementwise call;
  call.operands[0] = dst;
  call.operands[1] = src;
  call.count = 2;
  call.block_stride_max = 65535;
  call.run = entry.run;
  call.scalar = static_cast<std::uint64_t>(mode);
  if (entry.run == run_dequantize) {
    if (!core.deq_scale_set)
      core.fail(Fault::ARGUMENT, "scale of the conversion from int32_t to half", "SetDeqScale before it", "none set");
    call.scalar = static_cast<std::uint64_t>(bit_copy<std::uint32_t>(core.deq_scale)) << 32;
  }
  execute(core, lanes, call);
}

}  // namespace ascendc_cpu
