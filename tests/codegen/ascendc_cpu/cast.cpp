// Cast between all types, in the count and the mask style.
#include "harness.h"

using namespace AscendC;
using harness::Bench;
using harness::Stage;

namespace {

template <class S, class D>
void convert(Bench& bench) {
  const std::int64_t n = bench.number("n");
  GM_ADDR x = bench.in("x");
  GM_ADDR y0 = bench.in("y0");
  GM_ADDR y = bench.out("y", n * static_cast<std::int64_t>(sizeof(D)));
  bench.run([&] {
    Stage stage;
    LocalTensor<S> source = stage.load<S>(x, n);
    LocalTensor<D> target = stage.load<D>(y0, n);
    if (!bench.text("scale").empty()) SetDeqScale(static_cast<half>(static_cast<float>(bench.real("scale"))));
    const RoundMode mode = static_cast<RoundMode>(bench.number("mode"));
    if (bench.text("style") == "mask") {
      Cast(target, source, mode, static_cast<std::uint64_t>(bench.number("mask")), bench.number("repeat"),
           UnaryRepeatParams(1, 1, bench.number("dst_rep"), bench.number("src_rep")));
    } else if (bench.text("style") == "bits") {
      const std::uint64_t bits[] = {static_cast<std::uint64_t>(bench.number("low")), ~0ull};
      Cast(target, source, mode, bits, bench.number("repeat"), UnaryRepeatParams(1, 1, bench.number("dst_rep"), bench.number("src_rep")));
    } else {
      Cast(target, source, mode, bench.number("count", n));
    }
    stage.store(y, target, n);
  });
}

using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using bf16 = bfloat16_t;

// The conversions of the chip, then some that it lacks.
const std::map<std::string, void (*)(Bench&)> kPairs = {
    {"float16-float32", convert<half, float>},  {"bfloat16-float32", convert<bf16, float>}, {"int16-float32", convert<i16, float>},
    {"int8-float16", convert<i8, half>},        {"uint8-float16", convert<u8, half>},       {"int32-int16", convert<i32, i16>},
    {"int32-int64", convert<i32, i64>},         {"int64-int32", convert<i64, i32>},         {"int16-float16", convert<i16, half>},
    {"float16-int8", convert<half, i8>},        {"float16-uint8", convert<half, u8>},       {"int32-float32", convert<i32, float>},
    {"float16-int16", convert<half, i16>},      {"float16-int32", convert<half, i32>},      {"bfloat16-int32", convert<bf16, i32>},
    {"float32-int16", convert<float, i16>},     {"float32-int32", convert<float, i32>},     {"float32-int64", convert<float, i64>},
    {"float32-bfloat16", convert<float, bf16>}, {"float32-float32", convert<float, float>}, {"int64-float32", convert<i64, float>},
    {"float32-float16", convert<float, half>},  {"int32-float16", convert<i32, half>},

    {"float32-int8", convert<float, i8>},       {"float32-uint8", convert<float, u8>},      {"uint8-float32", convert<u8, float>},
    {"float16-bfloat16", convert<half, bf16>},  {"bfloat16-float16", convert<bf16, half>},  {"int8-int16", convert<i8, i16>},
    {"int16-int32", convert<i16, i32>},         {"uint32-float32", convert<u32, float>},    {"float32-uint32", convert<float, u32>},
    {"int64-float16", convert<i64, half>},      {"uint16-float16", convert<u16, half>},     {"float16-float16", convert<half, half>},
};

}  // namespace

CASE(cast) {
  kPairs.at(bench.text("from") + "-" + bench.text("to"))(bench);
}

// In place over the same bytes: narrowing is allowed, widening is not.
CASE(in_place) {
  const std::int64_t n = bench.number("n");
  GM_ADDR x = bench.in("x");
  GM_ADDR y = bench.out("y", n * 4);
  bench.run([&] {
    Stage stage;
    LocalTensor<float> wide = stage.load<float>(x, n);
    LocalTensor<half> narrow = wide.ReinterpretCast<half>();
    Cast(narrow, wide, RoundMode::CAST_RINT, n);
    PipeBarrier<PIPE_V>();
    if (bench.number("widen") != 0) Cast(wide, narrow, RoundMode::CAST_NONE, n);
    stage.store(y, wide, n);
  });
}
