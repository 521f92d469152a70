// Gather, GatherMask, Transpose, TransDataTo5HD, and library mathematics.
#include "harness.h"

using namespace AscendC;
using harness::Bench;
using harness::Stage;

namespace {

template <class Body>
void with_some_type(const std::string& name, Body body) {
  if (name == "float32") body(float());
  if (name == "float16") body(half());
  if (name == "int16") body(std::int16_t());
  if (name == "int32") body(std::int32_t());
  if (name == "uint8") body(std::uint8_t());
}

template <class T>
void math(const std::string& op, const LocalTensor<T>& y, const LocalTensor<T>& x, const LocalTensor<std::uint8_t>& tmp, std::int64_t n) {
  if (op == "Tanh") Tanh(y, x, tmp, n);
  if (op == "Sigmoid") Sigmoid(y, x, tmp, n);
  if (op == "Erf") Erf(y, x, tmp, n);
  if (op == "Sin") Sin(y, x, tmp, n);
  if (op == "Cos") Cos(y, x, tmp, n);
  if (op == "Log") Log(y, x, tmp, n);
  if (op == "Log2") Log2(y, x, tmp, n);
  if (op == "Log10") Log10(y, x, tmp, n);
  if (op == "Floor") Floor(y, x, tmp, n);
  if (op == "Ceil") Ceil(y, x, tmp, n);
  if (op == "Round") Round(y, x, tmp, n);
  if (op == "Trunc") Trunc(y, x, tmp, n);
  if (op == "Sign") Sign(y, x, tmp, n);
  if (op == "Gelu") Gelu(y, x, tmp, n);
  if (op == "TanhNoTmp") Tanh(y, x, n);
}

}  // namespace

CASE(gather) {
  with_some_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    const std::int64_t n = bench.number("n");
    const std::int64_t count = bench.number("count");
    GM_ADDR x = bench.in("x");
    GM_ADDR i = bench.in("i");
    GM_ADDR y = bench.out("y", count * static_cast<std::int64_t>(sizeof(T)));
    bench.run([&] {
      Stage stage;
      LocalTensor<T> source = stage.load<T>(x, n);
      const std::int64_t entries = bench.number("entries", count);
      LocalTensor<std::uint32_t> offsets =
          bench.number("raw") != 0 ? stage.fresh<std::uint32_t>(entries) : stage.load<std::uint32_t>(i, entries);
      LocalTensor<T> out = stage.fresh<T>((count + 15) / 16 * 16);
      if (bench.text("style") == "mask") {
        Duplicate(out, static_cast<T>(0), count);
        PipeBarrier<PIPE_V>();
        Gather(out, source, offsets, bench.number("base"), static_cast<std::uint64_t>(bench.number("mask")), bench.number("repeat"), 8);
      } else if (bench.number("in_place") != 0) {
        Gather(source, source, offsets, 0, count);
      } else {
        Gather(out, source, offsets, bench.number("base"), count);
      }
      stage.store(y, out, count);
    });
  });
}

CASE(gather_mask) {
  with_some_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    using U = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>;
    const std::int64_t n = bench.number("n");
    const std::int64_t out = bench.number("out");
    GM_ADDR x = bench.in("x");
    GM_ADDR m = bench.in("m");
    GM_ADDR y = bench.out("y", out * static_cast<std::int64_t>(sizeof(T)));
    GM_ADDR c = bench.out("c", 8);
    bench.run([&] {
      Stage stage;
      LocalTensor<T> source = stage.load<T>(x, n);
      LocalTensor<T> result = stage.fresh<T>(n);
      LocalTensor<std::int32_t> counted = stage.fresh<std::int32_t>(8);
      const GatherMaskParams params(1, bench.number("repeat", 1), bench.number("src_rep", 8), bench.number("bits_rep", 0));
      std::uint64_t written = 0;
      if (bench.number("pattern") != 0) {
        GatherMask(result, source, static_cast<std::uint8_t>(bench.number("pattern")), bench.number("reduce") != 0,
                   static_cast<std::uint32_t>(bench.number("mask")), params, written);
      } else {
        const std::int64_t words = bench.number("words");
        LocalTensor<U> bits = bench.number("raw") != 0 ? stage.fresh<U>(words) : stage.load<U>(m, words);
        GatherMask(result, source, bits, bench.number("reduce") != 0, static_cast<std::uint32_t>(bench.number("mask")), params, written);
      }
      counted.SetValue(0, static_cast<std::int32_t>(written));
      counted.SetValue(1, 0);
      stage.store(y, result, out);
      stage.cross<HardEvent::S_MTE3>();
      stage.store(c, counted, 2);
    });
  });
}

CASE(transpose) {
  with_some_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    GM_ADDR x = bench.in("x");
    GM_ADDR y = bench.out("y", 256 * static_cast<std::int64_t>(sizeof(T)));
    bench.run([&] {
      Stage stage;
      LocalTensor<T> source = stage.load<T>(x, 256);
      LocalTensor<T> out = stage.fresh<T>(256);
      if (bench.number("in_place") != 0) {
        Transpose(source, source);
        stage.store(y, source, 256);
      } else {
        Transpose(out, source);
        stage.store(y, out, 256);
      }
    });
  });
}

