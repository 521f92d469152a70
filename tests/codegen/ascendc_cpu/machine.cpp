// Kernels that use pipes, queues, flags and memory rightly or wrongly. The name of a case says what it does; the test, what must happen.
#include "harness.h"

#include "ascendc_cpu/machine/core.h"

using namespace AscendC;
using harness::Bench;
using harness::Stage;

namespace {

using InQueue = TQue<TPosition::VECIN, 1>;
using OutQueue = TQue<TPosition::VECOUT, 1>;

constexpr std::int64_t kN = 64;

GlobalTensor<float> global(GM_ADDR gm, std::uint64_t n = kN) {
  GlobalTensor<float> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(gm), n);
  return tensor;
}

// Flags by hand, with ids that nobody reserves.
template <HardEvent event>
void cross() {
  SetFlag<event>(EVENT_ID0);
  WaitFlag<event>(EVENT_ID0);
}

}  // namespace

// ---- TPipe and InitBuffer

CASE(init_buffer) {
  bench.run([&] {
    TPipe pipe;
    InQueue in;
    OutQueue out;
    TBuf<TPosition::VECCALC> calc;
    if (bench.number("in_num", -1) >= 0) pipe.InitBuffer(in, bench.number("in_num"), bench.number("len", 64));
    if (bench.number("out_num", -1) >= 0) pipe.InitBuffer(out, bench.number("out_num"), bench.number("len", 64));
    if (bench.number("calc", -1) >= 0) pipe.InitBuffer(calc, bench.number("calc"));
    if (bench.number("twice") != 0) pipe.InitBuffer(calc, 64);
  });
}

CASE(many_tbufs) {
  bench.run([&] {
    TPipe pipe;
    std::vector<TBuf<TPosition::VECCALC>> buffers(static_cast<std::size_t>(bench.number("buffers")));
    for (TBuf<TPosition::VECCALC>& buffer : buffers) pipe.InitBuffer(buffer, 32);
  });
}

CASE(two_pipes) {
  bench.run([&] {
    TPipe first;
    if (bench.number("destroy") != 0) first.Destroy();
    TPipe second;
  });
}

CASE(pipe_reset) {
  bench.run([&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 4096);
    LocalTensor<float> old = buffer.Get<float>();
    pipe.Reset();
    TBuf<TPosition::VECCALC> other;
    pipe.InitBuffer(other, 2048);
    Duplicate(bench.number("use_old") != 0 ? old : other.Get<float>(), 1.0f, 64);
  });
}

// A kernel of two phases, each with a pipe of its own; the second may keep a tensor or a queue of the first.
CASE(pipe_after_pipe) {
  bench.run([&] {
    InQueue queue;
    LocalTensor<float> kept;
    {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 256);
      pipe.InitBuffer(queue, 1, 256);
      kept = buffer.Get<float>();
      Duplicate(kept, 1.0f, 64);
    }
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    if (bench.number("use_tensor") != 0) Duplicate(kept, 1.0f, 64);
    if (bench.number("use_queue") != 0) queue.AllocTensor<float>();
    Duplicate(buffer.Get<float>(), 1.0f, 64);
  });
}

CASE(tbuf_get) {
  bench.run([&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    if (bench.number("init", 1) != 0) pipe.InitBuffer(buffer, 100);
    LocalTensor<float> tensor = bench.number("offset", -1) >= 0
                                    ? buffer.GetWithOffset<float>(static_cast<std::uint32_t>(bench.number("elements")),
                                                                  static_cast<std::uint32_t>(bench.number("offset")))
                                    : buffer.Get<float>(static_cast<std::uint32_t>(bench.number("elements")));
    if (bench.number("size") != 0) tensor.SetSize(static_cast<std::uint32_t>(bench.number("size")));
    Duplicate(tensor, 1.0f, bench.number("count", 1));
  });
}

// ---- queues

