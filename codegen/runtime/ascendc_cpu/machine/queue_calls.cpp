// The life of a queue's buffer: AllocTensor, EnQue, DeQue, FreeTensor, and the flags they set and wait for.
#include "queue_calls.h"

#include "core.h"

namespace ascendc_cpu {

namespace {

using AscendC::HardEvent;

Queue& queue_of(Core& core, const QueueHandle& handle) {
  if (handle.index < 0) core.fail(Fault::QUEUE, "the queue has no buffers", "InitBuffer first", "none");
  if (handle.epoch != core.pipe_epoch || !core.pipe_live) {
    core.fail(Fault::QUEUE, "the queue belongs to a TPipe that has ended", "a queue of the live TPipe", "an old one");
  }
  return core.queues[static_cast<std::size_t>(handle.index)];
}

// A flag that the queue sets for itself.
int set_flag(Core& core, HardEvent kind, Site site) {
  const int id = core.events.lowest_free(kind);
  if (id < 0) {
    core.fail(Fault::EVENT, say("no event id of kind ", name_of(kind), " is left"), say("at most ", core.chip.event_ids, " held at once"),
              say(core.chip.event_ids, " held: fewer buffers of this position, or release ids"));
  }
  if (core.events.pending(kind, id)) {
    core.fail(Fault::EVENT, say("flag ", name_of(kind), " id ", id, " is set already, without its id being allocated"),
              "AllocEventID for hand-written flags", say("SetFlag at line ", core.events.set_site(kind, id).line));
  }
  core.events.hold(kind, id);
  core.events.set(kind, id, core.hazards.flag(source_of(kind)), site);
  return id;
}

void wait_flag(Core& core, HardEvent kind, int& id) {
  if (id < 0) return;
  if (!core.events.pending(kind, id)) {
    core.fail(Fault::EVENT, say("flag ", name_of(kind), " id ", id, " of the queue was waited for by someone else"),
              "its own WaitFlag only", "a flag that is not set");
  }
  core.hazards.wait(target_of(kind), core.events.take(kind, id));
  core.events.release(kind, id);
  id = -1;
}

// The buffer behind a tensor, which must be one of the queue's.
Buffer& own_buffer(Core& core, const Queue& queue, const TensorRef& tensor) {
  const bool own = tensor.buffer >= queue.first_buffer && tensor.buffer < queue.first_buffer + queue.buffers;
  if (!own)
    core.fail(Fault::QUEUE, "the tensor belongs to another queue or TBuf", "a tensor from AllocTensor or DeQue of this queue",
              "a foreign one");
  Buffer& buffer = core.buffers[static_cast<std::size_t>(tensor.buffer)];
  if (tensor.offset != buffer.offset) {
    core.fail(Fault::QUEUE, "the tensor is a slice", "the tensor that AllocTensor or DeQue returned",
              say(tensor.offset - buffer.offset, " B into it"));
  }
  return buffer;
}

TensorRef whole(const Core& core, int index, DType dtype) {
  const Buffer& buffer = core.buffers[static_cast<std::size_t>(index)];
  return {buffer.offset, buffer.bytes, dtype, index, buffer.generation};
}

}  // namespace

TensorRef alloc_tensor(const QueueHandle& handle, DType dtype, Site site) {
  Core& core = Core::current();
  core.enter("AllocTensor", site, Unit::QUEUE);
  Queue& queue = queue_of(core, handle);
  for (int tried = 0; tried < queue.buffers; ++tried) {
    const int index = queue.first_buffer + queue.cursor;
    queue.cursor = (queue.cursor + 1) % queue.buffers;
    Buffer& buffer = core.buffers[static_cast<std::size_t>(index)];
    if (buffer.state != BufferState::FREE) continue;
    wait_flag(core, queue.free_kind, buffer.event);
    buffer.state = BufferState::OCCUPIED;
    buffer.changed = site;
    ++buffer.generation;
    core.spoil(buffer.offset, buffer.bytes);
    return whole(core, index, dtype);
  }
  core.fail(Fault::QUEUE, "no buffer of the queue is free", say("FreeTensor before the next AllocTensor of ", queue.buffers, " buffers"),
            say(queue.buffers, " in use"));
}

void enque(const QueueHandle& handle, const TensorRef& tensor, Site site) {
  Core& core = Core::current();
  core.enter("EnQue", site, Unit::QUEUE);
  Queue& queue = queue_of(core, handle);
  Buffer& buffer = own_buffer(core, queue, tensor);
  core.check_alive(tensor, "the tensor");
  if (static_cast<int>(queue.enqueued.size()) >= queue.depth) {
    core.fail(Fault::QUEUE, "tensors enqueued at once", say("at most ", queue.depth, ", the depth of the queue"),
              say(queue.enqueued.size() + 1));
  }
  buffer.event = set_flag(core, queue.enque_kind, site);
  buffer.state = BufferState::ENQUEUED;
  buffer.changed = site;
  queue.enqueued.push_back(tensor.buffer);
}

TensorRef deque(const QueueHandle& handle, DType dtype, Site site) {
  Core& core = Core::current();
  core.enter("DeQue", site, Unit::QUEUE);
  Queue& queue = queue_of(core, handle);
  if (queue.enqueued.empty()) core.fail(Fault::QUEUE, "the queue is empty", "EnQue before DeQue", "no enqueued tensor");
  const int index = queue.enqueued.front();
  queue.enqueued.pop_front();
  Buffer& buffer = core.buffers[static_cast<std::size_t>(index)];
  wait_flag(core, queue.enque_kind, buffer.event);
  buffer.state = BufferState::OCCUPIED;
  buffer.changed = site;
  return whole(core, index, dtype);
}

void free_tensor(const QueueHandle& handle, const TensorRef& tensor, Site site) {
  Core& core = Core::current();
  core.enter("FreeTensor", site, Unit::QUEUE);
  Queue& queue = queue_of(core, handle);
  Buffer& buffer = own_buffer(core, queue, tensor);
  core.check_alive(tensor, "the tensor");
  buffer.event = set_flag(core, queue.free_kind, site);
  buffer.state = BufferState::FREE;
  buffer.changed = site;
}

int tensors_in_queue(const QueueHandle& handle, Site site) {
  Core& core = Core::current();
  core.enter("GetTensorCountInQue", site, Unit::NONE);
  return static_cast<int>(queue_of(core, handle).enqueued.size());
}

bool vacant_in_queue(const QueueHandle& handle, Site site) {
  Core& core = Core::current();
  core.enter("VacantInQue", site, Unit::NONE);
  const Queue& queue = queue_of(core, handle);
  return static_cast<int>(queue.enqueued.size()) < queue.depth;
}

bool has_idle_buffer(const QueueHandle& handle, Site site) {
  Core& core = Core::current();
  core.enter("HasIdleBuffer", site, Unit::NONE);
  const Queue& queue = queue_of(core, handle);
  for (int i = 0; i < queue.buffers; ++i) {
    if (core.buffers[static_cast<std::size_t>(queue.first_buffer + i)].state == BufferState::FREE) return true;
  }
  return false;
}

}  // namespace ascendc_cpu
