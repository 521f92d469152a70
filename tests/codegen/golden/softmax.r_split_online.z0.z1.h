#pragma once

#include <cstddef>
#include <cstdint>

// What the host decides for one launch. Sizes are in elements unless a name says bytes.
struct SoftmaxTilingData {
    int64_t ks0;  // shape
    int64_t ks1;  // shape
    int64_t z1t_size;  // tile of z1t
    int64_t z1Tt_size;  // tile of z1Tt
    int64_t z0t_size;  // tile of z0t
    int64_t z1p1t_size;  // tile of z1p1t
    int64_t z0p1z1p1Tb_size;  // tile of z0p1z1p1Tb
    uint32_t tiling_key;  // which template runs
    uint32_t block_dim;  // cores in use
    uint32_t phase0_b0_bytes;  // one buffer of b0
    uint32_t phase0_b1_bytes;  // one buffer of b1
    uint32_t phase0_kept0_bytes;  // one buffer of kept0
    uint32_t phase0_q0_bytes;  // one buffer of q0
    uint32_t phase0_q1_bytes;  // one buffer of q1
    uint32_t phase0_q2_bytes;  // one buffer of q2
    uint32_t phase0_tmp_bytes;  // one buffer of tmp
    uint32_t phase1_b0_bytes;  // one buffer of b0
    uint32_t phase1_b1_bytes;  // one buffer of b1
    uint32_t phase1_b2_bytes;  // one buffer of b2
    uint32_t phase1_b3_bytes;  // one buffer of b3
    uint32_t phase1_q0_bytes;  // one buffer of q0
    uint32_t phase1_q1_bytes;  // one buffer of q1
    uint32_t phase1_q2_bytes;  // one buffer of q2
    uint32_t phase1_q3_bytes;  // one buffer of q3
    uint32_t phase1_tmp_bytes;  // one buffer of tmp
};

static_assert(offsetof(SoftmaxTilingData, ks0) == 0, "ks0");
static_assert(offsetof(SoftmaxTilingData, ks1) == 8, "ks1");
static_assert(offsetof(SoftmaxTilingData, z1t_size) == 16, "z1t_size");
static_assert(offsetof(SoftmaxTilingData, z1Tt_size) == 24, "z1Tt_size");
static_assert(offsetof(SoftmaxTilingData, z0t_size) == 32, "z0t_size");
static_assert(offsetof(SoftmaxTilingData, z1p1t_size) == 40, "z1p1t_size");
static_assert(offsetof(SoftmaxTilingData, z0p1z1p1Tb_size) == 48, "z0p1z1p1Tb_size");
static_assert(offsetof(SoftmaxTilingData, tiling_key) == 56, "tiling_key");
static_assert(offsetof(SoftmaxTilingData, block_dim) == 60, "block_dim");
static_assert(offsetof(SoftmaxTilingData, phase0_b0_bytes) == 64, "phase0_b0_bytes");
static_assert(offsetof(SoftmaxTilingData, phase0_b1_bytes) == 68, "phase0_b1_bytes");
static_assert(offsetof(SoftmaxTilingData, phase0_kept0_bytes) == 72, "phase0_kept0_bytes");
static_assert(offsetof(SoftmaxTilingData, phase0_q0_bytes) == 76, "phase0_q0_bytes");
static_assert(offsetof(SoftmaxTilingData, phase0_q1_bytes) == 80, "phase0_q1_bytes");
static_assert(offsetof(SoftmaxTilingData, phase0_q2_bytes) == 84, "phase0_q2_bytes");
static_assert(offsetof(SoftmaxTilingData, phase0_tmp_bytes) == 88, "phase0_tmp_bytes");
static_assert(offsetof(SoftmaxTilingData, phase1_b0_bytes) == 92, "phase1_b0_bytes");
static_assert(offsetof(SoftmaxTilingData, phase1_b1_bytes) == 96, "phase1_b1_bytes");
static_assert(offsetof(SoftmaxTilingData, phase1_b2_bytes) == 100, "phase1_b2_bytes");
static_assert(offsetof(SoftmaxTilingData, phase1_b3_bytes) == 104, "phase1_b3_bytes");
static_assert(offsetof(SoftmaxTilingData, phase1_q0_bytes) == 108, "phase1_q0_bytes");
static_assert(offsetof(SoftmaxTilingData, phase1_q1_bytes) == 112, "phase1_q1_bytes");
static_assert(offsetof(SoftmaxTilingData, phase1_q2_bytes) == 116, "phase1_q2_bytes");
static_assert(offsetof(SoftmaxTilingData, phase1_q3_bytes) == 120, "phase1_q3_bytes");
static_assert(offsetof(SoftmaxTilingData, phase1_tmp_bytes) == 124, "phase1_tmp_bytes");
static_assert(sizeof(SoftmaxTilingData) == 128, "size");
