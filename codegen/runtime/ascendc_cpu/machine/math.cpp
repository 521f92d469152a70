// Library mathematics with the temporary buffers that the host tiling functions ask for (smallest sizes on arch 2201; asc-devkit,
// impl/adv_api/tiling/math and /activation). Values are those of libm in float, rounded once; the library may differ in the last bits.
#include <cmath>

#include "arithmetic.h"
#include "library.h"
#include "library_calls.h"

namespace ascendc_cpu {

namespace {

float sigmoid(float x) {
  return 1.0f / (1.0f + std::exp(-x));
}
float sign(float x) {
  return x > 0 ? 1.0f : x < 0 ? -1.0f : x;
}

// The documented approximation by tanh, simplified (asc-devkit, gelu.h).
float gelu(float x) {
  return x / (1.0f + std::exp(-1.59576912f * (x + 0.044715f * x * x * x)));
}

struct Entry {
  const char* api;
  float (*of)(float);
  std::int64_t float_tmp_bytes;
  std::int64_t half_tmp_bytes;
};

// In the order of MathOp.
const Entry kMath[] = {
    {"Tanh", std::tanh, 256, 1024}, {"Sigmoid", sigmoid, 256, 256}, {"Erf", std::erf, 768, 2048}, {"Sin", std::sin, 768, 2048},
    {"Cos", std::cos, 768, 2048},   {"Log", std::log, 0, 0},        {"Log2", std::log2, 0, 256},  {"Log10", std::log10, 0, 0},
    {"Floor", std::floor, 0, 512},  {"Ceil", std::ceil, 256, 512},  {"Round", std::rint, 0, 256}, {"Trunc", std::trunc, 256, 512},
    {"Sign", sign, 768, 768},       {"Gelu", gelu, 768, 768},
};

// Checks of every library function: whole, aligned, and disjoint operands; the temporary is spent afterwards.
class Call {
 public:
  Call(Core& core, const TensorRef* tmp, std::int64_t tmp_bytes, std::int64_t count, DType dtype)
      : core_(core), scratch_(library_tmp(core, tmp, tmp_bytes)), tmp_bytes_(tmp_bytes), bytes_(count * size_of(dtype)) {
    if (count < 0) core.fail(Fault::ARGUMENT, "calCount", "at least 0", say(count));
  }

  void check(const TensorRef& dst, const TensorRef& src, const char* role) {
    core_.check_operand(dst, "dst", bytes_);
    core_.check_operand(src, role, bytes_);
    check_disjoint(core_, dst, bytes_, "dst", src, bytes_, role);
    check_disjoint(core_, scratch_, tmp_bytes_, "sharedTmpBuffer", src, bytes_, role);
    check_disjoint(core_, scratch_, tmp_bytes_, "sharedTmpBuffer", dst, bytes_, "dst");
  }

  // Lane by lane; `sources` are one or two tensors.
  void run(const TensorRef& dst, const TensorRef* const* sources, int count, Run lanes, std::uint64_t scalar) {
    core_.mask = MaskState{};
    core_.issue(Pipe::V);
    Operand operands[3];
    operands[0].tensor = dst;
    Segment segment;
    segment.lanes = bytes_ / size_of(dst.dtype);
    segment.offset[0] = dst.offset;
    const std::uint8_t* data[2] = {};
    for (int i = 0; i < count; ++i) {
      core_.reads(Pipe::V, sources[i]->offset, bytes_, "src");
      operands[i + 1].tensor = *sources[i];
      segment.offset[i + 1] = sources[i]->offset;
      data[i] = core_.at(sources[i]->offset);
    }
    clobber(core_, scratch_, tmp_bytes_);
    core_.writes(Pipe::V, dst.offset, bytes_, "dst");
    propagate(core_, segment, operands, count + 1);
    lanes(core_.at(dst.offset), data, scalar, segment.lanes);
  }

