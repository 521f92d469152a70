#include "core.h"

#include <cstring>

#include "gm_access.h"

namespace ascendc_cpu {

namespace {

constexpr std::uint8_t kPoison = 0xfb;  // 0xfbfb… is a large negative value in every float type
thread_local Core* current_core = nullptr;

std::string place_text(const char* api, Site site) {
  return say(api, " at line ", site.line);
}

}  // namespace

Core::Core(const ChipConfig& chip_, const Policy& policy_, int index_, int count_, GlobalMemory& gm_, Rendezvous& rendezvous_,
           std::int64_t tiling_key_)
    : chip(chip_),
      policy(policy_),
      index(index_),
      count(count_),
      tiling_key(tiling_key_),
      gm(gm_),
      rendezvous(rendezvous_),
      ub(chip_.ub_bytes, kPoison),
      taint(chip_.ub_bytes),
      hazards(chip_.ub_bytes, policy_),
      events(chip_.event_ids) {
  counters.count("kernel", Site("", 0), Unit::NONE);
}

Core& Core::current() {
  if (current_core == nullptr) {
    Failure failure;
    failure.api = "kernel";
    failure.what = "an AscendC call outside a launch";
    failure.expected = "calls made by a kernel that ascendc_cpu::Launch runs";
    failure.got = "no core";
    throw KernelAbort{failure};
  }
  return *current_core;
}

void Core::bind(Core* core) {
  current_core = core;
}

void Core::enter(const char* api, Site site, Unit unit) {
  place_ = counters.count(api, site, unit);
}

void Core::issue(Pipe pipe) {
  hazards.issue(pipe);
  history_[static_cast<int>(pipe)].push_back(place_);
}

void Core::fail(Fault fault, const std::string& what, const std::string& expected, const std::string& got) const {
  const Counters::Place& place = counters.place(place_);
  Failure failure;
  failure.fault = fault;
  failure.api = place.api;
  failure.file = place.site.file;
  failure.line = place.site.line;
  failure.core = index;
  failure.run = place.runs;
  failure.what = what;
  failure.expected = expected;
  failure.got = got;
  throw KernelAbort{failure};
}

void Core::check_alive(const TensorRef& tensor, const char* role) const {
  if (tensor.buffer < 0 || tensor.buffer >= static_cast<int>(buffers.size())) {
    fail(Fault::LIFETIME, say(role, " is a tensor that no buffer backs"), "a tensor from AllocTensor, DeQue or TBuf::Get", "no buffer");
  }
  const Buffer& buffer = buffers[static_cast<std::size_t>(tensor.buffer)];
  if (buffer.generation != tensor.generation || buffer.state == BufferState::FREE) {
    fail(Fault::LIFETIME, say(role, " is used after its buffer was freed"), "use between AllocTensor and FreeTensor",
         say("FreeTensor at line ", buffer.changed.line));
  }
  if (buffer.state == BufferState::ENQUEUED) {
    fail(Fault::LIFETIME, say(role, " is used while it waits in its queue"), "DeQue before use",
         say("EnQue at line ", buffer.changed.line));
  }
}

void Core::check_operand(const TensorRef& tensor, const char* role, std::int64_t need_bytes, int align_bytes) const {
  check_alive(tensor, role);
  if (tensor.offset % static_cast<std::uint32_t>(align_bytes) != 0) {
    fail(Fault::ALIGNMENT, say(role, " starts at UB byte ", tensor.offset), say("a multiple of ", align_bytes, " B"),
         say(tensor.offset % static_cast<std::uint32_t>(align_bytes), " B past one"));
  }
  if (need_bytes > tensor.bytes) {
    fail(Fault::EXTENT, say(role, " is too small for the call"), say("a tensor of at least ", need_bytes, " B"), say(tensor.bytes, " B"));
  }
}

void Core::check_untainted(std::uint32_t offset, std::int64_t bytes, const char* role, const char* sink) const {
  if (!taint.any(offset, static_cast<std::uint32_t>(bytes))) return;
  fail(Fault::TAINT, say("lanes of ", role, " that were never written reach ", sink), "every lane written before",
       say("UB byte ", taint.first(offset, static_cast<std::uint32_t>(bytes)), " (",
           taint.first(offset, static_cast<std::uint32_t>(bytes)) - offset, " B into the access) holds no data"));
}

void Core::check_dtype(DType dtype, DTypes legal, const char* role, const char* legal_names) const {
  if (!legal.has(dtype)) fail(Fault::DTYPE, say("type of ", role, " is not supported on arch 2201"), legal_names, name_of(dtype));
}

void Core::fail_order(const Conflict& conflict, Pipe pipe, bool writing, const char* role) const {
  const Access before = earlier(conflict.pipe, conflict.instruction);
  const std::string what =
      say(writing ? "writes " : "reads ", role, " at UB byte ", conflict.block * kBlockBytes, " that ", place_text(before.api, before.site),
          " (", name_of(conflict.pipe), ") ", conflict.wrote ? "wrote" : "read", ", without waiting for it");
  const std::string expected = conflict.pipe == pipe ? say("PipeBarrier<PIPE_", name_of(pipe), "> between them")
                                                     : say("EnQue and DeQue, or SetFlag and WaitFlag<HardEvent::", name_of(conflict.pipe),
                                                           "_", name_of(pipe), ">, between them");
  fail(Fault::HAZARD, what, expected, say(name_of(pipe), " not ordered after ", name_of(conflict.pipe)));
}

void Core::reads(Pipe pipe, std::uint32_t offset, std::int64_t bytes, const char* role) {
  const Conflict conflict = hazards.read(pipe, offset, static_cast<std::uint32_t>(bytes));
  if (conflict.found) fail_order(conflict, pipe, false, role);
}

void Core::writes(Pipe pipe, std::uint32_t offset, std::int64_t bytes, const char* role) {
  const Conflict conflict = hazards.write(pipe, offset, static_cast<std::uint32_t>(bytes));
  if (conflict.found) fail_order(conflict, pipe, true, role);
}

Access Core::access(Pipe pipe) const {
  const Counters::Place& place = counters.place(place_);
  return {index, pipe, hazards.count(pipe), place.api, place.site};
}

Access Core::earlier(Pipe pipe, std::uint32_t instruction) const {
  const Counters::Place& place = counters.place(history_[static_cast<int>(pipe)][instruction - 1]);
  return {index, pipe, instruction, place.api, place.site};
}

void Core::spoil(std::uint32_t offset, std::uint32_t bytes) {
  std::memset(at(offset), kPoison, bytes);
  taint.set(offset, bytes);
}

void Core::check_finished() {
  enter("end of kernel", Site("", 0), Unit::NONE);
  if (pipe_live) fail(Fault::LEFTOVER, "the TPipe outlives the kernel", "a TPipe that ends with the kernel", "a live TPipe");
  for (int kind = 0; kind < kHardEvents; ++kind) {
    const AscendC::HardEvent event = static_cast<AscendC::HardEvent>(kind);
    for (int id = 0; id < events.ids(); ++id) {
      if (events.pending(event, id)) {
        fail(Fault::LEFTOVER, say("flag ", name_of(event), " id ", id, " is set and never waited for"), "one WaitFlag for each SetFlag",
             say("SetFlag at line ", events.set_site(event, id).line, " without WaitFlag"));
      }
      if (events.held(event, id)) {
        fail(Fault::LEFTOVER, say("event id ", id, " of ", name_of(event), " was allocated and never released"), "ReleaseEventID",
             "a held id");
      }
    }
  }
  check_clean_cache(*this);
  if (mask.mode != AscendC::MaskMode::NORMAL)
    fail(Fault::LEFTOVER, "the mask is left in counter mode", "SetMaskNorm at the end", "counter mode");
}

}  // namespace ascendc_cpu
