#pragma once

#include <cstddef>
#include <cstdint>

// What the host decides for one launch. Sizes are in elements unless a name says bytes.
struct AddRowTilingData {
    int64_t ks0;  // shape
    int64_t ks1;  // shape
    int64_t z0t_size;  // tile of z0t
    int64_t z0Tb_size;  // tile of z0Tb
    uint32_t tiling_key;  // which template runs
    uint32_t block_dim;  // cores in use
    uint32_t q0_bytes;  // one buffer of q0
    uint32_t q1_bytes;  // one buffer of q1
    uint32_t q2_bytes;  // one buffer of q2
};

static_assert(offsetof(AddRowTilingData, ks0) == 0, "ks0");
static_assert(offsetof(AddRowTilingData, ks1) == 8, "ks1");
static_assert(offsetof(AddRowTilingData, z0t_size) == 16, "z0t_size");
static_assert(offsetof(AddRowTilingData, z0Tb_size) == 24, "z0Tb_size");
static_assert(offsetof(AddRowTilingData, tiling_key) == 32, "tiling_key");
static_assert(offsetof(AddRowTilingData, block_dim) == 36, "block_dim");
static_assert(offsetof(AddRowTilingData, q0_bytes) == 40, "q0_bytes");
static_assert(offsetof(AddRowTilingData, q1_bytes) == 44, "q1_bytes");
static_assert(offsetof(AddRowTilingData, q2_bytes) == 48, "q2_bytes");
static_assert(sizeof(AddRowTilingData) == 56, "size");