// Columns of a 16 x (16 * repeat) matrix become rows.
CASE(lists) {
  const std::int64_t repeat = bench.number("repeat");
  const std::int64_t columns = 16 * repeat;
  GM_ADDR x = bench.in("x");
  GM_ADDR y = bench.out("y", 16 * columns * 2);
  bench.run([&] {
    Stage stage;
    LocalTensor<half> source = stage.load<half>(x, 16 * columns);
    LocalTensor<half> out = stage.fresh<half>(16 * columns);
    LocalTensor<half> src[16];
    LocalTensor<half> dst[16];
    std::uint64_t src_address[16];
    std::uint64_t dst_address[16];
    for (int i = 0; i < 16; ++i) {
      src[i] = source[i * columns];
      dst[i] = out[i * 16];
      src_address[i] = reinterpret_cast<std::uint64_t>(src[i].GetPhyAddr());
      dst_address[i] = reinterpret_cast<std::uint64_t>(dst[i].GetPhyAddr());
    }
    if (bench.number("stray") != 0) src_address[3] = bench.number("stray") == 1 ? 64 : src_address[0] + 196000;
    const std::int64_t stride = bench.number("stride", repeat == 1 ? 0 : 1);
    const TransDataTo5HDParams params(false, false, repeat, repeat == 1 ? 0 : 16, stride);
    if (bench.number("addresses") != 0) {
      TransDataTo5HD<half>(dst_address, src_address, params);
    } else {
      TransDataTo5HD<half>(dst, src, params);
    }
    stage.store(y, out, 16 * columns);
  });
}

// Columns of a 16 x (8 * repeat) matrix of 32-bit elements become rows: even entries of the destination hold rows 0 to 7 of it.
CASE(wide_lists) {
  with_some_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    const std::int64_t repeat = bench.number("repeat");
    const std::int64_t columns = 8 * repeat;
    GM_ADDR x = bench.in("x");
    GM_ADDR y = bench.out("y", 16 * columns * static_cast<std::int64_t>(sizeof(T)));
    bench.run([&] {
      Stage stage;
      LocalTensor<T> source = stage.load<T>(x, 16 * columns);
      LocalTensor<T> out = stage.fresh<T>(16 * columns);
      LocalTensor<T> src[16];
      LocalTensor<T> dst[16];
      for (int i = 0; i < 16; ++i) {
        src[i] = source[i * columns];
        dst[i] = out[i * 8];
      }
      const std::int64_t stride = repeat == 1 ? 0 : bench.number("dst_stride", 16);
      TransDataTo5HD<T>(dst, src, TransDataTo5HDParams(false, false, repeat, stride, repeat == 1 ? 0 : 1));
      stage.store(y, out, 16 * columns);
    });
  });
}

CASE(math) {
  with_some_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    const std::int64_t n = bench.number("n");
    GM_ADDR x = bench.in("x");
    GM_ADDR y = bench.out("y", n * static_cast<std::int64_t>(sizeof(T)));
    bench.run([&] {
      Stage stage;
      LocalTensor<T> source = stage.load<T>(x, n);
      LocalTensor<T> out = stage.fresh<T>((n + 15) / 16 * 16);
      LocalTensor<std::uint8_t> tmp = stage.fresh<std::uint8_t>(bench.number("tmp", 4096));
      const std::string alias = bench.text("alias");
      if (alias == "tmp") tmp = out.template ReinterpretCast<std::uint8_t>();
      math(bench.text("op"), alias == "dst" ? source : out, source, tmp, n);
      stage.store(y, out, n);
    });
  });
}

CASE(power) {
  with_some_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    const std::int64_t n = bench.number("n");
    GM_ADDR a = bench.in("a");
    GM_ADDR b = bench.in("b");
    GM_ADDR y = bench.out("y", n * static_cast<std::int64_t>(sizeof(T)));
    bench.run([&] {
      Stage stage;
      LocalTensor<T> base = stage.load<T>(a, n);
      LocalTensor<T> exponent = stage.load<T>(b, n);
      LocalTensor<T> out = stage.fresh<T>((n + 15) / 16 * 16);
      LocalTensor<std::uint8_t> tmp = stage.fresh<std::uint8_t>(bench.number("tmp", 4096));
      const T scalar = static_cast<T>(static_cast<float>(bench.real("scalar")));
      if (bench.text("form") == "tensors") Power(out, base, exponent, tmp, n);
      if (bench.text("form") == "exponent") Power(out, base, scalar, tmp, n);
      if (bench.text("form") == "base") Power(out, scalar, exponent, tmp, n);
      stage.store(y, out, n);
    });
  });
}

CASE(bitwise_xor) {
  const std::int64_t n = bench.number("n");
  GM_ADDR a = bench.in("a");
  GM_ADDR b = bench.in("b");
  GM_ADDR y = bench.out("y", n * 2);
  bench.run([&] {
    Stage stage;
    LocalTensor<std::int16_t> x0 = stage.load<std::int16_t>(a, n);
    LocalTensor<std::int16_t> x1 = stage.load<std::int16_t>(b, n);
    LocalTensor<std::int16_t> out = stage.fresh<std::int16_t>((n + 15) / 16 * 16);
    LocalTensor<std::uint8_t> tmp = stage.fresh<std::uint8_t>(bench.number("tmp", 256));
    Xor(out, x0, x1, tmp, n);
    stage.store(y, out, n);
  });
}
