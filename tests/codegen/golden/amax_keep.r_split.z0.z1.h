#pragma once

#include <cstddef>
#include <cstdint>

// What the host decides for one launch. Sizes are in elements unless a name says bytes.
struct AmaxKeepTilingData {
    int64_t ks0;  // shape
    int64_t ks1;  // shape
    int64_t z1t_size;  // tile of z1t
    int64_t z1Tt_size;  // tile of z1Tt
    int64_t z0t_size;  // tile of z0t
    int64_t z0p1t_size;  // tile of z0p1t
    int64_t z0p1Tb_size;  // tile of z0p1Tb
    uint32_t tiling_key;  // which template runs
    uint32_t block_dim;  // cores in use
    uint32_t phase0_q0_bytes;  // one buffer of q0
    uint32_t phase0_q1_bytes;  // one buffer of q1
    uint32_t phase0_tmp_bytes;  // one buffer of tmp
    uint32_t phase1_q0_bytes;  // one buffer of q0
    uint32_t phase1_q1_bytes;  // one buffer of q1
    uint32_t phase1_tmp_bytes;  // one buffer of tmp
};

static_assert(offsetof(AmaxKeepTilingData, ks0) == 0, "ks0");
static_assert(offsetof(AmaxKeepTilingData, ks1) == 8, "ks1");
static_assert(offsetof(AmaxKeepTilingData, z1t_size) == 16, "z1t_size");
static_assert(offsetof(AmaxKeepTilingData, z1Tt_size) == 24, "z1Tt_size");
static_assert(offsetof(AmaxKeepTilingData, z0t_size) == 32, "z0t_size");
static_assert(offsetof(AmaxKeepTilingData, z0p1t_size) == 40, "z0p1t_size");
static_assert(offsetof(AmaxKeepTilingData, z0p1Tb_size) == 48, "z0p1Tb_size");
static_assert(offsetof(AmaxKeepTilingData, tiling_key) == 56, "tiling_key");
static_assert(offsetof(AmaxKeepTilingData, block_dim) == 60, "block_dim");
static_assert(offsetof(AmaxKeepTilingData, phase0_q0_bytes) == 64, "phase0_q0_bytes");
static_assert(offsetof(AmaxKeepTilingData, phase0_q1_bytes) == 68, "phase0_q1_bytes");
static_assert(offsetof(AmaxKeepTilingData, phase0_tmp_bytes) == 72, "phase0_tmp_bytes");
static_assert(offsetof(AmaxKeepTilingData, phase1_q0_bytes) == 76, "phase1_q0_bytes");
static_assert(offsetof(AmaxKeepTilingData, phase1_q1_bytes) == 80, "phase1_q1_bytes");
static_assert(offsetof(AmaxKeepTilingData, phase1_tmp_bytes) == 84, "phase1_tmp_bytes");
static_assert(sizeof(AmaxKeepTilingData) == 88, "size");
