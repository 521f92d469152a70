#include <cmath>

#include "arithmetic.h"
#include "vector_calls.h"

namespace ascendc_cpu {

namespace {

struct Abs {
  static float of(float x) { return std::fabs(x); }
};
struct Exp {
  static float of(float x) { return std::exp(x); }
};
struct Ln {
  static float of(float x) { return std::log(x); }
};
struct Sqrt {
  static float of(float x) { return std::sqrt(x); }
};
struct Rsqrt {
  static float of(float x) { return 1.0f / std::sqrt(x); }
};
struct Reciprocal {
  static float of(float x) { return 1.0f / x; }
};
struct Relu {
  template <class T>
  static T of(T x) {
    return x < 0 ? T(0) : x;
  }
};
struct Not {
  template <class T>
  static T of(T x) {
    return static_cast<T>(~x);
  }
};

struct Entry {
  const char* api;
  DTypes legal;
  const char* legal_names;
  Run (*run)(DType);
};

template <class F>
Run float_run(DType dtype) {
  return dtype == DType::F16 ? run_unary<half, F> : run_unary<float, F>;
}
Run relu_run(DType dtype) {
  return dtype == DType::I32 ? run_unary<std::int32_t, Relu> : float_run<Relu>(dtype);
}
Run not_run(DType) {
  return run_unary<std::uint16_t, Not>;
}

constexpr DTypes kFloats(DType::F16, DType::F32);

// Types of arch 2201 (ascendc_api_facts §6), in the order of UnaryOp.
constexpr Entry kUnary[] = {
    {"Abs", kFloats, "half, float", float_run<Abs>},
    {"Exp", kFloats, "half, float", float_run<Exp>},
    {"Ln", kFloats, "half, float", float_run<Ln>},
    {"Sqrt", kFloats, "half, float", float_run<Sqrt>},
    {"Rsqrt", kFloats, "half, float", float_run<Rsqrt>},
    {"Reciprocal", kFloats, "half, float", float_run<Reciprocal>},
    {"Relu", DTypes(DType::F16, DType::F32, DType::I32), "half, float, int32_t", relu_run},
    {"Not", DTypes(DType::I16, DType::U16), "int16_t, uint16_t", not_run},
};

}  // namespace

void unary(UnaryOp op, const Operand& dst, const Operand& src, const Lanes& lanes, Site site) {
  Core& core = Core::current();
  const Entry& entry = kUnary[static_cast<int>(op)];
  core.enter(entry.api, site, Unit::V);
  core.check_dtype(dst.tensor.dtype, entry.legal, "the operands", entry.legal_names);
  Elementwise call;
  call.operands[0] = dst;
  call.operands[1] = src;
  call.count = 2;
  call.block_stride_max = 65535;
  call.run = entry.run(dst.tensor.dtype);
  call.bitwise = op == UnaryOp::NOT;
  execute(core, lanes, call);
}

}  // namespace ascendc_cpu
