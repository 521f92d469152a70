// Unary, binary, scalar and fused instructions, in all calling styles.
#include "harness.h"

using namespace AscendC;
using harness::Bench;
using harness::Stage;

namespace {

// How a case calls its instruction.
struct Style {
  std::string name;
  std::int64_t count;
  std::uint64_t bits[2];
  std::int64_t mask;
  std::int64_t repeat;
  std::int64_t dst_blk, dst_rep, src0_blk, src0_rep, src1_blk, src1_rep;

  explicit Style(const Bench& bench)
      : name(bench.text("style", "count")),
        count(bench.number("count")),
        bits{static_cast<std::uint64_t>(std::strtoull(bench.text("low", "0").c_str(), nullptr, 0)),
             static_cast<std::uint64_t>(std::strtoull(bench.text("high", "0").c_str(), nullptr, 0))},
        mask(bench.number("mask")),
        repeat(bench.number("repeat", 1)),
        dst_blk(bench.number("dst_blk", 1)),
        dst_rep(bench.number("dst_rep", 8)),
        src0_blk(bench.number("src0_blk", 1)),
        src0_rep(bench.number("src0_rep", 8)),
        src1_blk(bench.number("src1_blk", 1)),
        src1_rep(bench.number("src1_rep", 8)) {}

  UnaryRepeatParams unary() const { return {dst_blk, src0_blk, dst_rep, src0_rep}; }
  BinaryRepeatParams binary() const { return {dst_blk, src0_blk, src1_blk, dst_rep, src0_rep, src1_rep}; }
};

// Few types get the mask styles, which share everything but the types with the count style: it keeps the compiler busy for less long.
template <class T>
constexpr bool kAllStyles = std::is_same<T, float>::value || std::is_same<T, half>::value || std::is_same<T, std::int32_t>::value;

// Calls Name in the style that the case asks for.
#define IN_STYLE(Name, style, params, ...)                                                                               \
  do {                                                                                                                   \
    if (style.name == "count") Name(__VA_ARGS__, style.count);                                                           \
    if constexpr (kAllStyles<T>) {                                                                                       \
      if (style.name == "mask") Name(__VA_ARGS__, static_cast<std::uint64_t>(style.mask), style.repeat, style.params()); \
      if (style.name == "bits") Name(__VA_ARGS__, style.bits, style.repeat, style.params());                             \
    }                                                                                                                    \
  } while (false)

template <class T>
void unary_op(const std::string& op, const LocalTensor<T>& y, const LocalTensor<T>& x, const Style& s) {
  if (op == "Abs") IN_STYLE(Abs, s, unary, y, x);
  if (op == "Exp") IN_STYLE(Exp, s, unary, y, x);
  if (op == "Ln") IN_STYLE(Ln, s, unary, y, x);
  if (op == "Sqrt") IN_STYLE(Sqrt, s, unary, y, x);
  if (op == "Rsqrt") IN_STYLE(Rsqrt, s, unary, y, x);
  if (op == "Reciprocal") IN_STYLE(Reciprocal, s, unary, y, x);
  if (op == "Relu") IN_STYLE(Relu, s, unary, y, x);
  if (op == "Not") IN_STYLE(Not, s, unary, y, x);
}

template <class T>
void binary_op(const std::string& op, const LocalTensor<T>& y, const LocalTensor<T>& a, const LocalTensor<T>& b, const Style& s) {
  if (op == "Add") IN_STYLE(Add, s, binary, y, a, b);
  if (op == "Sub") IN_STYLE(Sub, s, binary, y, a, b);
  if (op == "Mul") IN_STYLE(Mul, s, binary, y, a, b);
  if (op == "Div") IN_STYLE(Div, s, binary, y, a, b);
  if (op == "Max") IN_STYLE(Max, s, binary, y, a, b);
  if (op == "Min") IN_STYLE(Min, s, binary, y, a, b);
  if (op == "And") IN_STYLE(And, s, binary, y, a, b);
  if (op == "Or") IN_STYLE(Or, s, binary, y, a, b);
  if (op == "AddRelu") IN_STYLE(AddRelu, s, binary, y, a, b);
  if (op == "SubRelu") IN_STYLE(SubRelu, s, binary, y, a, b);
  if (op == "FusedMulAdd") IN_STYLE(FusedMulAdd, s, binary, y, a, b);
  if (op == "FusedMulAddRelu") IN_STYLE(FusedMulAddRelu, s, binary, y, a, b);
}

template <class T>
void scalar_op(const std::string& op, const LocalTensor<T>& y, const LocalTensor<T>& x, T scalar, const Style& s) {
  if (op == "Adds") IN_STYLE(Adds, s, unary, y, x, scalar);
  if (op == "Muls") IN_STYLE(Muls, s, unary, y, x, scalar);
  if (op == "Maxs") IN_STYLE(Maxs, s, unary, y, x, scalar);
  if (op == "Mins") IN_STYLE(Mins, s, unary, y, x, scalar);
  if (op == "LeakyRelu") IN_STYLE(LeakyRelu, s, unary, y, x, scalar);
  if (op == "ShiftLeft") IN_STYLE(ShiftLeft, s, unary, y, x, scalar);
  if (op == "ShiftRight") IN_STYLE(ShiftRight, s, unary, y, x, scalar);
}

}  // namespace

