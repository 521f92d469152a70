// TPipe and InitBuffer: handing out UB.
#include "core.h"
#include "queue_calls.h"
#include "sync_calls.h"

namespace ascendc_cpu {

namespace {

using AscendC::HardEvent;
using AscendC::TPosition;

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

bool in_ub(TPosition position) {
  return position != TPosition::GM;
}

// Which flags order a queue (ascendc_api_facts §3): by where its data comes from and goes to.
HardEvent enque_kind(const QueueKind& kind) {
  if (!in_ub(kind.source)) return HardEvent::MTE2_V;
  return in_ub(kind.target) ? HardEvent::MTE2_MTE3 : HardEvent::V_MTE3;
}

HardEvent free_kind(const QueueKind& kind) {
  if (!in_ub(kind.source)) return HardEvent::V_MTE2;
  return in_ub(kind.target) ? HardEvent::MTE3_MTE2 : HardEvent::MTE3_V;
}

const char* name_of(TPosition position) {
  constexpr const char* names[] = {"GM", "VECIN", "VECOUT", "VECCALC"};
  return names[static_cast<int>(position)];
}

int buffers_at(const Core& core, TPosition position) {
  int total = 0;
  for (const Queue& queue : core.queues) total += queue.position == position ? queue.buffers : 0;
  return total;
}

void check_room(const Core& core, std::int64_t num, std::int64_t len_bytes) {
  if (!core.pipe_live) core.fail(Fault::QUEUE, "there is no TPipe", "a live TPipe", "none");
  if (num < 1 || num > core.chip.buffers_max) {
    core.fail(Fault::CAPACITY, "number of buffers", say("1 to ", core.chip.buffers_max), say(num));
  }
  if (len_bytes < 1) core.fail(Fault::CAPACITY, "buffer length", "at least 1 B", say(len_bytes, " B"));
  const std::int64_t buffers = static_cast<std::int64_t>(core.buffers.size()) + num;
  if (buffers > core.chip.buffers_max) {
    core.fail(Fault::CAPACITY, "buffers of all queues and TBufs", say("at most ", core.chip.buffers_max), say(buffers));
  }
  const std::int64_t usable = static_cast<std::int64_t>(core.chip.ub_bytes) - core.chip.ub_reserved_bytes;
  const std::int64_t top = core.ub_top + num * round_up(len_bytes, kBlockBytes);
  if (top > usable) {
    core.fail(Fault::CAPACITY, say("UB after ", core.ub_top, " B in use and ", num, " x ", round_up(len_bytes, kBlockBytes), " B more"),
              say("at most ", usable, " B"), say(top, " B"));
  }
}

void add_buffers(Core& core, int queue, BufferState state, std::int64_t num, std::int64_t len_bytes, Site site) {
  for (std::int64_t i = 0; i < num; ++i) {
    Buffer buffer;
    buffer.offset = core.ub_top;
    buffer.bytes = static_cast<std::uint32_t>(round_up(len_bytes, kBlockBytes));
    buffer.site = site;
    buffer.queue = queue;
    buffer.state = state;
    // Handles of an earlier TPipe's buffer with the same index must not pass for this one's.
    buffer.generation = static_cast<std::uint64_t>(core.pipe_epoch) << 40;
    core.ub_top += buffer.bytes;
    core.buffers.push_back(buffer);
  }
  core.ub_peak = core.ub_top > core.ub_peak ? core.ub_top : core.ub_peak;
}

void check_unused(const Core& core, const QueueHandle& handle) {
  if (handle.index >= 0 && handle.epoch == core.pipe_epoch) {
    core.fail(Fault::QUEUE, "InitBuffer on an object that already has buffers", "one InitBuffer for each TQue or TBuf", "a second one");
  }
}

void check_returned(const Core& core) {
  for (const Buffer& buffer : core.buffers) {
    if (buffer.state == BufferState::ENQUEUED) {
      core.fail(Fault::LEFTOVER, say("a tensor of the queue initialised at line ", buffer.site.line, " is still enqueued"),
                "DeQue and FreeTensor", say("EnQue at line ", buffer.changed.line, " without DeQue"));
    }
    if (buffer.state == BufferState::OCCUPIED) {
      core.fail(Fault::LEFTOVER, say("a tensor of the queue initialised at line ", buffer.site.line, " was never freed"), "FreeTensor",
                say("a buffer in use since line ", buffer.changed.line));
    }
  }
}

// Waits for every queue's flags, and for all pipes: what the real destructor does.
void drain(Core& core) {
  check_returned(core);
  for (Buffer& buffer : core.buffers) {
    if (buffer.event < 0) continue;
    const HardEvent kind = core.queues[static_cast<std::size_t>(buffer.queue)].free_kind;
    core.hazards.wait(target_of(kind), core.events.take(kind, buffer.event));
    core.events.release(kind, buffer.event);
  }
  core.hazards.barrier_all();
  core.buffers.clear();
  core.queues.clear();
  core.ub_top = 0;
  core.spoil(0, core.chip.ub_bytes);
}

}  // namespace

void pipe_open(Site site) {
  Core& core = Core::current();
  core.enter("TPipe", site, Unit::QUEUE);
  if (core.pipe_live) core.fail(Fault::QUEUE, "a second TPipe", "one live TPipe", "two");
  core.pipe_live = true;
  ++core.pipe_epoch;
}

void pipe_close(Site site) {
  Core& core = Core::current();
  if (!core.pipe_live) return;
  core.enter("~TPipe", site, Unit::QUEUE);
  core.pipe_live = false;
  drain(core);
}

void pipe_reset(Site site) {
  Core& core = Core::current();
  core.enter("TPipe::Reset", site, Unit::QUEUE);
  drain(core);
  ++core.pipe_epoch;
}

void init_queue(QueueHandle& handle, const QueueKind& kind, std::int64_t num, std::int64_t len_bytes, Site site) {
  Core& core = Core::current();
  core.enter("InitBuffer", site, Unit::QUEUE);
  check_unused(core, handle);
  check_room(core, num, len_bytes);
  const std::int64_t at_position = buffers_at(core, kind.position) + num;
  if (kind.position != TPosition::VECCALC && at_position > core.chip.buffers_per_position_max) {
    core.fail(Fault::CAPACITY, say("buffers of all ", name_of(kind.position), " queues: each holds an event id once freed"),
              say("at most ", core.chip.buffers_per_position_max), say(at_position));
  }
  Queue queue;
  queue.position = kind.position;
  queue.enque_kind = enque_kind(kind);
  queue.free_kind = free_kind(kind);
  queue.depth = kind.depth;
  queue.first_buffer = static_cast<int>(core.buffers.size());
  queue.buffers = static_cast<int>(num);
  handle = {static_cast<int>(core.queues.size()), core.pipe_epoch};
  core.queues.push_back(queue);
  add_buffers(core, handle.index, BufferState::FREE, num, len_bytes, site);
}

void init_tbuf(QueueHandle& handle, std::int64_t len_bytes, Site site) {
  Core& core = Core::current();
  core.enter("InitBuffer", site, Unit::QUEUE);
  check_unused(core, handle);
  check_room(core, 1, len_bytes);
  handle = {static_cast<int>(core.buffers.size()), core.pipe_epoch};
  add_buffers(core, -1, BufferState::TBUF, 1, len_bytes, site);
}

}  // namespace ascendc_cpu
