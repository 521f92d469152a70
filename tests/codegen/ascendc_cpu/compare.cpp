// Compare, CompareScalar and Select.
#include "harness.h"

using namespace AscendC;
using harness::Bench;
using harness::Stage;

CASE(compare) {
  harness::with_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    const std::int64_t n = bench.number("n");
    const std::int64_t mask_bytes = bench.number("mask_bytes", n / 8);
    GM_ADDR a = bench.in("a");
    GM_ADDR b = bench.in("b");
    GM_ADDR m = bench.out("m", mask_bytes);
    bench.run([&] {
      Stage stage;
      LocalTensor<T> x = stage.load<T>(a, n);
      LocalTensor<T> y = stage.load<T>(b, n);
      LocalTensor<std::uint8_t> mask = stage.fresh<std::uint8_t>((mask_bytes + 31) / 32 * 32);
      const CMPMODE mode = static_cast<CMPMODE>(bench.number("mode"));
      const std::int64_t count = bench.number("count", n);
      if (bench.text("form") == "scalar") CompareScalar(mask, x, static_cast<T>(static_cast<float>(bench.real("scalar"))), mode, count);
      if (bench.text("form") == "tensor") Compare(mask, x, y, mode, count);
      if (bench.text("form") == "repeat") {
        // Three iterations with gaps in the sources; the results lie side by side.
        Compare(mask, x, y, mode, std::uint64_t(1), bench.number("repeat", 3), BinaryRepeatParams(1, 1, 1, 8, 16, 0));
      }
      stage.store(m, mask, mask_bytes);
    });
  });
}

CASE(select) {
  harness::with_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    const std::int64_t n = bench.number("n");
    const std::int64_t bits = bench.number("bits", n);
    GM_ADDR a = bench.in("a");
    GM_ADDR b = bench.in("b");
    GM_ADDR m = bench.in("m");
    GM_ADDR y = bench.out("y", n * static_cast<std::int64_t>(sizeof(T)));
    bench.run([&] {
      Stage stage;
      LocalTensor<T> x0 = stage.load<T>(a, n);
      LocalTensor<T> x1 = stage.load<T>(b, n);
      LocalTensor<std::uint8_t> mask = stage.load<std::uint8_t>(m, (bits + 7) / 8);
      LocalTensor<T> out = stage.load<T>(a, n);
      if (bench.number("fill_ub") != 0) stage.fresh<std::uint8_t>(bench.number("fill_ub"));
      const SELMODE mode = static_cast<SELMODE>(bench.number("mode"));
      const std::int64_t count = bench.number("count", n);
      const T scalar = static_cast<T>(static_cast<float>(bench.real("scalar")));
      if (bench.text("form") == "scalar") Select(out, mask, x0, scalar, mode, count);
      if (bench.text("form") == "tensor") Select(out, mask, x0, x1, mode, count);
      if (bench.text("form") == "repeat") Select(out, mask, x0, x1, mode, std::uint64_t(10), 2, BinaryRepeatParams());
      stage.store(y, out, n);
    });
  });
}

// A mask whose last lanes were compared from lanes that nobody wrote. Selecting with the good lanes only is fine.
CASE(tainted_mask) {
  GM_ADDR a = bench.in("a");
  GM_ADDR y = bench.out("y", 40 * 4);
  bench.run([&] {
    Stage stage;
    LocalTensor<float> x = stage.fresh<float>(64);
    LocalTensor<float> part = stage.load<float>(a, 40);
    DataCopy(x, part, 40);
    LocalTensor<std::uint8_t> mask = stage.fresh<std::uint8_t>(32);
    LocalTensor<float> out = stage.fresh<float>(64);
    PipeBarrier<PIPE_V>();
    CompareScalar(mask, x, 0.0f, CMPMODE::GT, 64);
    PipeBarrier<PIPE_V>();
    Select(out, mask, x, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, bench.number("count"));
    stage.store(y, out, 40);
  });
}
