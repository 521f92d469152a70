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

// Template online.z0.z1. z0 is m, z1 is n.
__aicore__ inline void SoftmaxOnlineZ0Z1(GM_ADDR x, GM_ADDR y, const __gm__ SoftmaxTilingData *tiling)
{
    const int64_t ks0 = tiling->ks0;
    const int64_t ks1 = tiling->ks1;
    const int64_t z0t_size = tiling->z0t_size;
    const int64_t z1t_size = tiling->z1t_size;
    const int64_t z0Tb_size = tiling->z0Tb_size;
    const int64_t z0T_size = DivideUp(ks0, z0t_size);
    const int64_t z1T_size = DivideUp(ks1, z1t_size);
    const int64_t z0t_pitch = DivideUp(z1t_size, 8) * 8;

    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float *)x);
    GlobalTensor<float> yGm;
    yGm.SetGlobalBuffer((__gm__ float *)y);

    TPipe pipe;
    TQue<TPosition::VECIN, 1> q0;  // load / load_walk2
    TQue<TPosition::VECOUT, 1> q1;  // truediv
    TBuf<TPosition::VECCALC> b0;  // max
    TBuf<TPosition::VECCALC> b1;  // max_running, sum_zero
    TBuf<TPosition::VECCALC> b2;  // broadcast_running, sub_running, exp_running, broadcast, sub, exp
    TBuf<TPosition::VECCALC> b3;  // sum_running, sum
    TBuf<TPosition::VECCALC> b4;  // broadcast1
    TBuf<TPosition::VECCALC> tmpBuf;
    pipe.InitBuffer(q0, 2, tiling->q0_bytes);
    pipe.InitBuffer(q1, 2, tiling->q1_bytes);
    pipe.InitBuffer(b0, tiling->b0_bytes);
    pipe.InitBuffer(b1, tiling->b1_bytes);
    pipe.InitBuffer(b2, tiling->b2_bytes);
    pipe.InitBuffer(b3, tiling->b3_bytes);
    pipe.InitBuffer(b4, tiling->b4_bytes);
    pipe.InitBuffer(tmpBuf, tiling->tmp_bytes);
    LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>();
    TBuf<TPosition::VECCALC> kept0Buf;  // for sum_running
    pipe.InitBuffer(kept0Buf, tiling->kept0_bytes);
    const LocalTensor<uint8_t> kept0 = kept0Buf.Get<uint8_t>();
    const LocalTensor<float> maxLocal = b0.Get<float>();
    const LocalTensor<float> maxRunningLocal = b1.Get<float>();
    const LocalTensor<float> sumZeroLocal = b1.Get<float>();
    const LocalTensor<float> broadcastRunningLocal = b2.Get<float>();
    const LocalTensor<float> subRunningLocal = b2.Get<float>();
    const LocalTensor<float> expRunningLocal = b2.Get<float>();
    const LocalTensor<float> broadcastLocal = b2.Get<float>();
    const LocalTensor<float> subLocal = b2.Get<float>();
    const LocalTensor<float> expLocal = b2.Get<float>();
    const LocalTensor<float> sumRunningLocal = b3.Get<float>();
    const LocalTensor<float> sumLocal = b3.Get<float>();
    const LocalTensor<float> broadcast1Local = b4.Get<float>();

    const int64_t firstTile = GetBlockIdx() * z0Tb_size;
    const int64_t endTile = Smaller(firstTile + z0Tb_size, z0T_size);
    for (int64_t z0T = firstTile; z0T < endTile; ++z0T) {
        const int64_t z0t_actual = Smaller(z0t_size, ks0 - z0T * z0t_size);

        // Walk 1 of 2 over z1.
        for (int64_t z1T = 0; z1T < z1T_size; ++z1T) {
            const int64_t z1t_actual = Smaller(z1t_size, ks1 - z1T * z1t_size);
            const int64_t z0t_z1t_elems = (z0t_actual - 1) * z0t_pitch + z1t_actual;

            // load = Load(x)
            LocalTensor<float> loadLocal = q0.AllocTensor<float>();
            DataCopyPad(loadLocal, xGm[z0T * ks1 * z0t_size + z1T * z1t_size], DataCopyExtParams(z0t_actual, z1t_actual * 4, ks1 * 4 - 4 * z1t_actual, DivideUp(z1t_size, 8) - DivideUp(z1t_actual, 8), 0), NoPadding<float>());
            q0.EnQue(loadLocal);

            // max = Max(load) over z1
            loadLocal = q0.DeQue<float>();
            PipeBarrier<PIPE_V>();
            FillRowTails(loadLocal, -__builtin_inff(), z0t_actual, z1t_actual, z0t_pitch);
            const LocalTensor<float> maxResult = z1T == 0 ? maxLocal : tmp.ReinterpretCast<float>();
            const uint32_t maxShape[2] = {static_cast<uint32_t>(z0t_actual), static_cast<uint32_t>(z0t_pitch)};
            PipeBarrier<PIPE_V>();
            ReduceMax<float, Pattern::Reduce::AR>(maxResult, loadLocal, tmp[DivideUp(z0t_size * 4, 32) * 32], maxShape, true);
            if (z1T > 0) {
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
            if (z1T > 0) {
                PipeBarrier<PIPE_V>();
                Sub(sumRunningBefore, sumRunningBefore, maxRunningLocal, z0t_actual);
                PipeBarrier<PIPE_V>();
                Exp(sumRunningBefore, sumRunningBefore, z0t_actual);
                PipeBarrier<PIPE_V>();
                Mul(sumRunningLocal, sumRunningLocal, sumRunningBefore, z0t_actual);
            }
            PipeBarrier<PIPE_V>();
            FillRowTails(expRunningLocal, 0.0f, z0t_actual, z1t_actual, z0t_pitch);
            const LocalTensor<float> sumRunningResult = z1T == 0 ? sumRunningLocal : tmp.ReinterpretCast<float>();
            const uint32_t sumRunningShape[2] = {static_cast<uint32_t>(z0t_actual), static_cast<uint32_t>(z0t_pitch)};
            PipeBarrier<PIPE_V>();
            ReduceSum<float, Pattern::Reduce::AR>(sumRunningResult, expRunningLocal, tmp[DivideUp(z0t_size * 4, 32) * 32], sumRunningShape, true);
            if (z1T > 0) {
                PipeBarrier<PIPE_V>();
                Add(sumRunningLocal, sumRunningLocal, tmp.ReinterpretCast<float>(), z0t_actual);
            }
            PipeBarrier<PIPE_V>();
            Muls(sumRunningBefore, maxRunningLocal, 1.0f, z0t_actual);
        }

        // sum_zero = Sub(max, max)
        PipeBarrier<PIPE_V>();
        Sub(sumZeroLocal, maxLocal, maxLocal, z0t_actual);

        // sum = Add(sum_running, sum_zero)
        PipeBarrier<PIPE_V>();
        Add(sumLocal, sumRunningLocal, sumZeroLocal, z0t_actual);

        // Walk 2 of 2 over z1.
        for (int64_t z1T = 0; z1T < z1T_size; ++z1T) {
            const int64_t z1t_actual = Smaller(z1t_size, ks1 - z1T * z1t_size);
            const int64_t z0t_z1t_elems = (z0t_actual - 1) * z0t_pitch + z1t_actual;

            // load_walk2 = Load(x)
            LocalTensor<float> loadWalk2Local = q0.AllocTensor<float>();
            DataCopyPad(loadWalk2Local, xGm[z0T * ks1 * z0t_size + z1T * z1t_size], DataCopyExtParams(z0t_actual, z1t_actual * 4, ks1 * 4 - 4 * z1t_actual, DivideUp(z1t_size, 8) - DivideUp(z1t_actual, 8), 0), NoPadding<float>());
            q0.EnQue(loadWalk2Local);

            // broadcast = Broadcast(max)
            const uint32_t broadcastTo[2] = {static_cast<uint32_t>(z0t_actual), static_cast<uint32_t>(z0t_pitch)};
            const uint32_t broadcastFrom[2] = {static_cast<uint32_t>(z0t_actual), 1};
            PipeBarrier<PIPE_V>();
            Broadcast<float, 2, 1>(broadcastLocal, maxLocal, broadcastTo, broadcastFrom, tmp);

            // sub = Sub(load_walk2, broadcast)
            loadWalk2Local = q0.DeQue<float>();
            PipeBarrier<PIPE_V>();
            Sub(subLocal, loadWalk2Local, broadcastLocal, z0t_z1t_elems);
            q0.FreeTensor(loadWalk2Local);

            // exp = Exp(sub)
            PipeBarrier<PIPE_V>();
            Exp(expLocal, subLocal, z0t_z1t_elems);

            // broadcast1 = Broadcast(sum)
            const uint32_t broadcast1To[2] = {static_cast<uint32_t>(z0t_actual), static_cast<uint32_t>(z0t_pitch)};
            const uint32_t broadcast1From[2] = {static_cast<uint32_t>(z0t_actual), 1};
            Broadcast<float, 2, 1>(broadcast1Local, sumLocal, broadcast1To, broadcast1From, tmp);

            // truediv = TrueDiv(exp, broadcast1)
            LocalTensor<float> truedivLocal = q1.AllocTensor<float>();
            PipeBarrier<PIPE_V>();
            Div(truedivLocal, expLocal, broadcast1Local, z0t_z1t_elems);
            q1.EnQue(truedivLocal);
            truedivLocal = q1.DeQue<float>();

            // store = Store(truediv)
            DataCopyPad(yGm[z0T * ks1 * z0t_size + z1T * z1t_size], truedivLocal, DataCopyExtParams(z0t_actual, z1t_actual * 4, DivideUp(z1t_size, 8) - DivideUp(z1t_actual, 8), ks1 * 4 - 4 * z1t_actual, 0));
            q1.FreeTensor(truedivLocal);
        }
    }
}

}  // namespace

extern "C" __global__ __aicore__ void softmax_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tilingData)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    const auto *tiling = reinterpret_cast<const __gm__ SoftmaxTilingData *>(tilingData);
    if (tiling->tiling_key == 2) {
        SoftmaxOnlineZ0Z1(x, y, tiling);
    }
}
