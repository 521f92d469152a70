#include "kernel_operator.h"

#include "softmax_tiling_data.h"

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

// Template r_split_online.z0.z1, phase 0. z0 is m, z1 is n.
__aicore__ inline void SoftmaxRSplitOnlineZ0Z1Phase0(GM_ADDR x, GM_ADDR workspace, const __gm__ SoftmaxTilingData *tiling)
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
    GlobalTensor<float> sum_running_partialsGm;
    sum_running_partialsGm.SetGlobalBuffer((__gm__ float *)workspace);

    TPipe pipe;
    TQue<TPosition::VECIN, 1> q0;  // load
    TQue<TPosition::VECOUT, 1> q1;  // max
    TQue<TPosition::VECOUT, 1> q2;  // sum_running
    TBuf<TPosition::VECCALC> b0;  // max_running
    TBuf<TPosition::VECCALC> b1;  // broadcast_running, sub_running, exp_running
    TBuf<TPosition::VECCALC> tmpBuf;
    pipe.InitBuffer(q0, 2, tiling->phase0_q0_bytes);
    pipe.InitBuffer(q1, 2, tiling->phase0_q1_bytes);
    pipe.InitBuffer(q2, 2, tiling->phase0_q2_bytes);
    pipe.InitBuffer(b0, tiling->phase0_b0_bytes);
    pipe.InitBuffer(b1, tiling->phase0_b1_bytes);
    pipe.InitBuffer(tmpBuf, tiling->phase0_tmp_bytes);
    LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>();
    TBuf<TPosition::VECCALC> kept0Buf;  // for sum_running
    pipe.InitBuffer(kept0Buf, tiling->phase0_kept0_bytes);
    const LocalTensor<uint8_t> kept0 = kept0Buf.Get<uint8_t>();
    const LocalTensor<float> maxRunningLocal = b0.Get<float>();
    const LocalTensor<float> broadcastRunningLocal = b1.Get<float>();
    const LocalTensor<float> subRunningLocal = b1.Get<float>();
    const LocalTensor<float> expRunningLocal = b1.Get<float>();

    const int64_t firstTile = GetBlockIdx();
    const int64_t endTile = Smaller(firstTile + 1, z1TTz0T_size);
    for (int64_t z1TTz0T = firstTile; z1TTz0T < endTile; ++z1TTz0T) {
        const int64_t z1TT = z1TTz0T / z0T_size;
        const int64_t z0T = z1TTz0T % z0T_size;
        const int64_t z1Tt_actual = Smaller(z1Tt_size, z1T_size - z1TT * z1Tt_size);
        const int64_t z0t_actual = Smaller(z0t_size, ks0 - z0T * z0t_size);
        LocalTensor<float> maxLocal = q1.AllocTensor<float>();
        LocalTensor<float> sumRunningLocal = q2.AllocTensor<float>();
        for (int64_t z1Tt = 0; z1Tt < z1Tt_actual; ++z1Tt) {
            const int64_t z1T = z1TT * z1Tt_size + z1Tt;
            const int64_t z1t_actual = Smaller(z1t_size, ks1 - z1T * z1t_size);
            const int64_t z0t_z1t_elems = (z0t_actual - 1) * z0t_pitch + z1t_actual;

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

            // max_running = Maximum(max, -3.4028234663852886e+38)
            PipeBarrier<PIPE_V>();
            Maxs(maxRunningLocal, maxLocal, -3.4028235e+38f, z0t_actual);

            // broadcast_running = Broadcast(max_running)
            const uint32_t broadcastRunningTo[2] = {static_cast<uint32_t>(z0t_actual), static_cast<uint32_t>(z0t_pitch)};
            const uint32_t broadcastRunningFrom[2] = {static_cast<uint32_t>(z0t_actual), 1};
            PipeBarrier<PIPE_V>();
            Broadcast<float, 2, 1>(broadcastRunningLocal, maxRunningLocal, broadcastRunningTo, broadcastRunningFrom, tmp);

            // sub_running = Sub(load, broadcast_running)
            PipeBarrier<PIPE_V>();
            Sub(subRunningLocal, loadLocal, broadcastRunningLocal, z0t_z1t_elems);
            q0.FreeTensor(loadLocal);

            // exp_running = Exp(sub_running)
            PipeBarrier<PIPE_V>();
            Exp(expRunningLocal, subRunningLocal, z0t_z1t_elems);

            // sum_running = ScaledSum(exp_running, max_running) over z1
            const LocalTensor<float> sumRunningBefore = kept0.ReinterpretCast<float>();
            if (z1Tt > 0) {
                PipeBarrier<PIPE_V>();
                Sub(sumRunningBefore, sumRunningBefore, maxRunningLocal, z0t_actual);
                PipeBarrier<PIPE_V>();
                Exp(sumRunningBefore, sumRunningBefore, z0t_actual);
                PipeBarrier<PIPE_V>();
                Mul(sumRunningLocal, sumRunningLocal, sumRunningBefore, z0t_actual);
            }
            PipeBarrier<PIPE_V>();
            FillRowTails(expRunningLocal, 0.0f, z0t_actual, z1t_actual, z0t_pitch);
            const LocalTensor<float> sumRunningResult = z1Tt == 0 ? sumRunningLocal : tmp.ReinterpretCast<float>();
            const uint32_t sumRunningShape[2] = {static_cast<uint32_t>(z0t_actual), static_cast<uint32_t>(z0t_pitch)};
            PipeBarrier<PIPE_V>();
            ReduceSum<float, Pattern::Reduce::AR>(sumRunningResult, expRunningLocal, tmp[DivideUp(z0t_size * 4, 32) * 32], sumRunningShape, true);
            if (z1Tt > 0) {
                PipeBarrier<PIPE_V>();
                Add(sumRunningLocal, sumRunningLocal, tmp.ReinterpretCast<float>(), z0t_actual);
            }
            PipeBarrier<PIPE_V>();
            Muls(sumRunningBefore, maxRunningLocal, 1.0f, z0t_actual);
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
        q2.EnQue(sumRunningLocal);
        sumRunningLocal = q2.DeQue<float>();

        // sum_running_store = Store(sum_running)
        PipeBarrier<PIPE_V>();
        SpreadBlocks(tmp.ReinterpretCast<float>(), sumRunningLocal, z0t_actual);
        Handshake<HardEvent::V_MTE3>(pipe);
        DataCopyPad(sum_running_partialsGm[z0T * z1TT_size * z0t_size + z1TT + ks0 * z1TT_size], tmp.ReinterpretCast<float>(), DataCopyExtParams(z0t_actual, 4, 0, z1TT_size * 4 - 4, 0));
        Handshake<HardEvent::MTE3_V>(pipe);
        q2.FreeTensor(sumRunningLocal);
    }
}

