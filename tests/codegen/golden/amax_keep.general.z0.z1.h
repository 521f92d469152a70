#pragma once

#include <cstddef>
#include <cstdint>

// What the host decides for one launch. Sizes are in elements unless a name says bytes.
struct AmaxKeepTilingData {
    int64_t ks0;  // shape
    int64_t ks1;  // shape
    int64_t z0t_size;  // tile of z0t
    int64_t z1t_size;  // tile of z1t
    int64_t z0Tb_size;  // tile of z0Tb
    uint32_t tiling_key;  // which template runs
    uint32_t block_dim;  // cores in use
    uint32_t q0_bytes;  // one buffer of q0
    uint32_t q1_bytes;  // one buffer of q1
    uint32_t tmp_bytes;  // one buffer of tmp
};

static_assert(offsetof(AmaxKeepTilingData, ks0) == 0, "ks0");
static_assert(offsetof(AmaxKeepTilingData, ks1) == 8, "ks1");
static_assert(offsetof(AmaxKeepTilingData, z0t_size) == 16, "z0t_size");
static_assert(offsetof(AmaxKeepTilingData, z1t_size) == 24, "z1t_size");
static_assert(offsetof(AmaxKeepTilingData, z0Tb_size) == 32, "z0Tb_size");
static_assert(offsetof(AmaxKeepTilingData, tiling_key) == 40, "tiling_key");
static_assert(offsetof(AmaxKeepTilingData, block_dim) == 44, "block_dim");
static_assert(offsetof(AmaxKeepTilingData, q0_bytes) == 48, "q0_bytes");
static_assert(offsetof(AmaxKeepTilingData, q1_bytes) == 52, "q1_bytes");
static_assert(offsetof(AmaxKeepTilingData, tmp_bytes) == 56, "tmp_bytes");
static_assert(sizeof(AmaxKeepTilingData) == 64, "size");