// A tile through both queues, with one mistake by number.
CASE(queues) {
  GM_ADDR x = bench.in("x");
  GM_ADDR y = bench.out("y", kN * 4);
  const std::string mistake = bench.text("mistake");
  bench.run([&] {
    TPipe pipe;
    InQueue in;
    InQueue other;
    OutQueue out;
    TBuf<TPosition::VECCALC> calc;
    pipe.InitBuffer(in, 1, kN * 4);
    pipe.InitBuffer(other, 1, kN * 4);
    pipe.InitBuffer(out, 1, kN * 4);
    pipe.InitBuffer(calc, kN * 4);
    LocalTensor<float> a = in.AllocTensor<float>();
    if (mistake == "alloc_without_free") in.AllocTensor<float>();
    if (mistake == "deque_empty") in.DeQue<float>();
    DataCopy(a, global(x), kN);
    if (mistake == "enque_foreign") in.EnQue(calc.Get<float>());
    if (mistake == "enque_other_queue") other.EnQue(a);
    if (mistake == "enque_slice") in.EnQue(a[8]);
    if (mistake != "no_enque") in.EnQue(a);
    if (mistake == "enque_twice") in.EnQue(a);
    if (mistake == "use_while_enqueued") Abs(a, a, kN);
    if (mistake == "free_while_enqueued") in.FreeTensor(a);
    if (mistake == "leave_enqueued") return;
    LocalTensor<float> b = mistake == "no_enque" ? a : in.DeQue<float>();
    LocalTensor<float> c = out.AllocTensor<float>();
    if (mistake == "leave_allocated") return;
    Exp(c, b, kN);
    in.FreeTensor(b);
    if (mistake == "free_twice") in.FreeTensor(b);
    if (mistake == "use_after_free") Exp(c, b, kN);
    if (mistake == "no_out_queue") {
      DataCopy(global(y), c, kN);
    }
    out.EnQue(c);
    c = out.DeQue<float>();
    DataCopy(global(y), c, kN);
    out.FreeTensor(c);
    if (mistake == "old_handle") {
      LocalTensor<float> again = out.AllocTensor<float>();
      Exp(c, again, kN);
    }
  });
}

CASE(queue_depth) {
  bench.run([&] {
    TPipe pipe;
    TQue<TPosition::VECOUT, 2> queue;
    pipe.InitBuffer(queue, 3, 64);
    for (std::int64_t i = 0; i < bench.number("enqueued"); ++i) {
      LocalTensor<float> tensor = queue.AllocTensor<float>();
      queue.EnQue(tensor);
    }
    for (std::int64_t i = 0; i < bench.number("enqueued"); ++i) {
      LocalTensor<float> tensor = queue.DeQue<float>();
      queue.FreeTensor(tensor);
    }
  });
}

CASE(queue_without_buffers) {
  bench.run([&] {
    TPipe pipe;
    InQueue queue;
    queue.AllocTensor<float>();
  });
}

// Nine freed buffers of one position hold nine event ids: one too many.
CASE(nine_freed_buffers) {
  bench.run([&] {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    pipe.InitBuffer(queue, bench.number("buffers"), 64);
    for (std::int64_t i = 0; i < bench.number("buffers"); ++i) {
      LocalTensor<float> tensor = queue.AllocTensor<float>();
      queue.FreeTensor(tensor);
    }
  });
}

CASE(queue_state) {
  GM_ADDR y = bench.out("y", 6 * 4);
  bench.run([&] {
    TPipe pipe;
    InQueue queue;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(queue, 2, 64);
    pipe.InitBuffer(buffer, 64);
    LocalTensor<std::int32_t> seen = buffer.Get<std::int32_t>();
    LocalTensor<float> a = queue.AllocTensor<float>();
    seen.SetValue(0, queue.VacantInQue());
    seen.SetValue(1, queue.HasTensorInQue());
    queue.EnQue(a);
    seen.SetValue(2, queue.VacantInQue());
    seen.SetValue(3, queue.GetTensorCountInQue());
    a = queue.DeQue<float>();
    LocalTensor<float> b = queue.AllocTensor<float>();
    seen.SetValue(4, queue.HasIdleBuffer());
    queue.FreeTensor(a);
    seen.SetValue(5, queue.HasIdleBuffer());
    queue.FreeTensor(b);
    cross<HardEvent::S_MTE3>();
    GlobalTensor<std::int32_t> out;
    out.SetGlobalBuffer(reinterpret_cast<__gm__ std::int32_t*>(y));
    DataCopyPad(out, seen, DataCopyExtParams(1, 24, 0, 0, 0));
  });
}

