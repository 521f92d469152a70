// What a run models: the chip, the policies of the checks, and what is counted. Plain data, shared by launch.h and the machine.
#pragma once

#include <cstdint>
#include <string>

namespace ascendc_cpu {

// Capacities and field limits of the chip; the defaults are arch 2201 (ascendc_api_facts §1, §3, §9).
struct ChipConfig {
  std::string name = "ascend910b";
  std::uint32_t ub_bytes = 196608;
  std::uint32_t ub_reserved_bytes = 0;  // kept from InitBuffer at the top of UB
  std::uint32_t scratch_bytes = 8192;   // top of UB that Select writes without asking (§1)
  int vector_cores = 48;                // SyncAll needs all cores of a launch to run at once
  int buffers_max = 64;                 // of all queues and TBufs together
  int buffers_per_position_max = 8;     // buffers of all VECIN, and of all VECOUT queues: each freed one holds an event id
  int event_ids = 8;                    // per HardEvent kind
  std::int64_t dma_block_count_max = 4095;
  std::int64_t dma_block_len_max_bytes = 2097151;
  std::int64_t dma_gm_stride_max_bytes = 4294967295;
  std::int64_t dma_ub_stride_max_blocks = 4294967295;
};

// How strict the ordering checks are. The defaults demand what is correct with every compiler option.
struct Policy {
  bool vector_needs_barrier = true;  // dependent vector instructions need PipeBarrier<PIPE_V>; false: the compiler's auto sync adds it
  bool scalar_needs_flags = true;    // GetValue and SetValue need flags towards the other pipes; false: auto sync adds them
  bool reverse_cores = false;        // run the cores last to first: results must not change
};

enum class Pipe : std::uint8_t { S, V, MTE2, MTE3 };
constexpr int kPipes = 4;

constexpr const char* name_of(Pipe pipe) {
  constexpr const char* names[] = {"S", "V", "MTE2", "MTE3"};
  return names[static_cast<int>(pipe)];
}

// Kinds of failure, as stable words that a driver or a test can match.
enum class Fault : std::uint8_t {
  DTYPE,        // type not supported by the instruction
  ARGUMENT,     // count, mask, repeat, stride or another parameter out of range
  ALIGNMENT,    // UB or GM address
  EXTENT,       // operand reaches beyond its tensor
  OVERLAP,      // source and destination overlap in a forbidden way
  HAZARD,       // not ordered after an earlier access of the same core
  CORE_HAZARD,  // not ordered after an access of another core
  TAINT,        // lanes that were never written reach a place where they matter
  LIFETIME,     // tensor used before allocation, after FreeTensor, or while enqueued
  QUEUE,        // misuse of TPipe, TQue or TBuf
  EVENT,        // flags and event ids
  CAPACITY,     // UB, buffers, ids
  GM_BOUNDS,    // GM access outside a registered buffer
  LEFTOVER,     // state that a kernel leaves behind
  SYNC,         // SyncAll not reached by all cores
  NUMERIC,      // a value the instruction does not define
};

const char* name_of(Fault fault);

// The first violation of a run.
struct Failure {
  Fault fault = Fault::ARGUMENT;
  std::string api;   // public name of the call
  std::string file;  // kernel source
  int line = 0;
  int core = 0;
  std::int64_t run = 0;  // how many times this call at this line had run on this core, this one included
  std::string what;      // the violated rule
  std::string expected;
  std::string got;

  // One sentence for a person.
  std::string text() const;
};

}  // namespace ascendc_cpu
