// A hand-written kernel as a compiler would emit it: softmax over the rows of a half matrix, in float, two buffers for each queue, rows
// padded to 32 bytes, a short last tile, on two cores. `mutant` plants one fault; 0 is the kernel as it should be.
#include "harness.h"

using namespace AscendC;
using harness::Bench;

namespace {

struct Tiling {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t rows_per_core;
  std::int64_t tile_rows;
};

template <class T>
std::int64_t padded(std::int64_t elements) {
  constexpr std::int64_t per_block = 32 / sizeof(T);
  return (elements + per_block - 1) / per_block * per_block;
}

class Softmax {
 public:
  Softmax(GM_ADDR x, GM_ADDR y, const Tiling& tiling, std::int64_t mutant) : t_(tiling), mutant_(mutant) {
    // Half rows and float rows share a pitch, so that whole tiles convert in one call.
    pitch_ = padded<half>(t_.columns);
    const std::int64_t wide_bytes = t_.tile_rows * pitch_ * 4;
    const std::int64_t depth = is(1) ? 1 : 2;
    pipe_.InitBuffer(in_, depth, t_.tile_rows * pitch_ * (is(2) ? 1 : 2));
    pipe_.InitBuffer(out_, 2, t_.tile_rows * pitch_ * 2);
    pipe_.InitBuffer(wide_, wide_bytes);
    pipe_.InitBuffer(spread_, wide_bytes);
    pipe_.InitBuffer(row_, padded<float>(t_.tile_rows) * 4);
    // Reductions of a row take up to 256 bytes each, sums up to half a row each.
    const std::int64_t half_row_bytes = t_.tile_rows * pitch_ * 4;
    pipe_.InitBuffer(tmp_, is(3) ? 32 : half_row_bytes + 8192);
    gm_x_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), static_cast<std::uint64_t>(t_.rows * t_.columns));
    gm_y_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y), static_cast<std::uint64_t>(t_.rows * t_.columns));
  }

  void run() {
    const std::int64_t begin = GetBlockIdx() * t_.rows_per_core;
    const std::int64_t end = std::min(t_.rows, begin + t_.rows_per_core + (is(4) ? 1 : 0));
    for (std::int64_t row = begin; row < end; row += t_.tile_rows) {
      const std::int64_t rows = is(5) ? t_.tile_rows : std::min(t_.tile_rows, end - row);
      load(row, rows);
      compute(rows);
      store(row, rows);
    }
  }

 private:
  bool is(std::int64_t mutant) const { return mutant_ == mutant; }

  void load(std::int64_t row, std::int64_t rows) {
    LocalTensor<half> tile = in_.AllocTensor<half>();
    const std::int64_t right = pitch_ - t_.columns;
    const DataCopyExtParams copy(rows, is(7) ? t_.columns : t_.columns * 2, is(6) ? 2 : 0, 0, 0);
    const DataCopyPadExtParams<half> pad(!is(17), 0, is(17) ? 0 : right, half(0.0f));
    DataCopyPad(tile, gm_x_[row * t_.columns], copy, pad);
    if (!is(8)) in_.EnQue(tile);
    loaded_ = tile;
  }

  void compute(std::int64_t rows) {
    LocalTensor<half> tile = is(8) ? loaded_ : in_.DeQue<half>();
    LocalTensor<float> wide = wide_.Get<float>();
    LocalTensor<float> spread = spread_.Get<float>();
    LocalTensor<float> row = row_.Get<float>();
    LocalTensor<std::uint8_t> tmp = tmp_.Get<std::uint8_t>();
    const std::int64_t count = rows * pitch_;
    const std::uint32_t shape[] = {static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(is(9) || is(17) ? pitch_ : t_.columns)};
    const std::uint32_t column[] = {static_cast<std::uint32_t>(rows), 1};
    const std::uint32_t matrix[] = {static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(pitch_)};

    // The previous tile may still be read from the buffers that this one overwrites.
    PipeBarrier<PIPE_V>();
    Cast(wide, tile, RoundMode::CAST_NONE, count);
    in_.FreeTensor(tile);
    if (!is(10)) PipeBarrier<PIPE_V>();
    reduce_rows(true, row, wide, tmp, shape);
    PipeBarrier<PIPE_V>();
    Broadcast<float, 2, 1>(spread, row, matrix, column, tmp);
    if (!is(11)) PipeBarrier<PIPE_V>();
    Sub(wide, wide, spread, count);
    PipeBarrier<PIPE_V>();
    Exp(wide, wide, is(12) ? count - pitch_ : count);
    PipeBarrier<PIPE_V>();
    reduce_rows(false, row, wide, tmp, shape);
    PipeBarrier<PIPE_V>();
    Broadcast<float, 2, 1>(spread, row, matrix, column, tmp);
    PipeBarrier<PIPE_V>();
    Div(wide, wide, spread, count);
    PipeBarrier<PIPE_V>();
    LocalTensor<half> result = out_.AllocTensor<half>();
    Cast(result, wide, RoundMode::CAST_RINT, count);
    out_.EnQue(result);
  }

  // Float rows have the pitch of half rows, which may be one block longer than their own padding: such rows are reduced one by one.
  void reduce_rows(bool largest, const LocalTensor<float>& row, const LocalTensor<float>& wide, const LocalTensor<std::uint8_t>& tmp,
                   const std::uint32_t shape[2]) {
    if (padded<float>(shape[1]) == pitch_) {
      if (largest) {
        ReduceMax<float, Pattern::Reduce::AR>(row, wide, tmp, shape, true);
      } else {
        ReduceSum<float, Pattern::Reduce::AR>(row, wide, tmp, shape, true);
      }
      return;
    }
    const LocalTensor<float> scratch = tmp.ReinterpretCast<float>();
    for (std::uint32_t r = 0; r < shape[0]; ++r) {
      const LocalTensor<float> one = scratch[256];
      if (largest) {
        ReduceMax(one, wide[r * pitch_], scratch, shape[1]);
      } else {
        ReduceSum(one, wide[r * pitch_], scratch, shape[1]);
      }
      SetFlag<HardEvent::V_S>(EVENT_ID0);
      WaitFlag<HardEvent::V_S>(EVENT_ID0);
      row.SetValue(r, one.GetValue(0));
    }
    SetFlag<HardEvent::S_V>(EVENT_ID0);
    WaitFlag<HardEvent::S_V>(EVENT_ID0);
  }

  void store(std::int64_t row, std::int64_t rows) {
    LocalTensor<half> result = out_.DeQue<half>();
    const DataCopyExtParams copy(rows, (is(13) ? pitch_ : t_.columns) * 2, is(14) ? 1 : 0, 0, 0);
    DataCopyPad(gm_y_[(is(15) ? row + 1 : row) * t_.columns], result, copy);
    if (!is(16)) out_.FreeTensor(result);
  }

  Tiling t_;
  std::int64_t mutant_;
  std::int64_t pitch_;
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> wide_;
  TBuf<TPosition::VECCALC> spread_;
  TBuf<TPosition::VECCALC> row_;
  TBuf<TPosition::VECCALC> tmp_;
  GlobalTensor<half> gm_x_;
  GlobalTensor<half> gm_y_;
  LocalTensor<half> loaded_;
};

}  // namespace