// A queue that data only passes through, from GM to GM.
CASE(pass_through) {
  GM_ADDR x = bench.in("x");
  GM_ADDR y = bench.out("y", 3 * kN * 4);
  bench.run([&] {
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 2, kN * 4);
    for (int i = 0; i < 3; ++i) {
      LocalTensor<float> tensor = queue.AllocTensor<float>();
      DataCopy(tensor, global(x, 3 * kN)[i * kN], kN);
      queue.EnQue(tensor);
      tensor = queue.DeQue<float>();
      DataCopy(global(y, 3 * kN)[i * kN], tensor, kN);
      queue.FreeTensor(tensor);
    }
  });
}

// A flag set by hand with an id that a queue also uses.
CASE(queue_and_hand_flags) {
  GM_ADDR x = bench.in("x");
  bench.run([&] {
    TPipe pipe;
    InQueue in;
    pipe.InitBuffer(in, 1, kN * 4);
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopy(a, global(x), kN);
    if (bench.number("set_first") != 0) SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    in.EnQue(a);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    a = in.DeQue<float>();
    in.FreeTensor(a);
  });
}

// ---- flags

CASE(flags) {
  const std::string mistake = bench.text("mistake");
  bench.run([&] {
    TPipe pipe;
    if (mistake == "wait_without_set") WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    if (mistake == "set_twice") {
      SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
      SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
    }
    if (mistake == "wait_other_id") {
      SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
      WaitFlag<HardEvent::MTE2_V>(EVENT_ID2);
    }
    if (mistake == "wait_other_kind") {
      SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
      WaitFlag<HardEvent::MTE2_S>(EVENT_ID1);
    }
    if (mistake == "leave_set") SetFlag<HardEvent::V_S>(EVENT_ID3);
    if (mistake == "id_8") SetFlag<HardEvent::V_S>(8);
    if (mistake == "nine_ids") {
      for (int i = 0; i < 9; ++i) pipe.AllocEventID<HardEvent::V_S>();
    }
    if (mistake == "leave_id") pipe.AllocEventID<HardEvent::V_S>();
    if (mistake == "release_free_id") pipe.ReleaseEventID<HardEvent::V_S>(TEventID(2));
    if (mistake == "reduce_without_ids") {
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 1024);
      LocalTensor<float> tensor = buffer.Get<float>();
      Duplicate(tensor, 1.0f, 64);
      for (int i = 0; i < 8; ++i) pipe.AllocEventID<HardEvent::S_MTE3>();
      PipeBarrier<PIPE_V>();
      ReduceSum(tensor[64], tensor, tensor[128], 64);
    }
    if (mistake.empty()) {
      const TEventID id = pipe.AllocEventID<HardEvent::V_S>();
      SetFlag<HardEvent::V_S>(id);
      WaitFlag<HardEvent::V_S>(id);
      pipe.ReleaseEventID<HardEvent::V_S>(id);
    }
  });
}

// ---- ordering inside a core: load, compute twice, store, with one link cut

CASE(order) {
  GM_ADDR x = bench.in("x");
  GM_ADDR y = bench.out("y", kN * 4);
  const std::string cut = bench.text("cut");
  bench.run([&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 3 * kN * 4);
    LocalTensor<float> a = buffer.GetWithOffset<float>(kN, 0);
    LocalTensor<float> b = buffer.GetWithOffset<float>(kN, kN * 4);
    DataCopy(a, global(x), kN);
    if (cut == "load_again") DataCopy(a, global(x), kN);
    if (cut != "MTE2_V") cross<HardEvent::MTE2_V>();
    Muls(b, a, 2.0f, kN);
    if (cut == "write_after_read") Duplicate(a, 0.0f, kN);
    if (cut == "wrong_pipe_barrier") PipeBarrier<PIPE_MTE3>();
    if (cut != "V" && cut != "wrong_pipe_barrier") PipeBarrier<PIPE_V>();
    Adds(b, b, 1.0f, kN);
    if (cut == "overwrite_source") {
      DataCopy(a, global(x), kN);
    }
    if (cut == "get_value") b.GetValue(0);
    if (cut == "set_value") {
      b.SetValue(0, 0.0f);
    }
    if (cut != "V_MTE3") cross<HardEvent::V_MTE3>();
    DataCopy(global(y), b, kN);
    if (cut == "store_again") DataCopy(global(y), b, kN);
    if (cut == "overwrite_stored") {
      PipeBarrier<PIPE_V>();
      Duplicate(b, 0.0f, kN);
    }
    if (cut == "load_stored") {
      DataCopy(buffer.GetWithOffset<float>(kN, 2 * kN * 4), global(y), kN);
    }
  });
}

