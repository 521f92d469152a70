// Checked access of one core to GM: bounds, roles, ordering.
#pragma once

#include "core.h"

namespace ascendc_cpu {

// The bytes that `rows` rows starting at a tensor's first element cover, checked against buffer and declared size.
struct GmSpan {
  GmBuffer* buffer = nullptr;
  std::int64_t offset = 0;
};
GmSpan gm_span(const Core& core, const GmRef& tensor, std::int64_t bytes, bool writing);

void gm_reads(Core& core, GmBuffer& buffer, Pipe pipe, std::int64_t offset, std::int64_t bytes);
void gm_writes(Core& core, GmBuffer& buffer, Pipe pipe, std::int64_t offset, std::int64_t bytes);

// Fails if values set by the scalar pipe are still only in its cache.
void check_clean_cache(const Core& core);

}  // namespace ascendc_cpu
