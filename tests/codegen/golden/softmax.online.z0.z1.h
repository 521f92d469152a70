#pragma once

#include <cstddef>
#include <cstdint>

// What the host decides for one launch. Sizes are in elements unless a name says bytes.
struct SoftmaxTilingData {
    int64_t ks0;  // shape
    int64_t ks1;  // shape
    int64_t z0t_size;  // tile of z0t
    int64_t z1t_size;  // tile of z1t
    int64_t z0Tb_size;  // tile of z0Tb
    uint32_t tiling_key;  // which template runs
    uint32_t block_dim;  // cores in use
    uint32_t b0_bytes;  // one buffer of b0
    uint32_t b1_bytes;  // one buffer of b1
    uint32_t b2_bytes;  // one buffer of b2
    uint32_t b3_bytes;  // one buffer of b3
    uint32_t b4_bytes;  // one buffer of b4
    uint32_t kept0_bytes;  // one buffer of kept0
    uint32_t q0_bytes;  // one buffer of q0
    uint32_t q1_bytes;  // one buffer of q1
    uint32_t tmp_bytes;  // one buffer of tmp
};

static_assert(offsetof(SoftmaxTilingData, ks0) == 0, "ks0");
static_assert(offsetof(SoftmaxTilingData, ks1) == 8, "ks1");
static_assert(offsetof(SoftmaxTilingData, z0t_size) == 16, "z0t_size");
static_assert(offsetof(SoftmaxTilingData, z1t_size) == 24, "z1t_size");
static_assert(offsetof(SoftmaxTilingData, z0Tb_size) == 32, "z0Tb_size");
static_assert(offsetof(SoftmaxTilingData, tiling_key) == 40, "tiling_key");
static_assert(offsetof(SoftmaxTilingData, block_dim) == 44, "block_dim");
static_assert(offsetof(SoftmaxTilingData, b0_bytes) == 48, "b0_bytes");
static_assert(offsetof(SoftmaxTilingData, b1_bytes) == 52, "b1_bytes");
static_assert(offsetof(SoftmaxTilingData, b2_bytes) == 56, "b2_bytes");
static_assert(offsetof(SoftmaxTilingData, b3_bytes) == 60, "b3_bytes");
static_assert(offsetof(SoftmaxTilingData, b4_bytes) == 64, "b4_bytes");
static_assert(offsetof(SoftmaxTilingData, kept0_bytes) == 68, "kept0_bytes");
static_assert(offsetof(SoftmaxTilingData, q0_bytes) == 72, "q0_bytes");
static_assert(offsetof(SoftmaxTilingData, q1_bytes) == 76, "q1_bytes");
static_assert(offsetof(SoftmaxTilingData, tmp_bytes) == 80, "tmp_bytes");
static_assert(sizeof(SoftmaxTilingData) == 88, "size");
