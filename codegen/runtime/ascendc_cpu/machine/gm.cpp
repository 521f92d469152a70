#include "gm.h"

#include <algorithm>
#include <cstring>

namespace ascendc_cpu {

namespace {

constexpr std::int64_t kGuardBytes = 4096;
constexpr std::int64_t kAlignBytes = 512;  // device allocations start at a cache line
constexpr std::uint8_t kPoison = 0xfb;

bool ordered(const Access& earlier, const Access& now, const Hazards& hazards) {
  return hazards.knows(now.pipe, earlier.pipe, earlier.instruction) || (earlier.pipe == now.pipe && earlier.instruction == now.instruction);
}

}  // namespace

GmBuffer::GmBuffer(std::string name, Role role, std::int64_t bytes, bool initialised) : name_(std::move(name)), role_(role), bytes_(bytes) {
  storage_.assign(static_cast<std::size_t>(bytes + 2 * kGuardBytes + kAlignBytes), kPoison);
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(storage_.data()) + kGuardBytes;
  data_ = reinterpret_cast<std::uint8_t*>((start + kAlignBytes - 1) / kAlignBytes * kAlignBytes);
  if (!initialised) unwritten_.assign(static_cast<std::size_t>(bytes), 0xff);
}

void GmBuffer::define(std::int64_t offset, std::int64_t bytes) {
  if (!unwritten_.empty()) std::memset(unwritten_.data() + offset, 0, static_cast<std::size_t>(bytes));
}

std::int64_t GmBuffer::unwritten_bytes() const {
  return std::count_if(unwritten_.begin(), unwritten_.end(), [](std::uint8_t taint) { return taint != 0; });
}

void GmBuffer::split(std::int64_t at) {
  History::iterator after = history_.upper_bound(at);
  if (after == history_.begin()) return;
  History::iterator span = std::prev(after);
  if (span->first == at || span->second.end <= at) return;
  Span tail = span->second;
  span->second.end = at;
  history_.emplace_hint(after, at, tail);
}

GmBuffer::History::iterator GmBuffer::cover(std::int64_t begin, std::int64_t end) {
  split(begin);
  split(end);
  std::int64_t at = begin;
  History::iterator next = history_.lower_bound(begin);
  while (at < end) {
    if (next == history_.end() || next->first > at) {
      Span gap;
      gap.end = next == history_.end() ? end : std::min(end, next->first);
      next = history_.emplace_hint(next, at, gap);
    }
    at = next->second.end;
    ++next;
  }
  return history_.find(begin);
}

GmConflict GmBuffer::read(const Access& access, const Hazards& hazards, std::int64_t offset, std::int64_t bytes) {
  read_bytes += bytes;
  // Nobody writes an input, so its readers need no history.
  if (role_ == Role::INPUT || bytes == 0) return {};
  for (History::iterator span = cover(offset, offset + bytes); span != history_.end() && span->first < offset + bytes; ++span) {
    const Access& writer = span->second.writer;
    if (writer.core >= 0 && writer.core != access.core) return {true, true, true, writer, span->first};
    if (writer.core >= 0 && !ordered(writer, access, hazards)) return {true, false, true, writer, span->first};
    Access& reader = span->second.reader;
    span->second.many_readers |= reader.core >= 0 && reader.core != access.core;
    reader = access;
  }
  return {};
}

GmConflict GmBuffer::write(const Access& access, const Hazards& hazards, std::int64_t offset, std::int64_t bytes) {
  written_bytes += bytes;
  if (bytes == 0) return {};
  for (History::iterator span = cover(offset, offset + bytes); span != history_.end() && span->first < offset + bytes; ++span) {
    const Access& writer = span->second.writer;
    const Access& reader = span->second.reader;
    if (writer.core >= 0 && writer.core != access.core) return {true, true, true, writer, span->first};
    if (reader.core >= 0 && (reader.core != access.core || span->second.many_readers)) return {true, true, false, reader, span->first};
    if (writer.core >= 0 && !ordered(writer, access, hazards)) return {true, false, true, writer, span->first};
    // The scalar pipe has its value before it issues anything else.
    if (reader.core >= 0 && reader.pipe != Pipe::S && !ordered(reader, access, hazards)) return {true, false, false, reader, span->first};
    span->second.writer = access;
  }
  return {};
}

GmBuffer& GlobalMemory::add(std::string name, Role role, std::int64_t bytes, bool initialised) {
  buffers_.push_back(std::make_unique<GmBuffer>(std::move(name), role, bytes, initialised));
  return *buffers_.back();
}

GmBuffer* GlobalMemory::find(const std::uint8_t* address) const {
  for (const std::unique_ptr<GmBuffer>& buffer : buffers_) {
    if (buffer->contains(address)) return buffer.get();
  }
  return nullptr;
}

void GlobalMemory::synchronized() {
  for (const std::unique_ptr<GmBuffer>& buffer : buffers_) buffer->synchronized();
}

}  // namespace ascendc_cpu