// The same, but through the scalar pipe: V -> S -> MTE3 needs no flag of its own.
CASE(order_through_scalar) {
  GM_ADDR y = bench.out("y", kN * 4);
  bench.run([&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, kN * 4);
    LocalTensor<float> a = buffer.Get<float>();
    Duplicate(a, 3.0f, kN);
    cross<HardEvent::V_S>();
    const float first = a.GetValue(0);
    if (bench.number("write") != 0) a.SetValue(1, first + 1);
    if (bench.number("flag") != 0) cross<HardEvent::S_MTE3>();
    DataCopy(global(y), a, kN);
  });
}

CASE(barrier_all) {
  GM_ADDR x = bench.in("x");
  GM_ADDR y = bench.out("y", kN * 4);
  bench.run([&] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, kN * 4);
    LocalTensor<float> a = buffer.Get<float>();
    DataCopy(a, global(x), kN);
    PipeBarrier<PIPE_ALL>();
    Muls(a, a, 2.0f, kN);
    PipeBarrier<PIPE_ALL>();
    DataCopy(global(y), a, kN);
  });
}

// ---- scalar access and handles

CASE(scalar_access) {
  const std::string mistake = bench.text("mistake");
  bench.run([&] {
    Stage stage;
    LocalTensor<float> a = stage.fresh<float>(kN);
    if (mistake == "get_beyond") a.GetValue(kN);
    if (mistake == "get_before") a.GetValue(-1);
    if (mistake == "set_beyond") a.SetValue(kN, 0);
    if (mistake == "no_buffer") Abs(a, LocalTensor<float>(), 8);
    a.SetValue(kN - 1, 3);
    if (a.GetValue(kN - 1) != 3.0f) throw std::runtime_error("wrong value");
  });
}

CASE(old_tbuf) {
  bench.run([&] {
    TBuf<TPosition::VECCALC> buffer;
    {
      TPipe pipe;
      pipe.InitBuffer(buffer, 256);
    }
    TPipe pipe;
    buffer.Get<float>();
  });
}

CASE(outside_a_launch) {
  try {
    GetBlockIdx();
  } catch (const ascendc_cpu::KernelAbort& abort) {
    bench.run([&] { throw std::runtime_error(abort.failure.text()); });
  }
}

CASE(unaligned_gm) {
  GM_ADDR x = bench.in("x");
  bench.run([&] {
    Stage stage;
    LocalTensor<float> a = stage.fresh<float>(kN);
    DataCopyPad(a, global(x + 2, kN), DataCopyExtParams(1, 32, 0, 0, 0), DataCopyPadExtParams<float>());
  });
}

// ---- mask register

CASE(mask_register) {
  GM_ADDR x = bench.in("x");
  const std::string mistake = bench.text("mistake");
  bench.run([&] {
    Stage stage;
    LocalTensor<float> a = stage.load<float>(x, kN);
    const UnaryRepeatParams params;
    if (mistake == "count_in_normal_mode") SetVectorMask<float, MaskMode::COUNTER>(0, 8);
    if (mistake == "bits_in_counter_mode") {
      SetMaskCount();
      Abs<float, false>(a, a, MASK_PLACEHOLDER, 1, params);
    }
    if (mistake == "own_mask_in_counter_mode") {
      SetMaskCount();
      Abs(a, a, std::uint64_t(8), 1, params);
    }
    if (mistake == "copy_in_counter_mode") {
      SetMaskCount();
      SetVectorMask<float, MaskMode::COUNTER>(8);
      Copy<float, false>(a, a, MASK_PLACEHOLDER, 1, CopyRepeatParams());
    }
    // A call with a count of its own leaves the normal mode behind.
    SetMaskCount();
    Abs(a, a, 8);
  });
}

// ---- lanes that nobody wrote

