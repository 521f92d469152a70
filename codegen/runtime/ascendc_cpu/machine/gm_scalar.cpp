// GlobalTensor views, and the scalar pipe's access to GM through its data cache of 64-byte lines (ascendc_api_facts §2).
#include <cstring>

#include "dma_calls.h"
#include "gm_access.h"

namespace ascendc_cpu {

namespace {

constexpr std::int64_t kLineBytes = 64;

}  // namespace

GmRef gm_view(std::uint8_t* address, std::int64_t elements, DType dtype, Site site) {
  Core& core = Core::current();
  core.enter("SetGlobalBuffer", site, Unit::NONE);
  GmBuffer* buffer = core.gm.find(address);
  if (buffer == nullptr) core.fail(Fault::GM_BOUNDS, "the address", "inside a buffer of the launch", "an address of no buffer");
  const std::int64_t left = buffer->data() + buffer->bytes() - address;
  if (elements * size_of(dtype) > left) {
    core.fail(Fault::GM_BOUNDS, say("size given to SetGlobalBuffer on GM '", buffer->name(), "'"), say("at most ", left, " B"),
              say(elements * size_of(dtype), " B"));
  }
  return {address, elements < 0 ? 0 : elements, elements >= 0, dtype, buffer};
}

GmRef gm_slice(const GmRef& tensor, Index offset) {
  // A slice may point anywhere; what it may touch is checked by its use.
  GmRef part = tensor;
  part.address += offset.value * size_of(tensor.dtype);
  part.elements -= offset.value;
  return part;
}

std::uint64_t gm_get_value(const GmRef& tensor, Index element) {
  Core& core = Core::current();
  core.enter("GlobalTensor::GetValue", element.site, Unit::S);
  const std::int64_t size = size_of(tensor.dtype);
  const GmSpan span = gm_span(core, gm_slice(tensor, element), size, false);
  core.issue(Pipe::S);
  gm_reads(core, *span.buffer, Pipe::S, span.offset, size);
  const std::uint8_t* taint = span.buffer->taint(span.offset);
  if (taint != nullptr && any_bit(taint, static_cast<std::uint32_t>(size))) {
    core.fail(Fault::TAINT, say("bytes of GM '", span.buffer->name(), "' that were never written reach a scalar"),
              "every byte written before", say("byte ", span.offset));
  }
  const std::uint8_t* line = span.buffer->data() + span.offset / kLineBytes * kLineBytes;
  const std::int64_t in_line = span.offset % kLineBytes;
  const auto [cached, fresh] = core.cached_lines.try_emplace(line);
  if (fresh) std::memcpy(cached->second.data(), line, kLineBytes);
  if (std::memcmp(cached->second.data() + in_line, line + in_line, static_cast<std::size_t>(size)) != 0) {
    core.fail(Fault::HAZARD, say("GM '", span.buffer->name(), "' changed behind the core's data cache"),
              "DataCacheCleanAndInvalid before the second GetValue", say("a stale line at byte ", span.offset / kLineBytes * kLineBytes));
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, span.buffer->data() + span.offset, static_cast<std::size_t>(size));
  return bits;
}

void gm_set_value(const GmRef& tensor, Index element, std::uint64_t bits) {
  Core& core = Core::current();
  core.enter("GlobalTensor::SetValue", element.site, Unit::S);
  const std::int64_t size = size_of(tensor.dtype);
  const GmSpan span = gm_span(core, gm_slice(tensor, element), size, true);
  core.issue(Pipe::S);
  // The cache writes back whole lines, so the neighbours in the line must not be another core's.
  const std::int64_t begin = span.offset / kLineBytes * kLineBytes;
  const std::int64_t end = std::min(begin + kLineBytes, span.buffer->bytes());
  gm_writes(core, *span.buffer, Pipe::S, begin, end - begin);
  std::memcpy(span.buffer->data() + span.offset, &bits, static_cast<std::size_t>(size));
  span.buffer->define(span.offset, size);
  core.cached_lines.erase(span.buffer->data() + begin);
  core.dirty_buffer = span.buffer;
  core.dirty_site = element.site;
}

void clean_cache(const GmRef& tensor, Site site) {
  Core& core = Core::current();
  core.enter("DataCacheCleanAndInvalid", site, Unit::SYNC);
  (void)tensor;
  core.cached_lines.clear();
  core.dirty_buffer = nullptr;
}

void check_clean_cache(const Core& core) {
  if (core.dirty_buffer == nullptr) return;
  core.fail(Fault::LEFTOVER, say("GM '", core.dirty_buffer->name(), "' is written only in the core's data cache"),
            "DataCacheCleanAndInvalid after SetValue", say("SetValue at line ", core.dirty_site.line));
}

}  // namespace ascendc_cpu
