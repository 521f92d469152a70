#include "kernel_operator.h"

#include "reduce_all_tiling_data.h"

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

// Template general.z0z1. z0 is m, z1 is n.
__aicore__ inline void ReduceAllGeneralZ0z1(GM_ADDR x, GM_ADDR y, const __gm__ ReduceAllTilingData *tiling)
{
    const int64_t ks0 = tiling->ks0;
    const int64_t ks1 = tiling->ks1;
    const int64_t z0z1t_size = tiling->z0z1t_size;
    const int64_t z0z1_size = ks0 * ks1;
    const int64_t z0z1T_size = DivideUp(z0z1_size, z0z1t_size);

    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float *)x);
    GlobalTensor<float> yGm;
    yGm.SetGlobalBuffer((__gm__ float *)y);

    TPipe pipe;
    TQue<TPosition::VECIN, 1> q0;  // load
    TQue<TPosition::VECOUT, 1> q1;  // sum
    TBuf<TPosition::VECCALC> tmpBuf;
    pipe.InitBuffer(q0, 2, tiling->q0_bytes);
    pipe.InitBuffer(q1, 1, tiling->q1_bytes);
    pipe.InitBuffer(tmpBuf, tiling->tmp_bytes);
    LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>();

    LocalTensor<float> sumLocal = q1.AllocTensor<float>();
    for (int64_t z0z1T = 0; z0z1T < z0z1T_size; ++z0z1T) {
        const int64_t z0z1t_actual = Smaller(z0z1t_size, z0z1_size - z0z1T * z0z1t_size);

        // load = Load(x)
        LocalTensor<float> loadLocal = q0.AllocTensor<float>();
        DataCopyPad(loadLocal, xGm[z0z1T * z0z1t_size], DataCopyExtParams(1, z0z1t_actual * 4, 0, 0, 0), NoPadding<float>());
        q0.EnQue(loadLocal);

        // sum = Sum(load) over z0z1
        loadLocal = q0.DeQue<float>();
        const LocalTensor<float> sumResult = z0z1T == 0 ? sumLocal : tmp.ReinterpretCast<float>();
        const uint32_t sumShape[2] = {1, static_cast<uint32_t>(z0z1t_actual)};
        PipeBarrier<PIPE_V>();
        ReduceSum<float, Pattern::Reduce::AR>(sumResult, loadLocal, tmp[32], sumShape, true);
        if (z0z1T > 0) {
            PipeBarrier<PIPE_V>();
            Add(sumLocal, sumLocal, tmp.ReinterpretCast<float>(), 1);
        }
        q0.FreeTensor(loadLocal);
    }
    q1.EnQue(sumLocal);
    sumLocal = q1.DeQue<float>();

    // store = Store(sum)
    DataCopyPad(yGm, sumLocal, DataCopyExtParams(1, 4, 0, 0, 0));
    q1.FreeTensor(sumLocal);
}

}  // namespace

extern "C" __global__ __aicore__ void reduce_all_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tilingData)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    const auto *tiling = reinterpret_cast<const __gm__ ReduceAllTilingData *>(tilingData);
    if (tiling->tiling_key == 0) {
        ReduceAllGeneralZ0z1(x, y, tiling);
    }
}
