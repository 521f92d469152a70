// Needs: Smaller.
// Truth values of some elements as half: 1 where an element is not 0. `wide` is room for four bytes an element, `dst` may be its start.
__aicore__ inline void Truth(const LocalTensor<half> &dst, const LocalTensor<uint8_t> &src, const LocalTensor<uint8_t> &wide, int64_t count)
{
    Cast(dst, src, RoundMode::CAST_NONE, count);
    PipeBarrier<PIPE_V>();
    Mins(dst, dst, static_cast<half>(1.0f), count);
}
// 2 to the 14th, twice, lifts the smallest half above 1.
__aicore__ inline void Truth(const LocalTensor<half> &dst, const LocalTensor<half> &src, const LocalTensor<uint8_t> &wide, int64_t count)
{
    Abs(dst, src, count);
    for (int step = 0; step < 2; ++step) {
        PipeBarrier<PIPE_V>();
        Muls(dst, dst, static_cast<half>(16384.0f), count);
    }
    PipeBarrier<PIPE_V>();
    Mins(dst, dst, static_cast<half>(1.0f), count);
}
// 2 to the 100th, twice, lifts the smallest float above 1.
__aicore__ inline void Truth(const LocalTensor<half> &dst, const LocalTensor<float> &src, const LocalTensor<uint8_t> &wide, int64_t count)
{
    const LocalTensor<float> values = wide.ReinterpretCast<float>();
    Abs(values, src, count);
    for (int step = 0; step < 2; ++step) {
        PipeBarrier<PIPE_V>();
        Muls(values, values, 1.2676506e+30f, count);
    }
    PipeBarrier<PIPE_V>();
    Mins(values, values, 1.0f, count);
    PipeBarrier<PIPE_V>();
    Cast(dst, values, RoundMode::CAST_NONE, count);
}
// Integers are clamped to -1 .. 1 and squared.
__aicore__ inline void Truth(const LocalTensor<half> &dst, const LocalTensor<int16_t> &src, const LocalTensor<uint8_t> &wide, int64_t count)
{
    const LocalTensor<int16_t> values = wide.ReinterpretCast<int16_t>();
    Maxs(values, src, static_cast<int16_t>(-1), count);
    PipeBarrier<PIPE_V>();
    Mins(values, values, static_cast<int16_t>(1), count);
    PipeBarrier<PIPE_V>();
    Mul(values, values, values, count);
    PipeBarrier<PIPE_V>();
    Cast(dst, values, RoundMode::CAST_NONE, count);
}
__aicore__ inline void Truth(const LocalTensor<half> &dst, const LocalTensor<int32_t> &src, const LocalTensor<uint8_t> &wide, int64_t count)
{
    const LocalTensor<int32_t> values = wide.ReinterpretCast<int32_t>();
    Maxs(values, src, -1, count);
    PipeBarrier<PIPE_V>();
    Mins(values, values, 1, count);
    PipeBarrier<PIPE_V>();
    Mul(values, values, values, count);
    PipeBarrier<PIPE_V>();
    Cast(wide.ReinterpretCast<int16_t>(), values, RoundMode::CAST_NONE, count);
    PipeBarrier<PIPE_V>();
    Cast(dst, wide.ReinterpretCast<int16_t>(), RoundMode::CAST_NONE, count);
}
