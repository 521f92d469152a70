#include "kernel_operator.h"

#include "amax_keep_tiling_data.h"

using namespace AscendC;

namespace {
__aicore__ inline int64_t DivideUp(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

__aicore__ inline int64_t Smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// What a load leaves behind its blocks is never read.
template <typename T>
__aicore__ inline DataCopyPadExtParams<T> NoPadding()
{
    return DataCopyPadExtParams<T>(false, 0, 0, static_cast<T>(0.0f));
}

// Sets what lies behind the first `used` elements of every row. A row starts at a multiple of 32 bytes.
template <typename T>
__aicore__ inline void FillRowTails(const LocalTensor<T> &tensor, T value, int64_t rows, int64_t used, int64_t pitch)
{
    constexpr int64_t block = 32 / sizeof(T);
    const int64_t whole = used / block * block;  // whole blocks hold nothing but elements
    const int64_t first = used - whole;          // and so do these lanes of the next block
    if (used == pitch) {
        return;
    }
    if (pitch - whole <= 64 && pitch / block <= 255) {
        const uint64_t mask[2] = {(~0ULL << first) & (~0ULL >> (64 - (pitch - whole))), 0};
        for (int64_t row = 0; row < rows; row += 255) {
            Duplicate(tensor[row * pitch + whole], value, mask, Smaller(255, rows - row), 1, pitch / block);
        }
        return;
    }
    const uint64_t mask[2] = {(~0ULL << first) & (~0ULL >> (64 - block)), 0};
    const int64_t next = first > 0 ? whole + block : whole;
    for (int64_t row = 0; row < rows; ++row) {
        if (first > 0) {
            Duplicate(tensor[row * pitch + whole], value, mask, 1, 1, 8);
        }
        if (next < pitch) {
            Duplicate(tensor[row * pitch + next], value, pitch - next);
        }
    }
}

// Template r_split.z0.z1, phase 0. z0 is m, z1 is n.
__aicore__ inline void AmaxKeepRSplitZ0Z1Phase0(GM_ADDR x, GM_ADDR workspace, const __gm__ AmaxKeepTilingData *tiling)
{
    const int64_t ks0 = tiling->ks0;
    const int64_t ks1 = tiling->ks1;
    const int64_t z1t_size = tiling->z1t_size;
    const int64_t z0z1Tb_size = tiling->z0z1Tb_size;
    const int64_t z1T_size = DivideUp(ks1, z1t_size);
    const int64_t z0z1T_size = ks0 * z1T_size;

    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float *)x);
    GlobalTensor<float> max_partialsGm;
    max_partialsGm.SetGlobalBuffer((__gm__ float *)workspace);

    TPipe pipe;
    TQue<TPosition::VECIN, 1> q0;  // load
    TQue<TPosition::VECOUT, 1> q1;  // max
    TBuf<TPosition::VECCALC> tmpBuf;
    pipe.InitBuffer(q0, 2, tiling->phase0_q0_bytes);
    pipe.InitBuffer(q1, 2, tiling->phase0_q1_bytes);
    LocalTensor<uint8_t> tmp;
    if (tiling->phase0_tmp_bytes > 0) {
        pipe.InitBuffer(tmpBuf, tiling->phase0_tmp_bytes);
        tmp = tmpBuf.Get<uint8_t>();
    }

    const int64_t firstTile = GetBlockIdx() * z0z1Tb_size;
    const int64_t endTile = Smaller(firstTile + z0z1Tb_size, z0z1T_size);
    for (int64_t z0z1T = firstTile; z0z1T < endTile; ++z0z1T) {
        const int64_t z0 = z0z1T / z1T_size;
        const int64_t z1T = z0z1T % z1T_size;
        const int64_t z1t_actual = Smaller(z1t_size, ks1 - z1T * z1t_size);

        // load = Load(x)
        LocalTensor<float> loadLocal = q0.AllocTensor<float>();
        DataCopyPad(loadLocal, xGm[z0 * ks1 + z1T * z1t_size], DataCopyExtParams(1, z1t_actual * 4, 0, 0, 0), NoPadding<float>());
        q0.EnQue(loadLocal);

        // max = Max(load) over z1
        loadLocal = q0.DeQue<float>();
        LocalTensor<float> maxLocal = q1.AllocTensor<float>();
        const uint32_t maxShape[2] = {1, static_cast<uint32_t>(z1t_actual)};
        PipeBarrier<PIPE_V>();
        ReduceMax<float, Pattern::Reduce::AR>(maxLocal, loadLocal, tmp, maxShape, true);
        q0.FreeTensor(loadLocal);
        q1.EnQue(maxLocal);
        maxLocal = q1.DeQue<float>();

        // max_store = Store(max)
        DataCopyPad(max_partialsGm[z0 * z1T_size + z1T], maxLocal, DataCopyExtParams(1, 4, 0, 0, 0));
        q1.FreeTensor(maxLocal);
    }
}