CASE(unary) {
  harness::with_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    const std::int64_t n = bench.number("n");
    GM_ADDR x = bench.in("x");
    GM_ADDR y0 = bench.in("y0");
    GM_ADDR y = bench.out("y", n * static_cast<std::int64_t>(sizeof(T)));
    bench.run([&] {
      Stage stage;
      LocalTensor<T> source = stage.load<T>(x, n);
      LocalTensor<T> target = stage.load<T>(y0, n);
      unary_op(bench.text("op"), target, source, Style(bench));
      stage.store(y, target, n);
    });
  });
}

CASE(binary) {
  harness::with_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    const std::int64_t n = bench.number("n");
    GM_ADDR a = bench.in("a");
    GM_ADDR b = bench.in("b");
    GM_ADDR y0 = bench.in("y0");
    GM_ADDR y = bench.out("y", n * static_cast<std::int64_t>(sizeof(T)));
    bench.run([&] {
      Stage stage;
      LocalTensor<T> src0 = stage.load<T>(a, n);
      LocalTensor<T> src1 = stage.load<T>(b, n);
      LocalTensor<T> target = stage.load<T>(y0, n);
      binary_op(bench.text("op"), target, src0, bench.number("accumulate") != 0 ? target : src1, Style(bench));
      stage.store(y, target, n);
    });
  });
}

CASE(scalar) {
  harness::with_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    const std::int64_t n = bench.number("n");
    GM_ADDR x = bench.in("x");
    GM_ADDR y0 = bench.in("y0");
    GM_ADDR y = bench.out("y", n * static_cast<std::int64_t>(sizeof(T)));
    bench.run([&] {
      Stage stage;
      LocalTensor<T> source = stage.load<T>(x, n);
      LocalTensor<T> target = stage.load<T>(y0, n);
      scalar_op(bench.text("op"), target, source, static_cast<T>(static_cast<float>(bench.real("scalar"))), Style(bench));
      stage.store(y, target, n);
    });
  });
}

// Axpy and MulAddDst: the destination may be wider than the sources.
template <class D, class S>
void mixed(Bench& bench) {
  const std::int64_t n = bench.number("n");
  GM_ADDR a = bench.in("a");
  GM_ADDR b = bench.in("b");
  GM_ADDR y0 = bench.in("y0");
  GM_ADDR y = bench.out("y", n * static_cast<std::int64_t>(sizeof(D)));
  bench.run([&] {
    Stage stage;
    LocalTensor<S> src0 = stage.load<S>(a, n);
    LocalTensor<S> src1 = stage.load<S>(b, n);
    LocalTensor<D> target = stage.load<D>(y0, n);
    if (bench.text("op") == "Axpy") {
      Axpy(target, src0, static_cast<S>(static_cast<float>(bench.real("scalar"))), n);
    } else {
      MulAddDst(target, src0, src1, n);
    }
    stage.store(y, target, n);
  });
}

CASE(mixed) {
  const std::string types = bench.text("types");
  if (types == "half_half") mixed<half, half>(bench);
  if (types == "float_float") mixed<float, float>(bench);
  if (types == "float_half") mixed<float, half>(bench);
  if (types == "half_float") mixed<half, float>(bench);
}

// The mask comes from the register: normal bits, or a count.
CASE(register_mask) {
  const std::int64_t n = bench.number("n");
  GM_ADDR x = bench.in("x");
  GM_ADDR y0 = bench.in("y0");
  GM_ADDR y = bench.out("y", n * 4);
  bench.run([&] {
    Stage stage;
    LocalTensor<float> source = stage.load<float>(x, n);
    LocalTensor<float> target = stage.load<float>(y0, n);
    const UnaryRepeatParams params(1, 1, 8, bench.number("src_rep", 8));
    if (bench.number("counter") != 0) {
      SetMaskCount();
      SetVectorMask<float, MaskMode::COUNTER>(0, static_cast<std::uint64_t>(bench.number("elements")));
    } else {
      SetVectorMask<float, MaskMode::NORMAL>(0, static_cast<std::uint64_t>(bench.number("bits")));
    }
    Muls<float, false>(target, source, 2.0f, MASK_PLACEHOLDER, bench.number("repeat", 1), params);
    if (bench.number("leave") == 0) {
      SetMaskNorm();
      ResetMask();
    }
    stage.store(y, target, n);
  });
}

// Bytes in pairs: the last pair may reach beyond what was loaded.
CASE(bytes_in_pairs) {
  const std::int64_t n = bench.number("n");
  GM_ADDR a = bench.in("a");
  GM_ADDR y = bench.out("y", 32);
  bench.run([&] {
    Stage stage;
    LocalTensor<std::uint8_t> source = stage.load<std::uint8_t>(a, n);
    source.SetSize(32);
    LocalTensor<std::uint8_t> target = stage.fresh<std::uint8_t>(32);
    const LocalTensor<std::uint16_t> pairs = source.ReinterpretCast<std::uint16_t>();
    And(target.ReinterpretCast<std::uint16_t>(), pairs, pairs, (n + 1) / 2);
    stage.store(y, target, bench.number("stored", n));
  });
}
