// Transfers between GM and UB, copies inside UB, and scalar access to GM (ascendc_api_facts §2, §9).
#pragma once

#include "dtype.h"
#include "site.h"
#include "tensor.h"

namespace ascendc_cpu {

// `blocks` rows of `len_bytes`; gaps lie between the end of a row and the start of the next.
struct Transfer {
  std::int64_t blocks = 0;
  std::int64_t len_bytes = 0;
  std::int64_t gm_gap_bytes = 0;
  std::int64_t ub_gap_blocks = 0;
};

// What a load puts around each row, up to the next 32 bytes.
struct Padding {
  bool is_pad = false;
  std::int64_t left = 0;   // elements
  std::int64_t right = 0;  // elements
  std::uint64_t value = 0;
};

void load(const TensorRef& dst, const GmRef& src, const Transfer& transfer, const Padding& padding, const char* api, Site site);
void store(const GmRef& dst, const TensorRef& src, const Transfer& transfer, const char* api, Site site);

// The plain copies count in blocks of 32 bytes, or in elements that fill such blocks.
struct BlockCopy {
  std::int64_t blocks = 1;      // blockCount
  std::int64_t len_blocks = 0;  // blockLen
  std::int64_t src_gap_blocks = 0;
  std::int64_t dst_gap_blocks = 0;
};
void load_blocks(const TensorRef& dst, const GmRef& src, const BlockCopy& copy, Site site);
void store_blocks(const GmRef& dst, const TensorRef& src, const BlockCopy& copy, Site site);
void copy_blocks(const TensorRef& dst, const TensorRef& src, const BlockCopy& copy, Site site);
void load_count(const TensorRef& dst, const GmRef& src, std::int64_t count, Site site);
void store_count(const GmRef& dst, const TensorRef& src, std::int64_t count, Site site);
void copy_count(const TensorRef& dst, const TensorRef& src, std::int64_t count, Site site);

// `elements` < 0: SetGlobalBuffer without a size.
GmRef gm_view(std::uint8_t* address, std::int64_t elements, DType dtype, Site site);
GmRef gm_slice(const GmRef& tensor, Index offset);
std::uint64_t gm_get_value(const GmRef& tensor, Index element);
void gm_set_value(const GmRef& tensor, Index element, std::uint64_t bits);
// Writes back and forgets the core's cached lines of the tensor's buffer.
void clean_cache(const GmRef& tensor, Site site);

}  // namespace ascendc_cpu
