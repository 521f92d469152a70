#pragma once

#include <cstddef>
#include <cstdint>

// What the host decides for one launch. Sizes are in elements unless a name says bytes.
struct ReduceAllTilingData {
    int64_t ks0;  // shape
    int64_t ks1;  // shape
    int64_t z0z1t_size;  // tile of z0z1t
    uint32_t tiling_key;  // which template runs
    uint32_t block_dim;  // cores in use
    uint32_t q0_bytes;  // one buffer of q0
    uint32_t q1_bytes;  // one buffer of q1
    uint32_t tmp_bytes;  // one buffer of tmp
};

static_assert(offsetof(ReduceAllTilingData, ks0) == 0, "ks0");
static_assert(offsetof(ReduceAllTilingData, ks1) == 8, "ks1");
static_assert(offsetof(ReduceAllTilingData, z0z1t_size) == 16, "z0z1t_size");
static_assert(offsetof(ReduceAllTilingData, tiling_key) == 24, "tiling_key");
static_assert(offsetof(ReduceAllTilingData, block_dim) == 28, "block_dim");
static_assert(offsetof(ReduceAllTilingData, q0_bytes) == 32, "q0_bytes");
static_assert(offsetof(ReduceAllTilingData, q1_bytes) == 36, "q1_bytes");
static_assert(offsetof(ReduceAllTilingData, tmp_bytes) == 40, "tmp_bytes");
static_assert(sizeof(ReduceAllTilingData) == 48, "size");
