#include "gm_access.h"

namespace ascendc_cpu {

namespace {

[[noreturn]] void fail_order(const Core& core, const GmBuffer& buffer, const GmConflict& conflict, Pipe pipe, bool writing) {
  const Access& before = conflict.earlier;
  const std::string what =
      say(writing ? "writes" : "reads", " GM '", buffer.name(), "' at byte ", conflict.offset, " that core ", before.core, " ",
          conflict.wrote ? "wrote" : "read", " (", before.api, " at line ", before.site.line, "), without waiting for it");
  if (conflict.cores_differ) {
    core.fail(Fault::CORE_HAZARD, what, "SyncAll between accesses of two cores",
              say("cores ", before.core, " and ", core.index, " touch the same bytes"));
  }
  const std::string expected = before.pipe == pipe
                                   ? say("PipeBarrier<PIPE_", name_of(pipe), "> between them")
                                   : say("SetFlag and WaitFlag<HardEvent::", name_of(before.pipe), "_", name_of(pipe), "> between them");
  core.fail(Fault::HAZARD, what, expected, say(name_of(pipe), " not ordered after ", name_of(before.pipe)));
}

}  // namespace

GmSpan gm_span(const Core& core, const GmRef& tensor, std::int64_t bytes, bool writing) {
  GmBuffer* buffer = static_cast<GmBuffer*>(tensor.buffer);
  if (buffer == nullptr) core.fail(Fault::GM_BOUNDS, "the GlobalTensor has no address", "SetGlobalBuffer first", "none");
  const std::int64_t offset = tensor.address - buffer->data();
  if (offset % size_of(tensor.dtype) != 0) {
    core.fail(Fault::ALIGNMENT, say("GM '", buffer->name(), "' address"), say("a multiple of ", size_of(tensor.dtype), " B"),
              say("byte ", offset));
  }
  if (offset < 0 || offset + bytes > buffer->bytes()) {
    core.fail(Fault::GM_BOUNDS, say(writing ? "write" : "read", " of GM '", buffer->name(), "'"), say("bytes 0 to ", buffer->bytes()),
              say("bytes ", offset, " to ", offset + bytes));
  }
  if (tensor.sized && bytes > tensor.elements * size_of(tensor.dtype)) {
    core.fail(Fault::GM_BOUNDS, say(writing ? "write" : "read", " of GM '", buffer->name(), "' beyond the size given to SetGlobalBuffer"),
              say(tensor.elements * size_of(tensor.dtype), " B left"), say(bytes, " B"));
  }
  if (writing && buffer->role() == Role::INPUT) {
    core.fail(Fault::GM_BOUNDS, say("write of GM '", buffer->name(), "'"), "an output or a workspace", "an input");
  }
  return {buffer, offset};
}

void gm_reads(Core& core, GmBuffer& buffer, Pipe pipe, std::int64_t offset, std::int64_t bytes) {
  const GmConflict conflict = buffer.read(core.access(pipe), core.hazards, offset, bytes);
  if (conflict.found) fail_order(core, buffer, conflict, pipe, false);
}

void gm_writes(Core& core, GmBuffer& buffer, Pipe pipe, std::int64_t offset, std::int64_t bytes) {
  const GmConflict conflict = buffer.write(core.access(pipe), core.hazards, offset, bytes);
  if (conflict.found) fail_order(core, buffer, conflict, pipe, true);
}

}  // namespace ascendc_cpu
