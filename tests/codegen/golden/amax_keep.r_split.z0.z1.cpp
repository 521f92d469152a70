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

// One pipe waits for all that another has been given so far.
template <HardEvent event>
__aicore__ inline void Handshake(TPipe &pipe)
{
    const TEventID id = pipe.FetchEventID(event);
    SetFlag<event>(id);
    WaitFlag<event>(id);
}

// Every element fills a 32-byte block of its own.
template <typename T>
__aicore__ inline void SpreadBlocks(const LocalTensor<T> &blocks, const LocalTensor<T> &src, int64_t count)
{
    constexpr int64_t block = 32 / sizeof(T);
    const int64_t repeats = (count + 7) / 8;
    for (int64_t done = 0; done < repeats; done += 248) {
        Brcb(blocks[done * 8 * block], src[done * 8], Smaller(248, repeats - done), BrcbRepeatParams(1, 8));
    }
}

// Template r_split.z0.z1, phase 0. z0 is m, z1 is n.
__aicore__ inline void AmaxKeepRSplitZ0Z1Phase0(GM_ADDR x, GM_ADDR workspace, const __gm__ AmaxKeepTilingData *tiling)
{
    const int64_t ks0 = tiling->ks0;
    const int64_t ks1 = tiling->ks1;
    const int64_t z1t_size = tiling->z1t_size;
    const int64_t z1Tt_size = tiling->z1Tt_size;
    const int64_t z0t_size = tiling->z0t_size;
    const int64_t z1T_size = DivideUp(ks1, z1t_size);
    const int64_t z1TT_size = DivideUp(z1T_size, z1Tt_size);
    const int64_t z0T_size = DivideUp(ks0, z0t_size);
    const int64_t z1TTz0T_size = z1TT_size * z0T_size;
    const int64_t z0t_pitch = DivideUp(z1t_size, 8) * 8;

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
    pipe.InitBuffer(tmpBuf, tiling->phase0_tmp_bytes);
    LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>();

    const int64_t firstTile = GetBlockIdx();
    const int64_t endTile = Smaller(firstTile + 1, z1TTz0T_size);
    for (int64_t z1TTz0T = firstTile; z1TTz0T < endTile; ++z1TTz0T) {
        const int64_t z1TT = z1TTz0T / z0T_size;
        const int64_t z0T = z1TTz0T % z0T_size;
        const int64_t z1Tt_actual = Smaller(z1Tt_size, z1T_size - z1TT * z1Tt_size);
        const int64_t z0t_actual = Smaller(z0t_size, ks0 - z0T * z0t_size);
        LocalTensor<float> maxLocal = q1.AllocTensor<float>();
        for (int64_t z1Tt = 0; z1Tt < z1Tt_actual; ++z1Tt) {
            const int64_t z1T = z1TT * z1Tt_size + z1Tt;
            const int64_t z1t_actual = Smaller(z1t_size, ks1 - z1T * z1t_size);

            // load = Load(x)
            LocalTensor<float> loadLocal = q0.AllocTensor<float>();
            DataCopyPad(loadLocal, xGm[z0T * ks1 * z0t_size + z1TT * z1t_size * z1Tt_size + z1Tt * z1t_size], DataCopyExtParams(z0t_actual, z1t_actual * 4, ks1 * 4 - 4 * z1t_actual, DivideUp(z1t_size, 8) - DivideUp(z1t_actual, 8), 0), NoPadding<float>());
            q0.EnQue(loadLocal);

            // max = Max(load) over z1
            loadLocal = q0.DeQue<float>();
            PipeBarrier<PIPE_V>();
            FillRowTails(loadLocal, -__builtin_inff(), z0t_actual, z1t_actual, z0t_pitch);
            const LocalTensor<float> maxResult = z1Tt == 0 ? maxLocal : tmp.ReinterpretCast<float>();
            const uint32_t maxShape[2] = {static_cast<uint32_t>(z0t_actual), static_cast<uint32_t>(z0t_pitch)};
            PipeBarrier<PIPE_V>();
            ReduceMax<float, Pattern::Reduce::AR>(maxResult, loadLocal, tmp[DivideUp(z0t_size * 4, 32) * 32], maxShape, true);
            if (z1Tt > 0) {
                PipeBarrier<PIPE_V>();
                Max(maxLocal, maxLocal, tmp.ReinterpretCast<float>(), z0t_actual);
            }
            q0.FreeTensor(loadLocal);
        }
        q1.EnQue(maxLocal);
        maxLocal = q1.DeQue<float>();

        // max_store = Store(max)
        PipeBarrier<PIPE_V>();
        SpreadBlocks(tmp.ReinterpretCast<float>(), maxLocal, z0t_actual);
        Handshake<HardEvent::V_MTE3>(pipe);
        DataCopyPad(max_partialsGm[z0T * z1TT_size * z0t_size + z1TT], tmp.ReinterpretCast<float>(), DataCopyExtParams(z0t_actual, 4, 0, z1TT_size * 4 - 4, 0));
        Handshake<HardEvent::MTE3_V>(pipe);
        q1.FreeTensor(maxLocal);
    }
}

