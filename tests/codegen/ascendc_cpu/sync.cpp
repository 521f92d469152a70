// Several cores: meetings, races, reductions through workspace.
#include "harness.h"

using namespace AscendC;
using harness::Bench;
using harness::Stage;

namespace {

// Each core sums its share of x into one slot of the workspace; after the meeting every core sums the slots and writes its slice of y.
void two_phases(GM_ADDR x, GM_ADDR y, GM_ADDR partials, GM_ADDR sync, std::int64_t share, const std::string& form) {
  const std::int64_t core = GetBlockIdx();
  const std::int64_t cores = GetBlockNum();
  GlobalTensor<float> in;
  GlobalTensor<float> out;
  GlobalTensor<float> slots;
  in.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
  out.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
  slots.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(partials));
  Stage stage;
  LocalTensor<float> data = stage.fresh<float>(share);
  LocalTensor<float> sum = stage.fresh<float>(8);
  LocalTensor<float> all = stage.fresh<float>(cores * 8);
  LocalTensor<std::int32_t> scratch = stage.fresh<std::int32_t>(cores * 8);

  DataCopy(data, in[core * share], share);
  stage.cross<HardEvent::MTE2_V>();
  ReduceSum(sum, data, data, share);
  stage.cross<HardEvent::V_MTE3>();
  DataCopyPad(slots[core * 8], sum, DataCopyExtParams(1, 4, 0, 0, 0));

  if (form == "hard") SyncAll();
  // Orders the core for itself, as SyncAll does too, but not the cores among each other.
  if (form == "none") PipeBarrier<PIPE_ALL>();
  if (form == "soft") {
    GlobalTensor<std::int32_t> flags;
    flags.SetGlobalBuffer(reinterpret_cast<__gm__ std::int32_t*>(sync));
    SyncAll(flags, scratch);
    SyncAll(flags, scratch);
  }

  // One float of each slot, each row padded with zeros to 32 bytes.
  DataCopyPad(all, slots, DataCopyExtParams(cores, 4, 28, 0, 0), DataCopyPadExtParams<float>(true, 0, 7, 0));
  stage.cross<HardEvent::MTE2_V>();
  ReduceSum(sum, all, all, cores * 8);
  stage.cross<HardEvent::V_MTE3>();
  DataCopyPad(out[core], sum, DataCopyExtParams(1, 4, 0, 0, 0));
}

}  // namespace

CASE(two_phases) {
  const std::int64_t cores = bench.number("block_dim", 1);
  GM_ADDR x = bench.in("x");
  GM_ADDR y = bench.out("y", cores * 4);
  GM_ADDR partials = bench.workspace("partials", cores * 32);
  GM_ADDR flags = bench.workspace("flags", bench.number("flag_bytes", cores * 32), bench.number("zeroed", 1) != 0);
  bench.run([&] { two_phases(x, y, partials, flags, bench.number("share"), bench.text("form")); });
}

CASE(meetings) {
  bench.run([&] {
    const std::int64_t core = GetBlockIdx();
    const std::string mistake = bench.text("mistake");
    Stage stage;
    if (mistake == "one_ends_early" && core == 2) return;
    SyncAll();
    if (mistake == "one_meets_twice" && core == 0) SyncAll();
    SyncAll();
  });
}

CASE(mixed_meetings) {
  GM_ADDR flags = bench.workspace("flags", 64, true);
  bench.run([&] {
    Stage stage;
    LocalTensor<std::int32_t> scratch = stage.fresh<std::int32_t>(16);
    GlobalTensor<std::int32_t> gm;
    gm.SetGlobalBuffer(reinterpret_cast<__gm__ std::int32_t*>(flags));
    if (GetBlockIdx() == 0) {
      SyncAll();
    } else {
      SyncAll(gm, scratch, static_cast<std::int32_t>(bench.number("used")));
    }
  });
}

// Two cores that touch the same bytes of the output.
CASE(races) {
  GM_ADDR y = bench.out("y", 64);
  bench.run([&] {
    const std::int64_t core = GetBlockIdx();
    const std::string kind = bench.text("kind");
    Stage stage;
    LocalTensor<float> data = stage.fresh<float>(8);
    GlobalTensor<float> out;
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), 16);
    Duplicate(data, static_cast<float>(core), 8);
    stage.cross<HardEvent::V_MTE3>();
    if (kind == "write_write") DataCopyPad(out[core * 4], data, DataCopyExtParams(1, 20, 0, 0, 0));
    if (kind == "apart") DataCopyPad(out[core * 5], data, DataCopyExtParams(1, 20, 0, 0, 0));
    if (kind == "write_read" || kind == "write_sync_read") {
      if (core == bench.number("writer")) DataCopyPad(out, data, DataCopyExtParams(1, 20, 0, 0, 0));
      if (kind == "write_sync_read") SyncAll();
      stage.cross<HardEvent::MTE3_MTE2>();
      if (core != bench.number("writer")) DataCopyPad(data, out, DataCopyExtParams(1, 4, 0, 0, 0), DataCopyPadExtParams<float>());
    }
    if (kind == "same_line") {
      // The cores' elements are apart, but the data cache writes whole lines of 64 bytes.
      out.SetValue(core * 4, 1.0f);
      DataCacheCleanAndInvalid<float>(out);
    }
  });
}

CASE(stale_line) {
  GM_ADDR y = bench.out("y", 64);
  bench.run([&] {
    Stage stage;
    LocalTensor<float> data = stage.fresh<float>(8);
    GlobalTensor<float> out;
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), 16);
    for (int round = 0; round < 2; ++round) {
      Duplicate(data, static_cast<float>(round + 1), 8);
      stage.cross<HardEvent::V_MTE3>();
      DataCopy(out, data, 8);
      stage.cross<HardEvent::MTE3_S>();
      if (bench.number("invalidate") != 0) DataCacheCleanAndInvalid<float>(out);
      out.GetValue(0);
    }
  });
}
