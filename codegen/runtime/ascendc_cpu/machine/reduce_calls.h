// Reductions without their C++ types (ascendc_api_facts §7).
#pragma once

#include "../api/enums.h"
#include "vector.h"

namespace ascendc_cpu {

enum class ReduceOp : std::uint8_t { SUM, MAX, MIN };

// One result for each iteration, each 32-byte block, or each pair of lanes. `dst_stride` counts in the unit of the call (§7.1).
void reduce_repeats(ReduceOp op, const char* api, const TensorRef& dst, const Operand& src, std::int64_t dst_stride,
                    AscendC::ReduceOrder order, const Lanes& lanes, Site site);
void reduce_blocks(ReduceOp op, const char* api, const TensorRef& dst, const Operand& src, std::int64_t dst_stride, const Lanes& lanes,
                   Site site);
void reduce_pairs(const char* api, const TensorRef& dst, const Operand& src, std::int64_t dst_stride, const Lanes& lanes, Site site);

// One result in all; dst[0], and its index in dst[1] (§7.2).
void reduce_first(ReduceOp op, const char* api, const TensorRef& dst, const Operand& src, const TensorRef& tmp, bool with_index,
                  const Lanes& lanes, Site site);

// Rows or columns of a matrix (§7.3).
enum class MatrixReduce : std::uint8_t { SUM, MAX, MIN, PROD, MEAN, ANY, ALL };
struct MatrixShape {
  std::int64_t first;
  std::int64_t last;
  bool inner_pad;
  bool rows;  // AR: each row to one value; else RA: each column
  bool reuse_source;
};
// `tmp` null: the library takes what InitBuffer left of UB.
void reduce_matrix(MatrixReduce op, const TensorRef& dst, const TensorRef& src, const TensorRef* tmp, const MatrixShape& shape, Site site);

}  // namespace ascendc_cpu
