// All forms of reduction.
#include "harness.h"

using namespace AscendC;
using harness::Bench;
using harness::Stage;

namespace {

template <class T>
void repeats(const Bench& bench, const LocalTensor<T>& y, const LocalTensor<T>& x) {
  const std::uint64_t mask = static_cast<std::uint64_t>(bench.number("mask"));
  const std::uint64_t bits[] = {static_cast<std::uint64_t>(std::strtoull(bench.text("low", "0").c_str(), nullptr, 0)), 0};
  const std::int64_t repeat = bench.number("repeat", 1);
  const std::int64_t dst_rep = bench.number("dst_rep", 1);
  const std::int64_t blk = bench.number("src_blk", 1);
  const std::int64_t rep = bench.number("src_rep", 8);
  const ReduceOrder order = static_cast<ReduceOrder>(bench.number("order"));
  const std::string op = bench.text("op");
  if (op == "WholeReduceSum") WholeReduceSum(y, x, mask, repeat, dst_rep, blk, rep);
  if (op == "WholeReduceMax") WholeReduceMax(y, x, mask, repeat, dst_rep, blk, rep, order);
  if (op == "WholeReduceMin") WholeReduceMin(y, x, mask, repeat, dst_rep, blk, rep, order);
  if (op == "BlockReduceSum") BlockReduceSum(y, x, repeat, mask, dst_rep, blk, rep);
  if (op == "BlockReduceMax") BlockReduceMax(y, x, repeat, mask, dst_rep, blk, rep);
  if (op == "BlockReduceMin") BlockReduceMin(y, x, repeat, mask, dst_rep, blk, rep);
  if (op == "BlockReduceSumBits") BlockReduceSum(y, x, repeat, bits, dst_rep, blk, rep);
  if (op == "PairReduceSum") PairReduceSum(y, x, repeat, mask, dst_rep, blk, rep);
}

template <class T>
void first(const Bench& bench, const LocalTensor<T>& y, const LocalTensor<T>& x, const LocalTensor<T>& tmp) {
  const std::int64_t count = bench.number("count");
  const bool index = bench.number("index") != 0;
  const std::uint64_t mask = static_cast<std::uint64_t>(bench.number("mask"));
  const std::string op = bench.text("op");
  if (mask == 0) {
    if (op == "ReduceSum") ReduceSum(y, x, tmp, count);
    if (op == "ReduceMax") ReduceMax(y, x, tmp, count, index);
    if (op == "ReduceMin") ReduceMin(y, x, tmp, count, index);
    return;
  }
  if (op == "ReduceSum") ReduceSum(y, x, tmp, mask, bench.number("repeat"), bench.number("src_rep", 8));
  if (op == "ReduceMax") ReduceMax(y, x, tmp, mask, bench.number("repeat"), bench.number("src_rep", 8), index);
  if (op == "ReduceMin") ReduceMin(y, x, tmp, mask, bench.number("repeat"), bench.number("src_rep", 8), index);
}

template <class T, class P, bool reuse>
void matrix(const Bench& bench, const LocalTensor<T>& y, const LocalTensor<T>& x, const LocalTensor<std::uint8_t>& tmp) {
  const std::uint32_t shape[] = {static_cast<std::uint32_t>(bench.number("first")), static_cast<std::uint32_t>(bench.number("last"))};
  const bool pad = bench.number("inner_pad", 1) != 0;
  const std::string op = bench.text("op");
  if (op == "Sum") ReduceSum<T, P, reuse>(y, x, tmp, shape, pad);
  if (op == "Max") ReduceMax<T, P, reuse>(y, x, tmp, shape, pad);
  if (op == "Min") ReduceMin<T, P, reuse>(y, x, tmp, shape, pad);
  if (op == "Prod") ReduceProd<T, P, reuse>(y, x, tmp, shape, pad);
  if (op == "Mean") ReduceMean<T, P, reuse>(y, x, tmp, shape, pad);
  if (op == "Any") ReduceAny<T, P, reuse>(y, x, tmp, shape, pad);
  if (op == "All") ReduceAll<T, P, reuse>(y, x, tmp, shape, pad);
}

// Few types: the refused ones need one representative each.
template <class Body>
void with_some_type(const std::string& name, Body body) {
  if (name == "float32") body(float());
  if (name == "float16") body(half());
  if (name == "uint8") body(std::uint8_t());
  if (name == "int32") body(std::int32_t());
}

}  // namespace

