// Ordering of the four pipes of one core, by vector clocks.
//
// Each pipe numbers its instructions 1, 2, 3 …; `known(p, q)` is the last instruction of pipe q that is certain to be complete when the
// next instruction of pipe p starts. Flags, barriers and a waiting scalar pipe raise it. UB is shadowed in blocks of 32 bytes: the last
// instruction of every pipe that wrote and that read the block (ascendc_api_facts §1, §4).
#pragma once

#include <array>
#include <vector>

#include "config.h"

namespace ascendc_cpu {

constexpr std::uint32_t kBlockBytes = 32;

using Clock = std::array<std::uint32_t, kPipes>;

// An earlier access that the current instruction was not ordered after.
struct Conflict {
  bool found = false;
  bool wrote = false;  // the earlier access was a write
  Pipe pipe = Pipe::S;
  std::uint32_t instruction = 0;
  std::uint32_t block = 0;
};

class Hazards {
 public:
  Hazards(std::uint32_t ub_bytes, const Policy& policy);

  // Starts an instruction; returns its number. Whatever the scalar pipe has waited for happened before it was issued.
  std::uint32_t issue(Pipe pipe);

  // The clock that a flag set now by `pipe` carries: all its instructions so far, and all it knew.
  Clock flag(Pipe pipe) const;
  void wait(Pipe pipe, const Clock& clock);
  void barrier(Pipe pipe);
  void barrier_all();

  bool knows(Pipe pipe, Pipe other, std::uint32_t instruction) const {
    return exempt(pipe, other) || instruction <= known_[index(pipe)][index(other)];
  }
  std::uint32_t count(Pipe pipe) const { return issued_[index(pipe)]; }

  // Records that the current instruction of `pipe` reads or writes UB bytes; the first conflict, if any.
  Conflict read(Pipe pipe, std::uint32_t offset, std::uint32_t bytes);
  Conflict write(Pipe pipe, std::uint32_t offset, std::uint32_t bytes);

 private:
  static int index(Pipe pipe) { return static_cast<int>(pipe); }
  bool exempt(Pipe pipe, Pipe other) const;
  bool settled(Pipe pipe, Pipe other) const;
  bool stale(const std::vector<std::uint32_t>& shadow, Pipe pipe, Pipe other, std::uint32_t first, std::uint32_t last) const;
  Conflict locate(bool wrote, const std::vector<std::uint32_t>& shadow, Pipe pipe, Pipe other, std::uint32_t first,
                  std::uint32_t last) const;

  Policy policy_;
  Clock issued_{};
  std::array<Clock, kPipes> known_{};
  std::array<std::vector<std::uint32_t>, kPipes> wrote_;
  std::array<std::vector<std::uint32_t>, kPipes> read_;
};

}  // namespace ascendc_cpu