// Template r_split_online.z0.z1, phase 1. z0p1 is m, z1p1 is n.
__aicore__ inline void SoftmaxRSplitOnlineZ0Z1Phase1(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, const __gm__ SoftmaxTilingData *tiling)
{
    const int64_t ks0 = tiling->ks0;
    const int64_t ks1 = tiling->ks1;
    const int64_t z1p1t_size = tiling->z1p1t_size;
    const int64_t z0p1z1p1Tb_size = tiling->z0p1z1p1Tb_size;
    const int64_t z1t_size = tiling->z1t_size;
    const int64_t z1Tt_size = tiling->z1Tt_size;
    const int64_t z1Pp1_size = DivideUp(DivideUp(ks1, z1t_size), z1Tt_size);
    const int64_t z1p1T_size = DivideUp(ks1, z1p1t_size);
    const int64_t z0p1z1p1T_size = ks0 * z1p1T_size;

    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float *)x);
    GlobalTensor<float> yGm;
    yGm.SetGlobalBuffer((__gm__ float *)y);
    GlobalTensor<float> max_partialsGm;
    max_partialsGm.SetGlobalBuffer((__gm__ float *)workspace);
    GlobalTensor<float> sum_running_partialsGm;
    sum_running_partialsGm.SetGlobalBuffer((__gm__ float *)workspace);

    TPipe pipe;
    TQue<TPosition::VECIN, 1> q0;  // max_load
    TQue<TPosition::VECIN, 1> q1;  // sum_running_load
    TQue<TPosition::VECIN, 1> q2;  // load
    TQue<TPosition::VECOUT, 1> q3;  // max, sum_zero, sum, truediv
    TBuf<TPosition::VECCALC> b0;  // max_running, sum_running, broadcast1
    TBuf<TPosition::VECCALC> b1;  // broadcast, sub, exp
    TBuf<TPosition::VECCALC> b2;  // sum_running_own, sum_running_less, sum_running_factor, sum_running_scaled
    TBuf<TPosition::VECCALC> b3;  // sum_running_whole
    TBuf<TPosition::VECCALC> tmpBuf;
    pipe.InitBuffer(q0, 2, tiling->phase1_q0_bytes);
    pipe.InitBuffer(q1, 2, tiling->phase1_q1_bytes);
    pipe.InitBuffer(q2, 2, tiling->phase1_q2_bytes);
    pipe.InitBuffer(q3, 2, tiling->phase1_q3_bytes);
    pipe.InitBuffer(b0, tiling->phase1_b0_bytes);
    pipe.InitBuffer(b1, tiling->phase1_b1_bytes);
    pipe.InitBuffer(b2, tiling->phase1_b2_bytes);
    pipe.InitBuffer(b3, tiling->phase1_b3_bytes);
    LocalTensor<uint8_t> tmp;
    if (tiling->phase1_tmp_bytes > 0) {
        pipe.InitBuffer(tmpBuf, tiling->phase1_tmp_bytes);
        tmp = tmpBuf.Get<uint8_t>();
    }
    const LocalTensor<float> maxRunningLocal = b0.Get<float>();
    const LocalTensor<float> sumRunningLocal = b0.Get<float>();
    const LocalTensor<float> broadcast1Local = b0.Get<float>();
    const LocalTensor<float> broadcastLocal = b1.Get<float>();
    const LocalTensor<float> subLocal = b1.Get<float>();
    const LocalTensor<float> expLocal = b1.Get<float>();
    const LocalTensor<float> sumRunningOwnLocal = b2.Get<float>();
    const LocalTensor<float> sumRunningLessLocal = b2.Get<float>();
    const LocalTensor<float> sumRunningFactorLocal = b2.Get<float>();
    const LocalTensor<float> sumRunningScaledLocal = b2.Get<float>();
    const LocalTensor<float> sumRunningWholeLocal = b3.Get<float>();

    const int64_t firstTile = GetBlockIdx() * z0p1z1p1Tb_size;
    const int64_t endTile = Smaller(firstTile + z0p1z1p1Tb_size, z0p1z1p1T_size);
    for (int64_t z0p1z1p1T = firstTile; z0p1z1p1T < endTile; ++z0p1z1p1T) {
        const int64_t z0p1 = z0p1z1p1T / z1p1T_size;
        const int64_t z1p1T = z0p1z1p1T % z1p1T_size;
        const int64_t z1p1t_actual = Smaller(z1p1t_size, ks1 - z1p1T * z1p1t_size);

        // max_load = Load(max_partials)
        LocalTensor<float> maxLoadLocal = q0.AllocTensor<float>();
        DataCopyPad(maxLoadLocal, max_partialsGm[z0p1 * z1Pp1_size], DataCopyExtParams(1, z1Pp1_size * 4, 0, 0, 0), NoPadding<float>());
        q0.EnQue(maxLoadLocal);

        // sum_running_load = Load(sum_running_partials)
        LocalTensor<float> sumRunningLoadLocal = q1.AllocTensor<float>();
        DataCopyPad(sumRunningLoadLocal, sum_running_partialsGm[z0p1 * z1Pp1_size + ks0 * z1Pp1_size], DataCopyExtParams(1, z1Pp1_size * 4, 0, 0, 0), NoPadding<float>());
        q1.EnQue(sumRunningLoadLocal);

        // load = Load(x)
        LocalTensor<float> loadLocal = q2.AllocTensor<float>();
        DataCopyPad(loadLocal, xGm[z0p1 * ks1 + z1p1T * z1p1t_size], DataCopyExtParams(1, z1p1t_actual * 4, 0, 0, 0), NoPadding<float>());
        q2.EnQue(loadLocal);

        // max = Max(max_load) over z1Pp1
        maxLoadLocal = q0.DeQue<float>();
        LocalTensor<uint8_t> q3Local = q3.AllocTensor<uint8_t>();
        LocalTensor<float> maxLocal = q3Local.ReinterpretCast<float>();
        LocalTensor<float> sumZeroLocal = q3Local.ReinterpretCast<float>();
        LocalTensor<float> sumLocal = q3Local.ReinterpretCast<float>();
        LocalTensor<float> truedivLocal = q3Local.ReinterpretCast<float>();
        const uint32_t maxShape[2] = {1, static_cast<uint32_t>(z1Pp1_size)};
        PipeBarrier<PIPE_V>();
        ReduceMax<float, Pattern::Reduce::AR>(maxLocal, maxLoadLocal, tmp, maxShape, true);

        // max_running = Maximum(max, -3.4028234663852886e+38)
        PipeBarrier<PIPE_V>();
        Maxs(maxRunningLocal, maxLocal, -3.4028235e+38f, 1);

        // broadcast = Broadcast(max)
        Handshake<HardEvent::V_S>(pipe);
        const float maxValue = maxLocal.GetValue(0);
        Handshake<HardEvent::S_V>(pipe);
        Duplicate(broadcastLocal, maxValue, z1p1t_actual);

        // sub = Sub(load, broadcast)
        loadLocal = q2.DeQue<float>();
        PipeBarrier<PIPE_V>();
        Sub(subLocal, loadLocal, broadcastLocal, z1p1t_actual);
        q2.FreeTensor(loadLocal);

        // exp = Exp(sub)
        PipeBarrier<PIPE_V>();
        Exp(expLocal, subLocal, z1p1t_actual);

        // sum_running_own = Maximum(max_load, -3.4028234663852886e+38)
        Maxs(sumRunningOwnLocal, maxLoadLocal, -3.4028235e+38f, z1Pp1_size);
        q0.FreeTensor(maxLoadLocal);

        // sum_running_whole = Broadcast(max_running)
        Handshake<HardEvent::V_S>(pipe);
        const float maxRunningValue = maxRunningLocal.GetValue(0);
        Handshake<HardEvent::S_V>(pipe);
        Duplicate(sumRunningWholeLocal, maxRunningValue, z1Pp1_size);

        // sum_running_less = Sub(sum_running_own, sum_running_whole)
        PipeBarrier<PIPE_V>();
        Sub(sumRunningLessLocal, sumRunningOwnLocal, sumRunningWholeLocal, z1Pp1_size);

        // sum_running_factor = Exp(sum_running_less)
        PipeBarrier<PIPE_V>();
        Exp(sumRunningFactorLocal, sumRunningLessLocal, z1Pp1_size);

        // sum_running_scaled = Mul(sum_running_load, sum_running_factor)
        sumRunningLoadLocal = q1.DeQue<float>();
        PipeBarrier<PIPE_V>();
        Mul(sumRunningScaledLocal, sumRunningLoadLocal, sumRunningFactorLocal, z1Pp1_size);
        q1.FreeTensor(sumRunningLoadLocal);

        // sum_running = Sum(sum_running_scaled) over z1Pp1
        const uint32_t sumRunningShape[2] = {1, static_cast<uint32_t>(z1Pp1_size)};
        PipeBarrier<PIPE_V>();
        ReduceSum<float, Pattern::Reduce::AR>(sumRunningLocal, sumRunningScaledLocal, tmp, sumRunningShape, true);

        // sum_zero = Sub(max, max)
        Sub(sumZeroLocal, maxLocal, maxLocal, 1);

        // sum = Add(sum_running, sum_zero)
        PipeBarrier<PIPE_V>();
        Add(sumLocal, sumRunningLocal, sumZeroLocal, 1);

        // broadcast1 = Broadcast(sum)
        Handshake<HardEvent::V_S>(pipe);
        const float sumValue = sumLocal.GetValue(0);
        Handshake<HardEvent::S_V>(pipe);
        PipeBarrier<PIPE_V>();
        Duplicate(broadcast1Local, sumValue, z1p1t_actual);

        // truediv = TrueDiv(exp, broadcast1)
        PipeBarrier<PIPE_V>();
        Div(truedivLocal, expLocal, broadcast1Local, z1p1t_actual);
        q3.EnQue(q3Local);
        q3Local = q3.DeQue<uint8_t>();
        maxLocal = q3Local.ReinterpretCast<float>();
        sumZeroLocal = q3Local.ReinterpretCast<float>();
        sumLocal = q3Local.ReinterpretCast<float>();
        truedivLocal = q3Local.ReinterpretCast<float>();

        // store = Store(truediv)
        DataCopyPad(yGm[z0p1 * ks1 + z1p1T * z1p1t_size], truedivLocal, DataCopyExtParams(1, z1p1t_actual * 4, 0, 0, 0));
        q3.FreeTensor(q3Local);
    }
}

}  // namespace

extern "C" __global__ __aicore__ void softmax_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tilingData)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    const auto *tiling = reinterpret_cast<const __gm__ SoftmaxTilingData *>(tilingData);
    if (tiling->tiling_key == 3) {
        SoftmaxRSplitOnlineZ0Z1Phase0(x, workspace, tiling);
        SyncAll();
        SoftmaxRSplitOnlineZ0Z1Phase1(x, y, workspace, tiling);
    }
}