CASE(repeats) {
  with_some_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    const std::int64_t n = bench.number("n");
    const std::int64_t out = bench.number("out");
    GM_ADDR x = bench.in("x");
    GM_ADDR y0 = bench.in("y0");
    GM_ADDR y = bench.out("y", out * static_cast<std::int64_t>(sizeof(T)));
    bench.run([&] {
      Stage stage;
      LocalTensor<T> source = stage.load<T>(x, n);
      LocalTensor<T> result = stage.load<T>(y0, out);
      repeats(bench, bench.number("in_place") != 0 ? source : result[bench.number("dst_offset")], source);
      stage.store(y, result, out);
    });
  });
}

CASE(first) {
  with_some_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    const std::int64_t n = bench.number("n");
    GM_ADDR x = bench.in("x");
    GM_ADDR y = bench.out("y", 2 * static_cast<std::int64_t>(sizeof(T)));
    bench.run([&] {
      Stage stage;
      LocalTensor<T> source = stage.load<T>(x, n);
      LocalTensor<T> result = stage.fresh<T>(16);
      LocalTensor<T> tmp = stage.fresh<T>(bench.number("tmp", 256));
      first(bench, result, source, bench.number("tmp_is_source") != 0 ? source : tmp);
      PipeBarrier<PIPE_V>();
      // A sum has no second value; the store takes two.
      if (bench.number("reuse_source") != 0) ReduceSum(result, source, tmp, n);
      stage.store(y, result, bench.number("index") != 0 ? 2 : 1);
    });
  });
}

CASE(matrix) {
  with_some_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    const std::int64_t rows = bench.number("first");
    const std::int64_t columns = bench.number("last");
    const std::int64_t per_block = 32 / static_cast<std::int64_t>(sizeof(T));
    const std::int64_t pitch = (columns + per_block - 1) / per_block * per_block;
    const std::int64_t out = bench.text("pattern") == "AR" ? rows : columns;
    GM_ADDR x = bench.in("x");
    GM_ADDR y = bench.out("y", out * static_cast<std::int64_t>(sizeof(T)));
    bench.run([&] {
      Stage stage;
      LocalTensor<T> source = stage.fresh<T>(rows * pitch);
      GlobalTensor<T> in;
      in.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x));
      const std::int64_t row_bytes = (columns - bench.number("missing")) * static_cast<std::int64_t>(sizeof(T));
      DataCopyPad(source, in, DataCopyExtParams(rows, row_bytes, 0, 0, 0), DataCopyPadExtParams<T>());
      stage.cross<HardEvent::MTE2_V>();
      LocalTensor<T> result = stage.fresh<T>((out + 31) / 32 * 32);
      LocalTensor<std::uint8_t> tmp = stage.fresh<std::uint8_t>(bench.number("tmp", 65536));
      if (bench.number("alias") != 0) tmp = source.template ReinterpretCast<std::uint8_t>();
      const bool rows_form = bench.text("pattern") == "AR";
      if (bench.number("reuse") != 0) {
        if (rows_form) matrix<T, Pattern::Reduce::AR, true>(bench, result, source, tmp);
        if (!rows_form) matrix<T, Pattern::Reduce::RA, true>(bench, result, source, tmp);
      } else {
        if (rows_form) matrix<T, Pattern::Reduce::AR, false>(bench, result, source, tmp);
        if (!rows_form) matrix<T, Pattern::Reduce::RA, false>(bench, result, source, tmp);
      }
      stage.store(y, result, out);
      if (bench.number("read_source") != 0) {
        PipeBarrier<PIPE_MTE3>();
        stage.store(y, source, out);
      }
    });
  });
}
