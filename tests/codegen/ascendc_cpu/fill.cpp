// Duplicate, Copy, Brcb, Broadcast, index vectors, copies inside UB.
#include "harness.h"

using namespace AscendC;
using harness::Bench;
using harness::Stage;

namespace {

template <class T>
void broadcast(const Bench& bench, const LocalTensor<T>& y, const LocalTensor<T>& x, LocalTensor<std::uint8_t>& tmp) {
  const std::uint32_t dst[] = {static_cast<std::uint32_t>(bench.number("m")), static_cast<std::uint32_t>(bench.number("k"))};
  const std::uint32_t src[] = {static_cast<std::uint32_t>(bench.number("src_m")), static_cast<std::uint32_t>(bench.number("src_k"))};
  if (bench.number("dim") == 1 && bench.number("axis") == 1) return Broadcast<T, 1, 1>(y, x, dst, src, tmp);
  if (bench.number("dim") == 1) return Broadcast<T, 1, 0>(y, x, dst, src, tmp);
  if (bench.number("no_tmp") != 0) return Broadcast<T, 2, 1>(y, x, dst, src);
  if (bench.number("axis") == 0) return Broadcast<T, 2, 0>(y, x, dst, src, tmp);
  Broadcast<T, 2, 1>(y, x, dst, src, tmp);
}

}  // namespace

CASE(duplicate) {
  harness::with_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    const std::int64_t n = bench.number("n");
    GM_ADDR y0 = bench.in("y0");
    GM_ADDR y = bench.out("y", n * static_cast<std::int64_t>(sizeof(T)));
    bench.run([&] {
      Stage stage;
      LocalTensor<T> out = stage.load<T>(y0, n);
      const T value = static_cast<T>(static_cast<float>(bench.real("scalar")));
      if (bench.text("style") == "mask") {
        Duplicate(out, value, static_cast<std::uint64_t>(bench.number("mask")), bench.number("repeat"), 2, 16);
      } else {
        Duplicate(out, value, bench.number("count"));
      }
      stage.store(y, out, n);
    });
  });
}

CASE(index) {
  harness::with_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    const std::int64_t n = bench.number("n");
    GM_ADDR y = bench.out("y", n * static_cast<std::int64_t>(sizeof(T)));
    bench.run([&] {
      Stage stage;
      LocalTensor<T> out = stage.fresh<T>((n + 15) / 16 * 16);
      const T first = static_cast<T>(static_cast<float>(bench.real("first")));
      if (bench.number("busy") != 0) Duplicate(out, first, n);
      if (bench.text("step").empty()) {
        CreateVecIndex(out, first, n);
      } else {
        ArithProgression(out, first, static_cast<T>(static_cast<float>(bench.real("step"))), n);
      }
      stage.store(y, out, n);
    });
  });
}

CASE(copy) {
  harness::with_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    const std::int64_t n = bench.number("n");
    GM_ADDR x = bench.in("x");
    GM_ADDR y0 = bench.in("y0");
    GM_ADDR y = bench.out("y", n * static_cast<std::int64_t>(sizeof(T)));
    bench.run([&] {
      Stage stage;
      LocalTensor<T> source = stage.load<T>(x, n);
      LocalTensor<T> out = stage.load<T>(y0, n);
      const std::string form = bench.text("form");
      if (form == "copy") {
        Copy(out, source, static_cast<std::uint64_t>(bench.number("mask")), bench.number("repeat"),
             CopyRepeatParams(1, 1, bench.number("dst_rep"), bench.number("src_rep")));
      } else if (form == "blocks") {
        DataCopy(out, source,
                 DataCopyParams(bench.number("blocks"), bench.number("len"), bench.number("src_gap"), bench.number("dst_gap")));
      } else if (form == "overlap") {
        DataCopy(source[8], source, bench.number("count"));
      } else {
        DataCopy(out, source, bench.number("count"));
      }
      stage.store(y, out, n);
    });
  });
}

CASE(brcb) {
  harness::with_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    const std::int64_t n = bench.number("n");
    const std::int64_t out_elements = bench.number("out_blocks") * 32 / static_cast<std::int64_t>(sizeof(T));
    GM_ADDR x = bench.in("x");
    GM_ADDR y = bench.out("y", out_elements * static_cast<std::int64_t>(sizeof(T)));
    bench.run([&] {
      Stage stage;
      LocalTensor<T> source = stage.load<T>(x, n);
      LocalTensor<T> out = stage.fresh<T>(out_elements);
      Brcb(out, source, bench.number("repeat"), BrcbRepeatParams(bench.number("blk", 1), bench.number("rep", 8)));
      stage.store(y, out, out_elements);
    });
  });
}

CASE(broadcast) {
  harness::with_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    const std::int64_t n = bench.number("n");
    const std::int64_t out_elements = bench.number("out");
    GM_ADDR x = bench.in("x");
    GM_ADDR y = bench.out("y", out_elements * static_cast<std::int64_t>(sizeof(T)));
    bench.run([&] {
      Stage stage;
      LocalTensor<T> source = stage.load<T>(x, n);
      source.SetSize(static_cast<std::uint32_t>(bench.number("room", n)));
      LocalTensor<T> out = stage.fresh<T>((out_elements + 31) / 32 * 32);
      LocalTensor<std::uint8_t> tmp = stage.fresh<std::uint8_t>(bench.number("tmp", 32768));
      broadcast(bench, out, source, tmp);
      stage.store(y, out, out_elements);
    });
  });
}
