// One AIV core: its UB, pipes, flags, buffers, and the call that is being executed. Everything a check needs, nothing of what the calls do.
#pragma once

#include <deque>
#include <memory>
#include <sstream>
#include <vector>

#include "config.h"
#include "counters.h"
#include "events.h"
#include "gm.h"
#include "hazards.h"
#include "taint.h"
#include "tensor.h"

namespace ascendc_cpu {

class Rendezvous;

// Thrown by every check; the launch turns it into the report.
struct KernelAbort {
  Failure failure;
};

template <class... Parts>
std::string say(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

enum class BufferState : std::uint8_t { FREE, OCCUPIED, ENQUEUED, TBUF };

struct Buffer {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  Site site{"", 0};  // of InitBuffer
  int queue = -1;    // -1: a TBuf
  BufferState state = BufferState::FREE;
  std::uint64_t generation = 0;
  int event = -1;  // id of the flag that its last EnQue or FreeTensor set
  Site changed{"", 0};
};

struct Queue {
  AscendC::TPosition position = AscendC::TPosition::VECIN;
  AscendC::HardEvent enque_kind = AscendC::HardEvent::MTE2_V;
  AscendC::HardEvent free_kind = AscendC::HardEvent::V_MTE2;
  int depth = 1;
  int first_buffer = 0;
  int buffers = 0;
  int cursor = 0;
  std::deque<int> enqueued;
};

// Manual mask control (ascendc_api_facts §5); calls that set their own mask leave the normal state behind.
struct MaskState {
  AscendC::MaskMode mode = AscendC::MaskMode::NORMAL;
  bool counter_value = false;  // the register holds a count, not bits
  std::uint64_t high = ~0ull;
  std::uint64_t low = ~0ull;
};

class Core {
 public:
  Core(const ChipConfig& chip, const Policy& policy, int index, int count, GlobalMemory& gm, Rendezvous& rendezvous,
       std::int64_t tiling_key);

  // The core that runs on this thread.
  static Core& current();
  static void bind(Core* core);

  // A public call starts: it is counted and named in messages.
  void enter(const char* api, Site site, Unit unit);
  // It starts an instruction on a pipe.
  void issue(Pipe pipe);
  [[noreturn]] void fail(Fault fault, const std::string& what, const std::string& expected, const std::string& got) const;

  // The tensor's buffer is allocated to whoever holds this handle.
  void check_alive(const TensorRef& tensor, const char* role) const;
  // Alive, start aligned, and at least `need_bytes` long.
  void check_operand(const TensorRef& tensor, const char* role, std::int64_t need_bytes, int align_bytes = kBlockBytes) const;
  void check_untainted(std::uint32_t offset, std::int64_t bytes, const char* role, const char* sink) const;
  void check_dtype(DType dtype, DTypes legal, const char* role, const char* legal_names) const;

  // Accesses of the current instruction, for ordering.
  void reads(Pipe pipe, std::uint32_t offset, std::int64_t bytes, const char* role);
  void writes(Pipe pipe, std::uint32_t offset, std::int64_t bytes, const char* role);
  Access access(Pipe pipe) const;
  Access earlier(Pipe pipe, std::uint32_t instruction) const;

  std::uint8_t* at(std::uint32_t offset) { return ub.data() + offset; }
  const std::uint8_t* at(std::uint32_t offset) const { return ub.data() + offset; }
  // A range holds nothing of use any more: fresh buffer, clobbered temporary.
  void spoil(std::uint32_t offset, std::uint32_t bytes);

  // What must not be left behind when the kernel ends.
  void check_finished();

  const ChipConfig chip;
  const Policy policy;
  const int index;
  const int count;
  const std::int64_t tiling_key;
  GlobalMemory& gm;
  Rendezvous& rendezvous;

  std::vector<std::uint8_t> ub;
  Taint taint;
  Hazards hazards;
  Events events;
  Counters counters;
  MaskState mask;

  std::vector<Buffer> buffers;
  std::vector<Queue> queues;
  std::uint32_t ub_top = 0;
  std::uint32_t ub_peak = 0;
  bool pipe_live = false;
  std::uint32_t pipe_epoch = 0;

  // The scalar pipe's data cache of GM: lines it has read, and whether written ones were not yet cleaned.
  std::map<const std::uint8_t*, std::array<std::uint8_t, 64>> cached_lines;
  const GmBuffer* dirty_buffer = nullptr;
  Site dirty_site{"", 0};

  bool pad_value_set = false;
  std::uint64_t pad_value = 0;
  bool deq_scale_set = false;
  float deq_scale = 1.0f;

 private:
  [[noreturn]] void fail_order(const Conflict& conflict, Pipe pipe, bool writing, const char* role) const;

  std::uint32_t place_ = 0;
  std::array<std::vector<std::uint32_t>, kPipes> history_;  // place of each instruction
};

}  // namespace ascendc_cpu
