// Library functions without their C++ types: Broadcast, gathers, transposes, mathematics.
#pragma once

#include "vector.h"

namespace ascendc_cpu {

struct BroadcastShape {
  int dims;  // 1 or 2
  int axis;
  std::int64_t dst[2];
  std::int64_t src[2];
};
void broadcast(const TensorRef& dst, const TensorRef& src, const TensorRef* tmp, const BroadcastShape& shape, Site site);

void gather(const Operand& dst, const TensorRef& src, const TensorRef& offsets, std::int64_t base_bytes, const Lanes& lanes, Site site);

struct GatherMaskShape {
  std::int64_t block_stride;
  std::int64_t repeat;
  std::int64_t src0_repeat_stride;
  std::int64_t src1_repeat_stride;
};
// `bits` null: `pattern` 1..7. Returns the number of elements written.
std::uint64_t gather_mask(const TensorRef& dst, const TensorRef& src, const TensorRef* bits, std::int64_t pattern, bool reduce_mode,
                          std::int64_t mask, const GatherMaskShape& shape, Site site);

// A 16 x 16 block of 16-bit elements.
void transpose_block(const TensorRef& dst, const TensorRef& src, Site site);
// 16 rows of 32 bytes each way, of 16- or 32-bit elements; strides in blocks of 32 bytes.
void transpose_lists(const TensorRef* dst, const TensorRef* src, std::int64_t repeat, std::int64_t dst_stride, std::int64_t src_stride,
                     Site site);
// A tensor of the core's UB from a host address that GetPhyAddr returned.
TensorRef tensor_at(std::uint64_t address, DType dtype, Site site);

enum class MathOp : std::uint8_t { TANH, SIGMOID, ERF, SIN, COS, LOG, LOG2, LOG10, FLOOR, CEIL, ROUND, TRUNC, SIGN, GELU };
void math_unary(MathOp op, const TensorRef& dst, const TensorRef& src, const TensorRef* tmp, std::int64_t count, Site site);
void math_xor(const TensorRef& dst, const TensorRef& src0, const TensorRef& src1, const TensorRef* tmp, std::int64_t count, Site site);
// Exactly one of base and exponent may be a scalar: its tensor is null then.
void math_power(const TensorRef& dst, const TensorRef* base, const TensorRef* exponent, const Scalar& scalar, const TensorRef* tmp,
                std::int64_t count, Site site);

}  // namespace ascendc_cpu
