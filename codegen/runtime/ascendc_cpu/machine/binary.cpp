#include <cmath>

#include "arithmetic.h"
#include "vector_calls.h"

namespace ascendc_cpu {

namespace {

struct Add {
  template <class T>
  static T of(T x, T y) {
    return static_cast<T>(Wrap<T>(x) + Wrap<T>(y));
  }
};
struct Sub {
  template <class T>
  static T of(T x, T y) {
    return static_cast<T>(Wrap<T>(x) - Wrap<T>(y));
  }
};
struct Mul {
  template <class T>
  static T of(T x, T y) {
    return static_cast<T>(Wrap<T>(x) * Wrap<T>(y));
  }
};
struct Div {
  static float of(float x, float y) { return x / y; }
};
struct Max {
  template <class T>
  static T of(T x, T y) {
    return larger(x, y);
  }
};
struct Min {
  template <class T>
  static T of(T x, T y) {
    return smaller(x, y);
  }
};
struct And {
  template <class T>
  static T of(T x, T y) {
    return static_cast<T>(x & y);
  }
};
struct Or {
  template <class T>
  static T of(T x, T y) {
    return static_cast<T>(x | y);
  }
};
template <class F>
struct ThenRelu {
  template <class T>
  static T of(T x, T y) {
    const T value = F::of(x, y);
    return value < 0 ? T(0) : value;
  }
};

template <class F>
Run number_run(DType dtype) {
  switch (dtype) {
    case DType::F16:
      return run_binary<half, F>;
    case DType::I16:
      return run_binary<std::int16_t, F>;
    case DType::I32:
      return run_binary<std::int32_t, F>;
    default:
      return run_binary<float, F>;
  }
}
Run div_run(DType dtype) {
  return dtype == DType::F16 ? run_binary<half, Div> : run_binary<float, Div>;
}
template <class F>
Run bit_run(DType dtype) {
  return size_of(dtype) == 4 ? run_binary<std::uint32_t, F> : run_binary<std::uint16_t, F>;
}

struct Entry {
  const char* api;
  DTypes legal;
  const char* legal_names;
  Run (*run)(DType);
  bool accumulates;  // may add into its destination over iterations (§5)
};

constexpr DTypes kNumbers(DType::F16, DType::F32, DType::I16, DType::I32);
constexpr DTypes kBits(DType::I16, DType::U16, DType::I32, DType::U32);
constexpr DTypes kReluNumbers(DType::F16, DType::F32, DType::I16);

// Types of arch 2201 (ascendc_api_facts §6), in the order of BinaryOp.
constexpr Entry kBinary[] = {
    {"Add", kNumbers, "half, float, int16_t, int32_t", number_run<Add>, true},
    {"Sub", kNumbers, "half, float, int16_t, int32_t", number_run<Sub>, true},
    {"Mul", kNumbers, "half, float, int16_t, int32_t", number_run<Mul>, true},
    {"Div", DTypes(DType::F16, DType::F32), "half, float", div_run, false},
    {"Max", kNumbers, "half, float, int16_t, int32_t", number_run<Max>, true},
    {"Min", kNumbers, "half, float, int16_t, int32_t", number_run<Min>, true},
    {"And", kBits, "int16_t, uint16_t; with a count also int32_t, uint32_t", bit_run<And>, false},
    {"Or", kBits, "int16_t, uint16_t; with a count also int32_t, uint32_t", bit_run<Or>, false},
    {"AddRelu", kReluNumbers, "half, float, int16_t", number_run<ThenRelu<Add>>, true},
    {"SubRelu", kReluNumbers, "half, float, int16_t", number_run<ThenRelu<Sub>>, true},
};

void check_bits_style(const Core& core, BinaryOp op, DType dtype, const Lanes& lanes) {
  const bool bitwise = op == BinaryOp::AND || op == BinaryOp::OR;
  if (!bitwise || lanes.style == Lanes::Style::COUNT) return;
  core.check_dtype(dtype, DTypes(DType::I16, DType::U16), "the operands with a mask", "int16_t, uint16_t");
}

Elementwise three(const Operand& dst, const Operand& src0, const Operand& src1) {
  Elementwise call;
  call.operands[0] = dst;
  call.operands[1] = src0;
  call.operands[2] = src1;
  call.count = 3;
  return call;
}

// One rounding, as the issue of an instruction: fused multiply-add.
template <class D, class S, bool relu>
void run_mul_add(std::uint8_t* dst, const std::uint8_t* const* src, std::uint64_t, std::int64_t lanes) {
  D* out = reinterpret_cast<D*>(dst);
  const S* x = lanes_of<S>(src[0]);
  const S* y = lanes_of<S>(src[1]);
  const D* old = lanes_of<D>(src[2]);
  for (std::int64_t i = 0; i < lanes; ++i) {
    const float value = std::fma(static_cast<float>(x[i]), static_cast<float>(y[i]), static_cast<float>(old[i]));
    out[i] = narrow<D>(relu && value < 0 ? 0.0f : value);
  }
}

// dst = src0 * dst + src1: the destination is the second factor.
template <class T, bool relu>
void run_mul_dst_add(std::uint8_t* dst, const std::uint8_t* const* src, std::uint64_t scalar, std::int64_t lanes) {
  const std::uint8_t* ordered[] = {src[0], src[2], src[1]};
  run_mul_add<T, T, relu>(dst, ordered, scalar, lanes);
}

Run mul_add_dst_run(DType dst, DType src) {
  if (src == DType::F32) return run_mul_add<float, float, false>;
  return dst == DType::F32 ? run_mul_add<float, half, false> : run_mul_add<half, half, false>;
}

}  // namespace

void binary(BinaryOp op, const Operand& dst, const Operand& src0, const Operand& src1, const Lanes& lanes, Site site) {
  Core& core = Core::current();
  const Entry& entry = kBinary[static_cast<int>(op)];
  core.enter(entry.api, site, Unit::V);
  const DType dtype = dst.tensor.dtype;
  core.check_dtype(dtype, entry.legal, "the operands", entry.legal_names);
  check_bits_style(core, op, dtype, lanes);
  Elementwise call = three(dst, src0, src1);
  call.rule = entry.accumulates && dtype != DType::I16 ? InPlace::ACCUMULATE : InPlace::SAME_LANES;
  call.run = entry.run(dtype);
  call.bitwise = op == BinaryOp::AND || op == BinaryOp::OR;
  execute(core, lanes, call);
}

void fused(FusedOp op, const Operand& dst, const Operand& src0, const Operand& src1, const Lanes& lanes, Site site) {
  Core& core = Core::current();
  constexpr const char* names[] = {"FusedMulAdd", "FusedMulAddRelu", "MulAddDst"};
  core.enter(names[static_cast<int>(op)], site, Unit::V);
  const DType to = dst.tensor.dtype;
  const DType from = src0.tensor.dtype;
  core.check_dtype(from, DTypes(DType::F16, DType::F32), "the sources", "half, float");
  const bool widening = op == FusedOp::MUL_ADD_DST && from == DType::F16 && to == DType::F32;
  if (to != from && !widening) core.fail(Fault::DTYPE, "type of dst", "that of the sources, or half to float for MulAddDst", name_of(to));
  Elementwise call = three(dst, src0, src1);
  call.operands[3] = dst;
  call.count = 4;
  const bool is_half = to == DType::F16;
  switch (op) {
    case FusedOp::MUL_ADD:
      call.run = is_half ? run_mul_dst_add<half, false> : run_mul_dst_add<float, false>;
      break;
    case FusedOp::MUL_ADD_RELU:
      call.run = is_half ? run_mul_dst_add<half, true> : run_mul_dst_add<float, true>;
      break;
    case FusedOp::MUL_ADD_DST:
      call.run = mul_add_dst_run(to, from);
      break;
  }
  execute(core, lanes, call);
}

}  // namespace ascendc_cpu
