// Views of UB and scalar access to it.
#include <cstring>

#include "core.h"
#include "queue_calls.h"

namespace ascendc_cpu {

TensorRef tbuf_get(const QueueHandle& handle, DType dtype, std::int64_t elements, std::int64_t offset_bytes, const char* api, Site site) {
  Core& core = Core::current();
  core.enter(api, site, Unit::NONE);
  if (handle.index < 0) core.fail(Fault::QUEUE, "the TBuf has no buffer", "InitBuffer first", "none");
  if (handle.epoch != core.pipe_epoch || !core.pipe_live) {
    core.fail(Fault::QUEUE, "the TBuf belongs to a TPipe that has ended", "a TBuf of the live TPipe", "an old one");
  }
  const Buffer& buffer = core.buffers[static_cast<std::size_t>(handle.index)];
  const std::int64_t bytes = elements < 0 ? buffer.bytes : elements * size_of(dtype);
  if (offset_bytes < 0 || offset_bytes + bytes > buffer.bytes) {
    core.fail(Fault::EXTENT, "the requested part of the TBuf", say("at most ", buffer.bytes, " B"), say(offset_bytes + bytes, " B"));
  }
  return {buffer.offset + static_cast<std::uint32_t>(offset_bytes), static_cast<std::uint32_t>(bytes), dtype, handle.index,
          buffer.generation};
}

TensorRef slice(const TensorRef& tensor, Index offset) {
  const std::int64_t bytes = offset.value * size_of(tensor.dtype);
  if (offset.value >= 0 && bytes <= tensor.bytes) {
    TensorRef part = tensor;
    part.offset += static_cast<std::uint32_t>(bytes);
    part.bytes -= static_cast<std::uint32_t>(bytes);
    return part;
  }
  Core& core = Core::current();
  core.enter("LocalTensor::operator[]", offset.site, Unit::NONE);
  core.fail(Fault::EXTENT, "offset into the tensor", say("0 to ", elements_of(tensor), " elements"), say(offset.value));
}

TensorRef resized(const TensorRef& tensor, std::int64_t elements, Site site) {
  const Core& core = Core::current();
  const std::int64_t bytes = elements * size_of(tensor.dtype);
  const bool backed = tensor.buffer >= 0 && tensor.buffer < static_cast<int>(core.buffers.size());
  const Buffer none;
  const Buffer& buffer = backed ? core.buffers[static_cast<std::size_t>(tensor.buffer)] : none;
  const std::int64_t room = static_cast<std::int64_t>(buffer.offset) + buffer.bytes - tensor.offset;
  if (elements < 0 || bytes > room) {
    Core::current().enter("LocalTensor::SetSize", site, Unit::NONE);
    core.fail(Fault::EXTENT, "size of the tensor", say("at most ", room, " B, to the end of its buffer"), say(bytes, " B"));
  }
  TensorRef changed = tensor;
  changed.bytes = static_cast<std::uint32_t>(bytes);
  return changed;
}

std::uint64_t get_value(const TensorRef& tensor, Index element) {
  Core& core = Core::current();
  core.enter("GetValue", element.site, Unit::S);
  core.check_alive(tensor, "the tensor");
  if (element.value < 0 || element.value >= elements_of(tensor)) {
    core.fail(Fault::EXTENT, "index of the element", say("0 to ", elements_of(tensor) - 1), say(element.value));
  }
  const std::uint32_t size = static_cast<std::uint32_t>(size_of(tensor.dtype));
  const std::uint32_t offset = tensor.offset + static_cast<std::uint32_t>(element.value) * size;
  core.issue(Pipe::S);
  core.reads(Pipe::S, offset, size, "the tensor");
  core.check_untainted(offset, size, "the tensor", "a scalar");
  std::uint64_t bits = 0;
  std::memcpy(&bits, core.at(offset), size);
  return bits;
}

void set_value(const TensorRef& tensor, Index element, std::uint64_t bits) {
  Core& core = Core::current();
  core.enter("SetValue", element.site, Unit::S);
  core.check_alive(tensor, "the tensor");
  if (element.value < 0 || element.value >= elements_of(tensor)) {
    core.fail(Fault::EXTENT, "index of the element", say("0 to ", elements_of(tensor) - 1), say(element.value));
  }
  const std::uint32_t size = static_cast<std::uint32_t>(size_of(tensor.dtype));
  const std::uint32_t offset = tensor.offset + static_cast<std::uint32_t>(element.value) * size;
  core.issue(Pipe::S);
  core.writes(Pipe::S, offset, size, "the tensor");
  std::memcpy(core.at(offset), &bits, size);
  core.taint.clear(offset, size);
}

std::uint8_t* address_of(const TensorRef& tensor) {
  return Core::current().at(tensor.offset);
}

}  // namespace ascendc_cpu
