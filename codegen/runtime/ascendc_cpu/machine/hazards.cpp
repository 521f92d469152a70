#include "hazards.h"

#include <algorithm>

namespace ascendc_cpu {

namespace {

constexpr Pipe kAllPipes[] = {Pipe::S, Pipe::V, Pipe::MTE2, Pipe::MTE3};

void join(Clock& into, const Clock& from) {
  for (int i = 0; i < kPipes; ++i) into[i] = std::max(into[i], from[i]);
}

}  // namespace

Hazards::Hazards(std::uint32_t ub_bytes, const Policy& policy) : policy_(policy) {
  const std::size_t blocks = (ub_bytes + kBlockBytes - 1) / kBlockBytes;
  for (int i = 0; i < kPipes; ++i) {
    wrote_[i].assign(blocks, 0);
    read_[i].assign(blocks, 0);
  }
}

std::uint32_t Hazards::issue(Pipe pipe) {
  if (pipe != Pipe::S) {
    Clock seen = known_[index(Pipe::S)];
    // A blocked scalar pipe issues nothing, so what it waited for is complete; its own writes to UB are not.
    seen[index(Pipe::S)] = 0;
    join(known_[index(pipe)], seen);
  }
  return ++issued_[index(pipe)];
}

Clock Hazards::flag(Pipe pipe) const {
  Clock clock = known_[index(pipe)];
  if (pipe != Pipe::S) join(clock, known_[index(Pipe::S)]);
  clock[index(pipe)] = issued_[index(pipe)];
  return clock;
}

void Hazards::wait(Pipe pipe, const Clock& clock) {
  join(known_[index(pipe)], clock);
}

void Hazards::barrier(Pipe pipe) {
  known_[index(pipe)][index(pipe)] = issued_[index(pipe)];
}

void Hazards::barrier_all() {
  for (Clock& clock : known_) clock = issued_;
}

bool Hazards::exempt(Pipe pipe, Pipe other) const {
  if (pipe == other) return pipe == Pipe::S || (pipe == Pipe::V && !policy_.vector_needs_barrier);
  return !policy_.scalar_needs_flags && (pipe == Pipe::S || other == Pipe::S);
}

// Nothing of `other` can still be under way; spares the walk over the blocks.
bool Hazards::settled(Pipe pipe, Pipe other) const {
  const std::uint32_t earlier = issued_[index(other)] - (pipe == other ? 1 : 0);
  return exempt(pipe, other) || earlier <= known_[index(pipe)][index(other)];
}

bool Hazards::stale(const std::vector<std::uint32_t>& shadow, Pipe pipe, Pipe other, std::uint32_t first, std::uint32_t last) const {
  const std::uint32_t known = known_[index(pipe)][index(other)];
  // The instruction itself may touch a block twice; it is never in conflict with itself.
  const std::uint32_t own = pipe == other ? issued_[index(pipe)] : 0xffffffffu;
  std::uint32_t bad = 0;
  for (std::uint32_t block = first; block <= last; ++block) bad |= (shadow[block] > known) & (shadow[block] != own);
  return bad != 0;
}

Conflict Hazards::locate(bool wrote, const std::vector<std::uint32_t>& shadow, Pipe pipe, Pipe other, std::uint32_t first,
                         std::uint32_t last) const {
  const std::uint32_t known = known_[index(pipe)][index(other)];
  for (std::uint32_t block = first; block <= last; ++block) {
    if (shadow[block] > known && (pipe != other || shadow[block] != issued_[index(pipe)]))
      return {true, wrote, other, shadow[block], block};
  }
  return {};
}

Conflict Hazards::read(Pipe pipe, std::uint32_t offset, std::uint32_t bytes) {
  if (bytes == 0) return {};
  const std::uint32_t first = offset / kBlockBytes;
  const std::uint32_t last = (offset + bytes - 1) / kBlockBytes;
  for (Pipe other : kAllPipes) {
    if (settled(pipe, other)) continue;
    if (stale(wrote_[index(other)], pipe, other, first, last)) return locate(true, wrote_[index(other)], pipe, other, first, last);
  }
  std::vector<std::uint32_t>& mine = read_[index(pipe)];
  std::fill(mine.begin() + first, mine.begin() + last + 1, issued_[index(pipe)]);
  return {};
}

Conflict Hazards::write(Pipe pipe, std::uint32_t offset, std::uint32_t bytes) {
  if (bytes == 0) return {};
  const std::uint32_t first = offset / kBlockBytes;
  const std::uint32_t last = (offset + bytes - 1) / kBlockBytes;
  for (Pipe other : kAllPipes) {
    if (settled(pipe, other)) continue;
    if (stale(wrote_[index(other)], pipe, other, first, last)) return locate(true, wrote_[index(other)], pipe, other, first, last);
    // The scalar pipe has its value before it issues anything else.
    if (other != Pipe::S && stale(read_[index(other)], pipe, other, first, last))
      return locate(false, read_[index(other)], pipe, other, first, last);
  }
  std::vector<std::uint32_t>& mine = wrote_[index(pipe)];
  std::fill(mine.begin() + first, mine.begin() + last + 1, issued_[index(pipe)]);
  return {};
}

}  // namespace ascendc_cpu
