// Qualifiers and macros of the device language, which mean nothing on a CPU (ascendc_api_facts §2).
#pragma once

#include <cstdint>

#include "../number.h"
#include "enums.h"

#define __aicore__
#define __global__
#define __gm__
#define __ubuf__

#define GM_ADDR __gm__ std::uint8_t*

#define KERNEL_TASK_TYPE_DEFAULT(type)
#define KERNEL_TASK_TYPE(key, type)
#define TILING_KEY_IS(key) (ascendc_cpu::tiling_key() == (key))

namespace ascendc_cpu {
std::int64_t tiling_key();
}
