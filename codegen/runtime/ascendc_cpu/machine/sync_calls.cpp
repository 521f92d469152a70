#include "sync_calls.h"

#include <cstring>

#include "core.h"
#include "gm_access.h"
#include "rendezvous.h"

namespace ascendc_cpu {

namespace {

using AscendC::HardEvent;
using AscendC::MaskMode;

constexpr std::int64_t kSyncSlotBytes = 32;  // per core, in GM and in UB (facts §4: workspace form of SyncAll)

void check_id(const Core& core, HardEvent kind, std::int64_t id) {
  if (!core.events.in_range(static_cast<int>(id))) {
    core.fail(Fault::EVENT, say("event id of ", name_of(kind)), say("0 to ", core.events.ids() - 1), say(id));
  }
}

int free_id(const Core& core, HardEvent kind) {
  const int id = core.events.lowest_free(kind);
  if (id < 0)
    core.fail(Fault::EVENT, say("no event id of kind ", name_of(kind), " is left"), say("at most ", core.events.ids(), " held at once"),
              "all held");
  return id;
}

Pipe pipe_of(pipe_t pipe) {
  return pipe == PIPE_V ? Pipe::V : pipe == PIPE_MTE2 ? Pipe::MTE2 : Pipe::MTE3;
}

// The slot of this core counts its meetings; a host must have zeroed it.
void advance_slot(Core& core, const GmRef& workspace, std::int64_t cores) {
  GmBuffer* buffer = static_cast<GmBuffer*>(workspace.buffer);
  if (buffer == nullptr) core.fail(Fault::GM_BOUNDS, "the GM workspace", "a GlobalTensor with SetGlobalBuffer", "none");
  const std::int64_t offset = workspace.address - buffer->data();
  const std::int64_t need = cores * kSyncSlotBytes;
  if (offset + need > buffer->bytes()) {
    core.fail(Fault::GM_BOUNDS, say("GM workspace '", buffer->name(), "' for ", cores, " cores"), say(need, " B, 32 for each core"),
              say(buffer->bytes() - offset, " B"));
  }
  const std::int64_t slot = offset + core.index * kSyncSlotBytes;
  std::int32_t met = 0;
  std::memcpy(&met, buffer->data() + slot, sizeof(met));
  const std::uint8_t* taint = buffer->taint(slot);
  if ((taint != nullptr && any_bit(taint, sizeof(met))) || met != core.rendezvous.meetings(core.index, buffer->data() + offset)) {
    core.fail(Fault::SYNC, say("GM workspace '", buffer->name(), "' of core ", core.index),
              "zero before the kernel, and nobody else's data", say(met));
  }
  ++met;
  std::memcpy(buffer->data() + slot, &met, sizeof(met));
  core.rendezvous.count_meeting(core.index, buffer->data() + offset);
}

void meet(Core& core, const void* workspace) {
  if (core.count > core.chip.vector_cores) {
    core.fail(Fault::SYNC, "cores that must run at once", say("at most ", core.chip.vector_cores, " vector cores of ", core.chip.name),
              say(core.count));
  }
  check_clean_cache(core);
  core.hazards.barrier_all();
  const std::string problem = core.rendezvous.arrive(core.index, workspace);
  if (!problem.empty()) core.fail(Fault::SYNC, "not all cores meet", say("the same SyncAll on all ", core.count, " cores"), problem);
  core.hazards.barrier_all();
}

}  // namespace

void set_flag(HardEvent kind, std::int64_t id, Site site) {
  Core& core = Core::current();
  core.enter("SetFlag", site, Unit::SYNC);
  check_id(core, kind, id);
  if (core.events.pending(kind, static_cast<int>(id))) {
    core.fail(Fault::EVENT, say("flag ", name_of(kind), " id ", id, " is set twice"), "a WaitFlag between two SetFlags",
              say("already set at line ", core.events.set_site(kind, static_cast<int>(id)).line));
  }
  core.events.set(kind, static_cast<int>(id), core.hazards.flag(source_of(kind)), site);
}

void wait_flag(HardEvent kind, std::int64_t id, Site site) {
  Core& core = Core::current();
  core.enter("WaitFlag", site, Unit::SYNC);
  check_id(core, kind, id);
  if (!core.events.pending(kind, static_cast<int>(id))) {
    core.fail(Fault::EVENT, say("flag ", name_of(kind), " id ", id, " is waited for but not set"), "SetFlag before WaitFlag",
              "no SetFlag: the core hangs");
  }
  core.hazards.wait(target_of(kind), core.events.take(kind, static_cast<int>(id)));
}

int alloc_event_id(HardEvent kind, Site site) {
  Core& core = Core::current();
  core.enter("AllocEventID", site, Unit::SYNC);
  const int id = free_id(core, kind);
  core.events.hold(kind, id);
  return id;
}

int fetch_event_id(HardEvent kind, Site site) {
  Core& core = Core::current();
  core.enter("FetchEventID", site, Unit::SYNC);
  return free_id(core, kind);
}

void release_event_id(HardEvent kind, std::int64_t id, Site site) {
  Core& core = Core::current();
  core.enter("ReleaseEventID", site, Unit::SYNC);
  check_id(core, kind, id);
  if (!core.events.held(kind, static_cast<int>(id))) {
    core.fail(Fault::EVENT, say("event id ", id, " of ", name_of(kind)), "an id from AllocEventID", "one that nobody holds");
  }
  core.events.release(kind, static_cast<int>(id));
}

void pipe_barrier(pipe_t pipe, Site site) {
  Core& core = Core::current();
  core.enter("PipeBarrier", site, Unit::SYNC);
  if (pipe == PIPE_ALL) {
    core.hazards.barrier_all();
  } else {
    core.hazards.barrier(pipe_of(pipe));
  }
}

void sync_all(Site site) {
  Core& core = Core::current();
  core.enter("SyncAll", site, Unit::SYNC);
  meet(core, nullptr);
}

void sync_all_soft(const GmRef& workspace, const TensorRef& ub_workspace, std::int64_t used_cores, Site site) {
  Core& core = Core::current();
  core.enter("SyncAll", site, Unit::SYNC);
  const std::int64_t cores = core.count;
  // A meeting of some of the cores orders nothing for the others, so a kernel that relies on it is hard to get right: refused.
  if (used_cores != 0 && used_cores != cores) core.fail(Fault::ARGUMENT, "usedCores", say("0 or ", cores, ", all cores"), say(used_cores));
  core.check_operand(ub_workspace, "the UB workspace", cores * kSyncSlotBytes);
  core.hazards.barrier_all();
  core.spoil(ub_workspace.offset, static_cast<std::uint32_t>(cores * kSyncSlotBytes));
  advance_slot(core, workspace, cores);
  meet(core, workspace.address);
}

std::int64_t block_idx() {
  return Core::current().index;
}
std::int64_t block_num() {
  return Core::current().count;
}
std::int64_t tiling_key() {
  return Core::current().tiling_key;
}

void set_mask_mode(MaskMode mode, Site site) {
  Core& core = Core::current();
  core.enter(mode == MaskMode::NORMAL ? "SetMaskNorm" : "SetMaskCount", site, Unit::S);
  core.mask.mode = mode;
}

void set_vector_mask(MaskMode mode, std::uint64_t high, std::uint64_t low, Site site) {
  Core& core = Core::current();
  core.enter("SetVectorMask", site, Unit::S);
  if (mode != core.mask.mode) {
    core.fail(Fault::ARGUMENT, "mode of the mask", "SetMaskNorm for NORMAL, SetMaskCount for COUNTER", "the other mode");
  }
  core.mask.counter_value = mode == MaskMode::COUNTER;
  core.mask.high = high;
  core.mask.low = low;
}

void reset_mask(Site site) {
  Core& core = Core::current();
  core.enter("ResetMask", site, Unit::S);
  core.mask.counter_value = false;
  core.mask.high = core.mask.low = ~0ull;
}

void set_deq_scale(float scale, Site site) {
  Core& core = Core::current();
  core.enter("SetDeqScale", site, Unit::S);
  core.deq_scale_set = true;
  core.deq_scale = scale;
}

void set_pad_value(const Scalar& value, Site site) {
  Core& core = Core::current();
  core.enter("SetPadValue", site, Unit::S);
  core.pad_value_set = true;
  core.pad_value = value.bits;
}

}  // namespace ascendc_cpu