// Template r_split.z0.z1, phase 1. z0p1 is m.
__aicore__ inline void AmaxKeepRSplitZ0Z1Phase1(GM_ADDR y, GM_ADDR workspace, const __gm__ AmaxKeepTilingData *tiling)
{
    const int64_t ks0 = tiling->ks0;
    const int64_t ks1 = tiling->ks1;
    const int64_t z0p1t_size = tiling->z0p1t_size;
    const int64_t z0p1Tb_size = tiling->z0p1Tb_size;
    const int64_t z1t_size = tiling->z1t_size;
    const int64_t z1Tt_size = tiling->z1Tt_size;
    const int64_t z1Pp1_size = DivideUp(DivideUp(ks1, z1t_size), z1Tt_size);
    const int64_t z0p1T_size = DivideUp(ks0, z0p1t_size);
    const int64_t z0p1t_pitch = DivideUp(z1Pp1_size, 8) * 8;

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

    const int64_t firstTile = GetBlockIdx() * z0p1Tb_size;
    const int64_t endTile = Smaller(firstTile + z0p1Tb_size, z0p1T_size);
    for (int64_t z0p1T = firstTile; z0p1T < endTile; ++z0p1T) {
        const int64_t z0p1t_actual = Smaller(z0p1t_size, ks0 - z0p1T * z0p1t_size);

        // max_load = Load(max_partials)
        LocalTensor<float> maxLoadLocal = q0.AllocTensor<float>();
        DataCopyPad(maxLoadLocal, max_partialsGm[z0p1T * z1Pp1_size * z0p1t_size], DataCopyExtParams(z0p1t_actual, z1Pp1_size * 4, 0, 0, 0), NoPadding<float>());
        q0.EnQue(maxLoadLocal);

        // max = Max(max_load) over z1Pp1
        maxLoadLocal = q0.DeQue<float>();
        LocalTensor<float> maxLocal = q1.AllocTensor<float>();
        PipeBarrier<PIPE_V>();
        FillRowTails(maxLoadLocal, -__builtin_inff(), z0p1t_actual, z1Pp1_size, z0p1t_pitch);
        const uint32_t maxShape[2] = {static_cast<uint32_t>(z0p1t_actual), static_cast<uint32_t>(z0p1t_pitch)};
        PipeBarrier<PIPE_V>();
        ReduceMax<float, Pattern::Reduce::AR>(maxLocal, maxLoadLocal, tmp, maxShape, true);
        q0.FreeTensor(maxLoadLocal);
        q1.EnQue(maxLocal);
        maxLocal = q1.DeQue<float>();

        // store = Store(max)
        DataCopyPad(yGm[z0p1T * z0p1t_size], maxLocal, DataCopyExtParams(1, z0p1t_actual * 4, 0, 0, 0));
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