CASE(softmax) {
  const std::int64_t rows = bench.number("rows");
  const std::int64_t columns = bench.number("columns");
  const std::int64_t cores = bench.number("block_dim", 1);
  const Tiling tiling{rows, columns, (rows + cores - 1) / cores, bench.number("tile_rows")};
  GM_ADDR x = bench.in("x");
  GM_ADDR y = bench.out("y", rows * columns * 2);
  bench.run([&] { Softmax(x, y, tiling, bench.number("mutant")).run(); });
}

// Softmax of a float matrix, for its running time.
CASE(speed) {
  const std::int64_t rows = bench.number("rows");
  const std::int64_t columns = bench.number("columns");
  const std::int64_t tile = bench.number("tile_rows");
  GM_ADDR x = bench.in("x");
  GM_ADDR y = bench.out("y", rows * columns * 4);
  bench.run([&] {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> spread_buffer;
    TBuf<TPosition::VECCALC> row_buffer;
    TBuf<TPosition::VECCALC> tmp_buffer;
    pipe.InitBuffer(in, 2, tile * columns * 4);
    pipe.InitBuffer(out, 2, tile * columns * 4);
    pipe.InitBuffer(spread_buffer, tile * columns * 4);
    pipe.InitBuffer(row_buffer, padded<float>(tile) * 4);
    pipe.InitBuffer(tmp_buffer, tile * columns * 2);
    LocalTensor<float> spread = spread_buffer.Get<float>();
    LocalTensor<float> row = row_buffer.Get<float>();
    LocalTensor<std::uint8_t> tmp = tmp_buffer.Get<std::uint8_t>();
    const std::uint32_t matrix[] = {static_cast<std::uint32_t>(tile), static_cast<std::uint32_t>(columns)};
    const std::uint32_t column[] = {static_cast<std::uint32_t>(tile), 1};
    GlobalTensor<float> gm_x;
    GlobalTensor<float> gm_y;
    gm_x.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
    gm_y.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
    for (std::int64_t r = 0; r < rows; r += tile) {
      LocalTensor<float> a = in.AllocTensor<float>();
      DataCopyPad(a, gm_x[r * columns], DataCopyExtParams(1, tile * columns * 4, 0, 0, 0), DataCopyPadExtParams<float>());
      in.EnQue(a);
      a = in.DeQue<float>();
      LocalTensor<float> b = out.AllocTensor<float>();
      ReduceMax<float, Pattern::Reduce::AR>(row, a, tmp, matrix, true);
      PipeBarrier<PIPE_V>();
      Broadcast<float, 2, 1>(spread, row, matrix, column, tmp);
      PipeBarrier<PIPE_V>();
      Sub(b, a, spread, tile * columns);
      in.FreeTensor(a);
      PipeBarrier<PIPE_V>();
      Exp(b, b, tile * columns);
      PipeBarrier<PIPE_V>();
      ReduceSum<float, Pattern::Reduce::AR>(row, b, tmp, matrix, true);
      PipeBarrier<PIPE_V>();
      Broadcast<float, 2, 1>(spread, row, matrix, column, tmp);
      PipeBarrier<PIPE_V>();
      Div(b, b, spread, tile * columns);
      out.EnQue(b);
      b = out.DeQue<float>();
      DataCopyPad(gm_y[r * columns], b, DataCopyExtParams(1, tile * columns * 4, 0, 0, 0));
      out.FreeTensor(b);
      PipeBarrier<PIPE_V>();
    }
  });
}
