#include "kernel_operator.h"

#include "add_row_tiling_data.h"

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

// Copies the first block of a tensor behind itself until it is there so many times: 1, 2, 4 ... blocks at a time.
template <typename T>
__aicore__ inline void RepeatBlock(const LocalTensor<T> &tensor, int64_t elems, int64_t times)
{
    for (int64_t done = 1; done < times; done *= 2) {
        if (done > 1) {
            PipeBarrier<PIPE_V>();
        }
        DataCopy(tensor[done * elems], tensor, Smaller(done, times - done) * elems);
    }
}

// Template general.z0. z0 is m, z1 is n.
__aicore__ inline void AddRowGeneralZ0(GM_ADDR x, GM_ADDR row, GM_ADDR y, const __gm__ AddRowTilingData *tiling)
{
    const int64_t ks0 = tiling->ks0;
    const int64_t ks1 = tiling->ks1;
    const int64_t z0t_size = tiling->z0t_size;
    const int64_t z0Tb_size = tiling->z0Tb_size;
    const int64_t z0T_size = DivideUp(ks0, z0t_size);
    const int64_t z0t_pitch = DivideUp(ks1, 8) * 8;

    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float *)x);
    GlobalTensor<float> rowGm;
    rowGm.SetGlobalBuffer((__gm__ float *)row);
    GlobalTensor<float> yGm;
    yGm.SetGlobalBuffer((__gm__ float *)y);

    TPipe pipe;
    TQue<TPosition::VECIN, 1> q0;  // load1
    TQue<TPosition::VECIN, 1> q1;  // load
    TQue<TPosition::VECOUT, 1> q2;  // broadcast, add
    pipe.InitBuffer(q0, 1, tiling->q0_bytes);
    pipe.InitBuffer(q1, 2, tiling->q1_bytes);
    pipe.InitBuffer(q2, 2, tiling->q2_bytes);

    // load1 = Load(row)
    LocalTensor<float> load1Local = q0.AllocTensor<float>();
    DataCopyPad(load1Local, rowGm, DataCopyExtParams(1, ks1 * 4, 0, 0, 0), NoPadding<float>());
    q0.EnQue(load1Local);
    load1Local = q0.DeQue<float>();

    const int64_t firstTile = GetBlockIdx() * z0Tb_size;
    const int64_t endTile = Smaller(firstTile + z0Tb_size, z0T_size);
    for (int64_t z0T = firstTile; z0T < endTile; ++z0T) {
        const int64_t z0t_actual = Smaller(z0t_size, ks0 - z0T * z0t_size);
        const int64_t z0t_z1_elems = (z0t_actual - 1) * z0t_pitch + ks1;

        // load = Load(x)
        LocalTensor<float> loadLocal = q1.AllocTensor<float>();
        DataCopyPad(loadLocal, xGm[z0T * ks1 * z0t_size], DataCopyExtParams(z0t_actual, ks1 * 4, 0, 0, 0), NoPadding<float>());
        q1.EnQue(loadLocal);

        // broadcast = Broadcast(load1)
        LocalTensor<uint8_t> q2Local = q2.AllocTensor<uint8_t>();
        LocalTensor<float> broadcastLocal = q2Local.ReinterpretCast<float>();
        LocalTensor<float> addLocal = q2Local.ReinterpretCast<float>();
        PipeBarrier<PIPE_V>();
        DataCopy(broadcastLocal, load1Local, z0t_pitch);
        PipeBarrier<PIPE_V>();
        RepeatBlock(broadcastLocal, z0t_pitch, z0t_actual);

        // add = Add(load, broadcast)
        loadLocal = q1.DeQue<float>();
        PipeBarrier<PIPE_V>();
        Add(addLocal, loadLocal, broadcastLocal, z0t_z1_elems);
        q1.FreeTensor(loadLocal);
        q2.EnQue(q2Local);
        q2Local = q2.DeQue<uint8_t>();
        broadcastLocal = q2Local.ReinterpretCast<float>();
        addLocal = q2Local.ReinterpretCast<float>();

        // store = Store(add)
        DataCopyPad(yGm[z0T * ks1 * z0t_size], addLocal, DataCopyExtParams(z0t_actual, ks1 * 4, 0, 0, 0));
        q2.FreeTensor(q2Local);
    }
    q0.FreeTensor(load1Local);
}

}  // namespace

extern "C" __global__ __aicore__ void add_row_kernel(GM_ADDR x, GM_ADDR row, GM_ADDR y, GM_ADDR workspace, GM_ADDR tilingData)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    const auto *tiling = reinterpret_cast<const __gm__ AddRowTilingData *>(tilingData);
    if (tiling->tiling_key == 0) {
        AddRowGeneralZ0(x, row, y, tiling);
    }
}
