// Transfers between GM and UB.
#include "harness.h"

using namespace AscendC;
using harness::Bench;
using harness::Stage;

namespace {

template <class T>
GlobalTensor<T> global(GM_ADDR gm, const Bench& bench) {
  GlobalTensor<T> tensor;
  const std::int64_t declared = bench.number("declared", -1);
  if (declared >= 0) {
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gm), static_cast<std::uint64_t>(declared));
  } else {
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gm));
  }
  return tensor[bench.number("gm_offset")];
}

}  // namespace

// Loads rows into UB and stores all of UB's `room` elements, so that padding is seen too. Lanes that are still taint show as `mark`.
CASE(load) {
  harness::with_type(bench.text("dtype"), [&](auto type) {
    using T = decltype(type);
    const std::int64_t room = bench.number("room");
    GM_ADDR x = bench.in("x");
    GM_ADDR y = bench.out("y", room * static_cast<std::int64_t>(sizeof(T)));
    bench.run([&] {
      Stage stage;
      LocalTensor<T> ub = stage.fresh<T>(room);
      const DataCopyExtParams copy(bench.number("blocks", 1), bench.number("len"), bench.number("src_gap"), bench.number("dst_gap"), 0);
      const DataCopyPadExtParams<T> pad(bench.number("is_pad") != 0, bench.number("left"), bench.number("right"),
                                        static_cast<T>(static_cast<float>(bench.real("value"))));
      if (!bench.text("pad_value").empty()) SetPadValue(static_cast<T>(static_cast<float>(bench.real("pad_value"))));
      DataCopyPad(ub[bench.number("ub_offset")], global<T>(x, bench), copy, pad);
      const std::int64_t take = bench.number("take", room);
      if (take > 0) stage.cross<HardEvent::MTE2_MTE3>();
      GlobalTensor<T> out;
      out.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
      if (take > 0) DataCopyPad(out, ub[bench.number("from")], DataCopyExtParams(1, take * static_cast<std::int64_t>(sizeof(T)), 0, 0, 0));
    });
  });
}

CASE(store) {
  const std::int64_t n = bench.number("n");
  const std::int64_t out = bench.number("out");
  GM_ADDR x = bench.in("x");
  GM_ADDR y = bench.out("y", out * 2);
  bench.run([&] {
    Stage stage;
    LocalTensor<half> ub = stage.load<half>(x, n);
    stage.cross<HardEvent::MTE2_MTE3>();
    const DataCopyExtParams copy(bench.number("blocks", 1), bench.number("len"), bench.number("src_gap"), bench.number("dst_gap"), 0);
    DataCopyPad(global<half>(bench.number("to_input") != 0 ? x : y, bench), ub, copy);
  });
}

CASE(plain) {
  const std::int64_t n = bench.number("n");
  GM_ADDR x = bench.in("x");
  GM_ADDR y = bench.out("y", n * 4);
  bench.run([&] {
    Stage stage;
    LocalTensor<float> ub = stage.fresh<float>(n);
    const DataCopyParams blocks(bench.number("blocks", 1), bench.number("len"), bench.number("gm_gap"), 0);
    const DataCopyParams back(bench.number("blocks", 1), bench.number("len"), 0, bench.number("gm_gap"));
    GlobalTensor<float> out;
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
    if (bench.text("form") == "blocks") {
      DataCopy(ub, global<float>(x, bench), blocks);
      stage.cross<HardEvent::MTE2_MTE3>();
      DataCopy(out, ub, back);
    } else {
      DataCopy(ub, global<float>(x, bench), bench.number("count"));
      stage.cross<HardEvent::MTE2_MTE3>();
      DataCopy(out, ub, bench.number("count"));
    }
  });
}

// Scalar access to GM through the data cache.
CASE(scalar_gm) {
  GM_ADDR x = bench.in("x");
  GM_ADDR y = bench.out("y", 8 * 4);
  bench.run([&] {
    GlobalTensor<std::int32_t> in;
    GlobalTensor<std::int32_t> out;
    in.SetGlobalBuffer(reinterpret_cast<__gm__ std::int32_t*>(x), 8);
    out.SetGlobalBuffer(reinterpret_cast<__gm__ std::int32_t*>(y), 8);
    if (bench.number("unwritten") != 0) out.GetValue(0);
    out.SetValue(1, in.GetValue(bench.number("index")) + 1);
    if (bench.number("clean", 1) != 0) DataCacheCleanAndInvalid<std::int32_t>(out);
  });
}

CASE(no_address) {
  bench.run([&] {
    Stage stage;
    LocalTensor<float> ub = stage.fresh<float>(8);
    GlobalTensor<float> nowhere;
    if (bench.number("stray") != 0) {
      static float outside[8];
      nowhere.SetGlobalBuffer(outside, 8);
    }
    DataCopy(ub, nowhere, 8);
  });
}