CASE(taint) {
  GM_ADDR x = bench.in("x");
  GM_ADDR y = bench.out("y", kN * 4);
  const std::string sink = bench.text("sink");
  bench.run([&] {
    Stage stage;
    LocalTensor<float> a = stage.fresh<float>(kN);
    LocalTensor<float> part = stage.load<float>(x, 40);
    LocalTensor<float> b = stage.fresh<float>(kN);
    LocalTensor<float> tmp = stage.fresh<float>(kN);
    DataCopy(a, part, 40);
    PipeBarrier<PIPE_V>();
    // Lanes 40 to 63 of a are garbage, and stay so through any computation.
    Muls(b, a, 2.0f, kN);
    PipeBarrier<PIPE_V>();
    Add(b, b, a, kN);
    PipeBarrier<PIPE_V>();
    if (sink == "reduce") ReduceSum(tmp, b, tmp[8], kN);
    if (sink == "good_reduce") ReduceSum(tmp, b, tmp[8], 40);
    if (sink == "whole_reduce") WholeReduceSum(tmp, b, std::uint64_t(41), 1, 1, 1, 8);
    if (sink == "scalar") {
      stage.cross<HardEvent::V_S>();
      b.GetValue(40);
    }
    if (sink == "good_scalar") {
      stage.cross<HardEvent::V_S>();
      b.GetValue(39);
    }
    if (sink == "rewritten") {
      Duplicate(b[40], 7.0f, 24);
      stage.store(y, b, kN);
    }
    stage.store(y, b, sink == "gm" ? 41 : 8);
  });
}

// A fresh tensor of a queue holds nothing, even if an earlier one at the same place did.
CASE(stale_tensor) {
  GM_ADDR y = bench.out("y", kN * 4);
  bench.run([&] {
    TPipe pipe;
    OutQueue out;
    pipe.InitBuffer(out, 1, kN * 4);
    for (int i = 0; i < 2; ++i) {
      LocalTensor<float> a = out.AllocTensor<float>();
      if (i == 0) Duplicate(a, 1.0f, kN);
      out.EnQue(a);
      a = out.DeQue<float>();
      if (i == 1) PipeBarrier<PIPE_MTE3>();
      DataCopy(global(y), a, kN);
      out.FreeTensor(a);
    }
  });
}

// ---- overlapping operands

CASE(overlap) {
  GM_ADDR x = bench.in("x");
  bench.run([&] {
    Stage stage;
    LocalTensor<float> a = stage.load<float>(x, 512);
    const std::string kind = bench.text("kind");
    if (kind == "same") Abs(a, a, 256);
    if (kind == "shifted") Abs(a[8], a, 256);
    if (kind == "shifted_mask") Abs(a[8], a, std::uint64_t(64), 1, UnaryRepeatParams());
    if (kind == "next_iteration") Abs(a[64], a, std::uint64_t(64), 2, UnaryRepeatParams());
    if (kind == "earlier_iteration") Abs(a, a[64], std::uint64_t(64), 2, UnaryRepeatParams());
    if (kind == "short_rows_apart") Abs(a[32], a, std::uint64_t(32), 2, UnaryRepeatParams(1, 1, 8, 8));
    if (kind == "dense_rows") Abs(a, a, std::uint64_t(64), 2, UnaryRepeatParams(1, 1, 4, 4));
    if (kind == "same_mask") Abs(a, a, std::uint64_t(64), 2, UnaryRepeatParams(1, 1, 16, 16));
    if (kind == "unaligned") Abs(a[1], a[256], 8);
  });
}

// ---- places and counts in messages

CASE(runs) {
  GM_ADDR x = bench.in("x");
  bench.run([&] {
    Stage stage;
    LocalTensor<float> a = stage.load<float>(x, kN);
    for (int i = 0; i < 5; ++i) {
      Adds(a, a, 1.0f, i == 3 && GetBlockIdx() == bench.number("bad_core") ? 65 : 64);
      PipeBarrier<PIPE_V>();
    }
  });
}

CASE(foreign_exception) {
  bench.run([&] { throw std::runtime_error("boom"); });
}

CASE(tiling_key) {
  GM_ADDR y = bench.out("y", kN * 4);
  bench.run([&] {
    Stage stage;
    LocalTensor<float> a = stage.fresh<float>(kN);
    if (TILING_KEY_IS(1)) {
      Duplicate(a, 1.0f, kN);
    } else if (TILING_KEY_IS(2)) {
      Duplicate(a, 2.0f, kN);
    }
    stage.store(y, a, kN);
  });
}
