// Public enumerations of AscendC, as far as a vector core uses them.
#pragma once

#include <cstdint>

enum pipe_t { PIPE_S = 0, PIPE_V, PIPE_MTE2, PIPE_MTE3, PIPE_ALL };

enum event_t { EVENT_ID0 = 0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

namespace AscendC {

enum class TPosition : std::uint8_t { GM, VECIN, VECOUT, VECCALC };
using QuePosition = TPosition;

enum class HardEvent : std::uint8_t {
  MTE2_V,
  V_MTE2,
  V_MTE3,
  MTE3_V,
  MTE2_MTE3,
  MTE3_MTE2,
  V_S,
  S_V,
  MTE2_S,
  S_MTE2,
  MTE3_S,
  S_MTE3,
};

using TEventID = std::int8_t;

enum class RoundMode : std::uint8_t { CAST_NONE, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD };

enum class CMPMODE : std::uint8_t { LT, GT, EQ, LE, GE, NE };

enum class SELMODE : std::uint8_t { VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };

enum class ReduceOrder : std::uint8_t { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };

enum class MaskMode : std::uint8_t { NORMAL, COUNTER };

enum class CacheLine : std::uint8_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : std::uint8_t { CACHELINE_ALL, CACHELINE_OUT };

enum KernelType { KERNEL_TYPE_AIV_ONLY, KERNEL_TYPE_MIX_AIV_1_0 };

namespace Pattern {
namespace Reduce {
struct AR {};
struct RA {};
}  // namespace Reduce
}  // namespace Pattern

constexpr std::int32_t ONE_BLK_SIZE = 32;
constexpr std::int32_t DEFAULT_BLK_NUM = 8;
constexpr std::int32_t DEFAULT_BLK_STRIDE = 1;
constexpr std::int32_t DEFAULT_REPEAT_STRIDE = 8;
constexpr std::int32_t MAX_REPEAT_TIMES = 255;
constexpr std::uint64_t MASK_PLACEHOLDER = 0;

}  // namespace AscendC
