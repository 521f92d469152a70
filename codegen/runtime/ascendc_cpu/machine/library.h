// Temporary buffers of library functions.
#pragma once

#include "core.h"

namespace ascendc_cpu {

// The temporary of a library call, checked for size and alignment: the given one, or, where there is none, what InitBuffer left of UB.
TensorRef library_tmp(const Core& core, const TensorRef* tmp, std::int64_t need_bytes);
// The call has used it: it is written by the vector pipe and holds nothing of use.
void clobber(Core& core, const TensorRef& tmp, std::int64_t bytes);

}  // namespace ascendc_cpu
