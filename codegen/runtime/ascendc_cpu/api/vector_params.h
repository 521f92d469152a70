// Stride parameters of vector instructions, and how the three calling styles become lanes (ascendc_api_facts §5). Fields are wider than
// on the device, so that a value beyond a field's limit is seen and not cut off.
#pragma once

#include "../machine/reduce_calls.h"
#include "../machine/vector_calls.h"
#include "tensor.h"

namespace AscendC {

struct UnaryRepeatParams {
  std::int64_t dstBlkStride = 1;
  std::int64_t srcBlkStride = 1;
  std::int64_t dstRepStride = 8;
  std::int64_t srcRepStride = 8;

  UnaryRepeatParams() = default;
  UnaryRepeatParams(std::int64_t dst_blk, std::int64_t src_blk, std::int64_t dst_rep, std::int64_t src_rep)
      : dstBlkStride(dst_blk), srcBlkStride(src_blk), dstRepStride(dst_rep), srcRepStride(src_rep) {}
};

struct BinaryRepeatParams {
  std::int64_t dstBlkStride = 1;
  std::int64_t src0BlkStride = 1;
  std::int64_t src1BlkStride = 1;
  std::int64_t dstRepStride = 8;
  std::int64_t src0RepStride = 8;
  std::int64_t src1RepStride = 8;

  BinaryRepeatParams() = default;
  BinaryRepeatParams(std::int64_t dst_blk, std::int64_t src0_blk, std::int64_t src1_blk, std::int64_t dst_rep, std::int64_t src0_rep,
                     std::int64_t src1_rep)
      : dstBlkStride(dst_blk),
        src0BlkStride(src0_blk),
        src1BlkStride(src1_blk),
        dstRepStride(dst_rep),
        src0RepStride(src0_rep),
        src1RepStride(src1_rep) {}
};

struct CopyRepeatParams {
  std::int64_t dstStride = 1;
  std::int64_t srcStride = 1;
  std::int64_t dstRepeatSize = 8;
  std::int64_t srcRepeatSize = 8;

  CopyRepeatParams() = default;
  CopyRepeatParams(std::int64_t dst_stride, std::int64_t src_stride, std::int64_t dst_repeat, std::int64_t src_repeat)
      : dstStride(dst_stride), srcStride(src_stride), dstRepeatSize(dst_repeat), srcRepeatSize(src_repeat) {}
};

struct BrcbRepeatParams {
  std::int64_t dstBlkStride = 1;
  std::int64_t dstRepStride = 8;

  BrcbRepeatParams() = default;
  BrcbRepeatParams(std::int64_t dst_blk, std::int64_t dst_rep) : dstBlkStride(dst_blk), dstRepStride(dst_rep) {}
};

}  // namespace AscendC

namespace ascendc_cpu {

template <class T>
inline Operand operand(const AscendC::LocalTensor<T>& tensor, const char* role, std::int64_t block_stride = 1,
                       std::int64_t repeat_stride = 8) {
  return {tensor.ref(), block_stride, repeat_stride, role};
}

}  // namespace ascendc_cpu
