#include <cmath>

#include "arithmetic.h"
#include "vector_calls.h"

namespace ascendc_cpu {

namespace {

struct Adds {
  template <class T>
  static T of(T x, T s) {
    return static_cast<T>(Wrap<T>(x) + Wrap<T>(s));
  }
};
struct Muls {
  template <class T>
  static T of(T x, T s) {
    return static_cast<T>(Wrap<T>(x) * Wrap<T>(s));
  }
};
struct Maxs {
  template <class T>
  static T of(T x, T s) {
    return larger(x, s);
  }
};
struct Mins {
  template <class T>
  static T of(T x, T s) {
    return smaller(x, s);
  }
};
struct LeakyRelu {
  static float of(float x, float s) { return x >= 0 ? x : x * s; }
};
struct ShiftLeft {
  template <class T>
  static T of(T x, T s) {
    constexpr int width = 8 * sizeof(T);
    using Bits = std::make_unsigned_t<T>;
    return s >= width ? T(0) : static_cast<T>(static_cast<Bits>(x) << s);
  }
};
struct ShiftRight {
  template <class T>
  static T of(T x, T s) {
    constexpr int width = 8 * sizeof(T);
    return static_cast<T>(x >> (s >= width ? width - 1 : s) >> (s >= width ? 1 : 0));
  }
};

template <class F>
Run number_run(DType dtype) {
  switch (dtype) {
    case DType::F16:
      return run_scalar<half, F>;
    case DType::I16:
      return run_scalar<std::int16_t, F>;
    case DType::I32:
      return run_scalar<std::int32_t, F>;
    default:
      return run_scalar<float, F>;
  }
}
Run leaky_run(DType dtype) {
  return dtype == DType::F16 ? run_scalar<half, LeakyRelu> : run_scalar<float, LeakyRelu>;
}
template <class F>
Run shift_run(DType dtype) {
  switch (dtype) {
    case DType::I16:
      return run_scalar<std::int16_t, F>;
    case DType::U16:
      return run_scalar<std::uint16_t, F>;
    case DType::I32:
      return run_scalar<std::int32_t, F>;
    default:
      return run_scalar<std::uint32_t, F>;
  }
}

struct Entry {
  const char* api;
  DTypes legal;
  const char* legal_names;
  Run (*run)(DType);
};

constexpr DTypes kNumbers(DType::F16, DType::F32, DType::I16, DType::I32);
constexpr DTypes kShiftable(DType::I16, DType::U16, DType::I32, DType::U32);

// Types of arch 2201 (ascendc_api_facts §6), in the order of ScalarOp.
constexpr Entry kScalar[] = {
    {"Adds", kNumbers, "half, float, int16_t, int32_t", number_run<Adds>},
    {"Muls", kNumbers, "half, float, int16_t, int32_t", number_run<Muls>},
    {"Maxs", kNumbers, "half, float, int16_t, int32_t", number_run<Maxs>},
    {"Mins", kNumbers, "half, float, int16_t, int32_t", number_run<Mins>},
    {"LeakyRelu", DTypes(DType::F16, DType::F32), "half, float", leaky_run},
    {"ShiftLeft", kShiftable, "(u)int16_t, (u)int32_t", shift_run<ShiftLeft>},
    {"ShiftRight", kShiftable, "(u)int16_t, (u)int32_t", shift_run<ShiftRight>},
};

bool is_negative(const Scalar& scalar) {
  if (scalar.dtype == DType::I16) return static_cast<std::int16_t>(scalar.bits) < 0;
  return scalar.dtype == DType::I32 && static_cast<std::int32_t>(scalar.bits) < 0;
}

template <class D, class S>
void run_axpy(std::uint8_t* dst, const std::uint8_t* const* src, std::uint64_t scalar, std::int64_t lanes) {
  D* out = reinterpret_cast<D*>(dst);
  const S* x = lanes_of<S>(src[0]);
  const D* old = lanes_of<D>(src[1]);
  const float s = scalar_value<S>(scalar);
  for (std::int64_t i = 0; i < lanes; ++i) out[i] = narrow<D>(std::fma(static_cast<float>(x[i]), s, static_cast<float>(old[i])));
}

}  // namespace

void with_scalar(ScalarOp op, const Operand& dst, const Operand& src, const Scalar& scalar, const Lanes& lanes, Site site) {
  Core& core = Core::current();
  const Entry& entry = kScalar[static_cast<int>(op)];
  core.enter(entry.api, site, Unit::V);
  core.check_dtype(dst.tensor.dtype, entry.legal, "the operands", entry.legal_names);
  const bool shift = op == ScalarOp::SHIFT_LEFT || op == ScalarOp::SHIFT_RIGHT;
  if (shift && is_negative(scalar)) core.fail(Fault::ARGUMENT, "number of bits to shift", "at least 0", "a negative number");
  Elementwise call;
  call.operands[0] = dst;
  call.operands[1] = src;
  call.count = 2;
  call.block_stride_max = 65535;
  call.run = entry.run(dst.tensor.dtype);
  call.scalar = scalar.bits;
  execute(core, lanes, call);
}

void axpy(const Operand& dst, const Operand& src, const Scalar& scalar, const Lanes& lanes, Site site) {
  Core& core = Core::current();
  core.enter("Axpy", site, Unit::V);
  const DType to = dst.tensor.dtype;
  const DType from = src.tensor.dtype;
  core.check_dtype(from, DTypes(DType::F16, DType::F32), "src", "half, float");
  if (to != from && to != DType::F32) core.fail(Fault::DTYPE, "type of dst", "that of src, or half to float", name_of(to));
  Elementwise call;
  call.operands[0] = dst;
  call.operands[1] = src;
  call.operands[2] = dst;
  call.count = 3;
  call.block_stride_max = 65535;
  call.run = from == DType::F32 ? run_axpy<float, float> : to == DType::F32 ? run_axpy<float, half> : run_axpy<half, half>;
  call.scalar = scalar.bits;
  execute(core, lanes, call);
}

}  // namespace ascendc_cpu
