#include "library.h"

namespace ascendc_cpu {

TensorRef library_tmp(const Core& core, const TensorRef* tmp, std::int64_t need_bytes) {
  if (tmp != nullptr) {
    if (need_bytes > 0) core.check_operand(*tmp, "sharedTmpBuffer", need_bytes);
    return *tmp;
  }
  const std::int64_t left = static_cast<std::int64_t>(core.chip.ub_bytes) - core.ub_top;
  if (left < need_bytes) {
    core.fail(Fault::CAPACITY, "UB that is left for the temporary buffer of the call", say("at least ", need_bytes, " B"), say(left, " B"));
  }
  TensorRef rest;
  rest.offset = core.ub_top;
  rest.bytes = static_cast<std::uint32_t>(left);
  return rest;
}

void clobber(Core& core, const TensorRef& tmp, std::int64_t bytes) {
  if (bytes == 0) return;
  core.writes(Pipe::V, tmp.offset, bytes, "sharedTmpBuffer");
  core.spoil(tmp.offset, static_cast<std::uint32_t>(bytes));
}

}  // namespace ascendc_cpu