// Template r_split.z0.z1, phase 1. z0 is m.
__aicore__ inline void AmaxKeepRSplitZ0Z1Phase1(GM_ADDR y, GM_ADDR workspace, const __gm__ AmaxKeepTilingData *tiling)
{
    const int64_t ks0 = tiling->ks0;
    const int64_t ks1 = tiling->ks1;
    const int64_t z0t_size = tiling->z0t_size;
    const int64_t z0Tb_size = tiling->z0Tb_size;
    const int64_t z1t_size = tiling->z1t_size;
    const int64_t z1P_size = DivideUp(ks1, z1t_size);
    const int64_t z0T_size = DivideUp(ks0, z0t_size);
    const int64_t z0t_pitch = DivideUp(z1P_size, 8) * 8;

    GlobalTensor<float> yGm;
    yGm.SetGlobalBuffer((__gm__ float *)y);
    GlobalTensor<float> max_partialsGm;
    max_partialsGm.SetGlobalBuffer((__gm__ float *)workspace);

    TPipe pipe;
    TQue<TPosition::VECIN, 1> q0;  // max_load
    TQue<TPosition::VECOUT, 1> q1;  // max
    TBuf<TPosition::VECCALC> tmpBuf;
    pipe.InitBuffer(q0, 2, tiling->phase1_q0_bytes);
    pipe.InitBuffer(q1, 2, tiling->phase1_q1_bytes);
    LocalTensor<uint8_t> tmp;
    if (tiling->phase1_tmp_bytes > 0) {
        pipe.InitBuffer(tmpBuf, tiling->phase1_tmp_bytes);
        tmp = tmpBuf.Get<uint8_t>();
    }

    const int64_t firstTile = GetBlockIdx() * z0Tb_size;
    const int64_t endTile = Smaller(firstTile + z0Tb_size, z0T_size);
    for (int64_t z0T = firstTile; z0T < endTile; ++z0T) {
        const int64_t z0t_actual = Smaller(z0t_size, ks0 - z0T * z0t_size);

        // max_load = Load(max_partials)
        LocalTensor<float> maxLoadLocal = q0.AllocTensor<float>();
        DataCopyPad(maxLoadLocal, max_partialsGm[z0T * z1P_size * z0t_size], DataCopyExtParams(z0t_actual, z1P_size * 4, 0, 0, 0), NoPadding<float>());
        q0.EnQue(maxLoadLocal);

        // max = Max(max_load) over z1P
        maxLoadLocal = q0.DeQue<float>();
        LocalTensor<float> maxLocal = q1.AllocTensor<float>();
        PipeBarrier<PIPE_V>();
        FillRowTails(maxLoadLocal, -__builtin_inff(), z0t_actual, z1P_size, z0t_pitch);
        const uint32_t maxShape[2] = {static_cast<uint32_t>(z0t_actual), static_cast<uint32_t>(z0t_pitch)};
        PipeBarrier<PIPE_V>();
        ReduceMax<float, Pattern::Reduce::AR>(maxLocal, maxLoadLocal, tmp, maxShape, true);
        q0.FreeTensor(maxLoadLocal);
        q1.EnQue(maxLocal);
        maxLocal = q1.DeQue<float>();

        // store = Store(max)
        DataCopyPad(yGm[z0T * z0t_size], maxLocal, DataCopyExtParams(1, z0t_actual * 4, 0, 0, 0));
        q1.FreeTensor(maxLocal);
    }
}

}  // namespace

extern "C" __global__ __aicore__ void amax_keep_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tilingData)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    const auto *tiling = reinterpret_cast<const __gm__ AmaxKeepTilingData *>(tilingData);
    if (tiling->tiling_key == 2) {
        AmaxKeepRSplitZ0Z1Phase0(x, workspace, tiling);
        SyncAll();
        AmaxKeepRSplitZ0Z1Phase1(y, workspace, tiling);
    }
}
