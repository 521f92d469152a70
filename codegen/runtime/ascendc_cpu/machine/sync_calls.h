// Flags, barriers, and the meeting of all cores (ascendc_api_facts §4).
#pragma once

#include "../api/enums.h"
#include "dtype.h"
#include "site.h"
#include "tensor.h"

namespace ascendc_cpu {

void set_flag(AscendC::HardEvent kind, std::int64_t id, Site site);
void wait_flag(AscendC::HardEvent kind, std::int64_t id, Site site);
int alloc_event_id(AscendC::HardEvent kind, Site site);
int fetch_event_id(AscendC::HardEvent kind, Site site);
void release_event_id(AscendC::HardEvent kind, std::int64_t id, Site site);
// PIPE_S has no barrier; PipeBarrier refuses it when it is compiled.
void pipe_barrier(pipe_t pipe, Site site);

void sync_all(Site site);
void sync_all_soft(const GmRef& workspace, const TensorRef& ub_workspace, std::int64_t used_cores, Site site);

std::int64_t block_idx();
std::int64_t block_num();
std::int64_t tiling_key();

void set_mask_mode(AscendC::MaskMode mode, Site site);
void set_vector_mask(AscendC::MaskMode mode, std::uint64_t high, std::uint64_t low, Site site);
void reset_mask(Site site);
void set_deq_scale(float scale, Site site);
void set_pad_value(const Scalar& value, Site site);

}  // namespace ascendc_cpu