 private:
  Core& core_;
  TensorRef scratch_;
  std::int64_t tmp_bytes_;
  std::int64_t bytes_;
};

template <class T>
void run_math(std::uint8_t* dst, const std::uint8_t* const* src, std::uint64_t op, std::int64_t lanes) {
  float (*of)(float) = kMath[op].of;
  T* out = reinterpret_cast<T*>(dst);
  const T* x = lanes_of<T>(src[0]);
  for (std::int64_t i = 0; i < lanes; ++i) out[i] = narrow<T>(of(static_cast<float>(x[i])));
}

void run_xor(std::uint8_t* dst, const std::uint8_t* const* src, std::uint64_t, std::int64_t lanes) {
  std::uint16_t* out = reinterpret_cast<std::uint16_t*>(dst);
  for (std::int64_t i = 0; i < lanes; ++i)
    out[i] = static_cast<std::uint16_t>(lanes_of<std::uint16_t>(src[0])[i] ^ lanes_of<std::uint16_t>(src[1])[i]);
}

// Integer power wraps; a negative exponent leaves 0 except for a base of 1 or -1.
std::int32_t power_of(std::int32_t base, std::int32_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  std::uint32_t result = 1;
  for (std::uint32_t factor = static_cast<std::uint32_t>(base); exponent > 0; exponent >>= 1, factor *= factor) {
    if (exponent & 1) result *= factor;
  }
  return static_cast<std::int32_t>(result);
}
float power_of(float base, float exponent) {
  return std::pow(base, exponent);
}

enum class PowerForm : std::uint8_t { TENSORS, SCALAR_EXPONENT, SCALAR_BASE };

template <class T, PowerForm form>
void run_power(std::uint8_t* dst, const std::uint8_t* const* src, std::uint64_t scalar, std::int64_t lanes) {
  T* out = reinterpret_cast<T*>(dst);
  const T* first = lanes_of<T>(src[0]);
  const T* second = form == PowerForm::TENSORS ? lanes_of<T>(src[1]) : nullptr;
  const Wide<T> s = scalar_value<T>(scalar);
  for (std::int64_t i = 0; i < lanes; ++i) {
    const Wide<T> base = form == PowerForm::SCALAR_BASE ? s : static_cast<Wide<T>>(first[i]);
    const Wide<T> exponent = form == PowerForm::TENSORS       ? static_cast<Wide<T>>(second[i])
                             : form == PowerForm::SCALAR_BASE ? static_cast<Wide<T>>(first[i])
                                                              : s;
    out[i] = narrow<T>(power_of(base, exponent));
  }
}

template <PowerForm form>
Run power_run(DType dtype) {
  switch (dtype) {
    case DType::F16:
      return run_power<half, form>;
    case DType::I32:
      return run_power<std::int32_t, form>;
    default:
      return run_power<float, form>;
  }
}

// 256 B for each of 4 or 5 floats, or 6 or 7 integers; 128 B for each of 14 halves; for the float types 256 B more (power_tiling_impl.cpp).
std::int64_t power_tmp_bytes(DType dtype, bool tensors) {
  switch (dtype) {
    case DType::F16:
      return 14 * kRepeatBytes / 2 + kRepeatBytes;
    case DType::I32:
      return (tensors ? 6 : 7) * kRepeatBytes;
    default:
      return (tensors ? 4 : 5) * kRepeatBytes + kRepeatBytes;
  }
}

}  // namespace

void math_unary(MathOp op, const TensorRef& dst, const TensorRef& src, const TensorRef* tmp, std::int64_t count, Site site) {
  Core& core = Core::current();
  const Entry& entry = kMath[static_cast<int>(op)];
  core.enter(entry.api, site, Unit::V);
  core.check_dtype(src.dtype, DTypes(DType::F16, DType::F32), "the operands", "half, float");
  const bool is_half = src.dtype == DType::F16;
  Call call(core, tmp, is_half ? entry.half_tmp_bytes : entry.float_tmp_bytes, count, src.dtype);
  call.check(dst, src, "src");
  if (count == 0) return;
  const TensorRef* sources[] = {&src};
  call.run(dst, sources, 1, is_half ? run_math<half> : run_math<float>, static_cast<std::uint64_t>(op));
}

void math_xor(const TensorRef& dst, const TensorRef& src0, const TensorRef& src1, const TensorRef* tmp, std::int64_t count, Site site) {
  Core& core = Core::current();
  core.enter("Xor", site, Unit::V);
  core.check_dtype(src0.dtype, DTypes(DType::I16, DType::U16), "the operands", "int16_t, uint16_t");
  Call call(core, tmp, kRepeatBytes, count, src0.dtype);
  call.check(dst, src0, "src0");
  call.check(dst, src1, "src1");
  if (count == 0) return;
  const TensorRef* sources[] = {&src0, &src1};
  call.run(dst, sources, 2, run_xor, 0);
}

void math_power(const TensorRef& dst, const TensorRef* base, const TensorRef* exponent, const Scalar& scalar, const TensorRef* tmp,
                std::int64_t count, Site site) {
  Core& core = Core::current();
  core.enter("Power", site, Unit::V);
  const DType dtype = dst.dtype;
  core.check_dtype(dtype, DTypes(DType::F16, DType::F32, DType::I32), "the operands", "half, float, int32_t");
  const bool tensors = base != nullptr && exponent != nullptr;
  Call call(core, tmp, power_tmp_bytes(dtype, tensors), count, dtype);
  if (base != nullptr) call.check(dst, *base, "src0");
  if (exponent != nullptr) call.check(dst, *exponent, "src1");
  if (count == 0) return;
  const TensorRef* sources[] = {base != nullptr ? base : exponent, exponent};
  const Run run = tensors           ? power_run<PowerForm::TENSORS>(dtype)
                  : base != nullptr ? power_run<PowerForm::SCALAR_EXPONENT>(dtype)
                                    : power_run<PowerForm::SCALAR_BASE>(dtype);
  call.run(dst, sources, tensors ? 2 : 1, run, scalar.bits);
}

}  // namespace ascendc_cpu
