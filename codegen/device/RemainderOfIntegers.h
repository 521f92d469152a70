// Needs: Smaller.
// dst = the exact remainder of a / b, with the sign of b; a where b is 0. No integer division exists: the nearest quotient in float leaves at
// most half of b and 384, the next one about half of b, and what has the wrong sign gets b once more. In chunks, for which tmp holds b and
// another number of 4 bytes an element.
__aicore__ inline void TakeNearestMultiple(const LocalTensor<int32_t> &rest, const LocalTensor<int32_t> &from, const LocalTensor<int32_t> &b,
                                           const LocalTensor<float> &divisor, const LocalTensor<float> &work, int64_t count)
{
    const LocalTensor<int32_t> multiple = work.ReinterpretCast<int32_t>();
    Cast(work, from, RoundMode::CAST_RINT, count);
    PipeBarrier<PIPE_V>();
    Div(work, work, divisor, count);
    PipeBarrier<PIPE_V>();
    Cast(multiple, work, RoundMode::CAST_RINT, count);
    PipeBarrier<PIPE_V>();
    Mul(multiple, multiple, b, count);
    PipeBarrier<PIPE_V>();
    Sub(rest, from, multiple, count);
    PipeBarrier<PIPE_V>();
}

__aicore__ inline void RemainderOfIntegers(const LocalTensor<int32_t> &dst, const LocalTensor<int32_t> &a, const LocalTensor<int32_t> &b,
                                           const LocalTensor<uint8_t> &tmp, int64_t chunk, int64_t count)
{
    const LocalTensor<float> divisor = tmp.ReinterpretCast<float>();
    const LocalTensor<float> work = divisor[chunk];
    const LocalTensor<int32_t> multiple = work.ReinterpretCast<int32_t>();
    for (int64_t first = 0; first < count; first += chunk) {
        const int64_t here = Smaller(chunk, count - first);
        const LocalTensor<int32_t> rest = dst[first];
        Cast(divisor, b[first], RoundMode::CAST_RINT, here);
        TakeNearestMultiple(rest, a[first], b[first], divisor, work, here);
        TakeNearestMultiple(rest, rest, b[first], divisor, work, here);
        // -1 where rest and b differ in sign, else 0.
        Cast(work, rest, RoundMode::CAST_RINT, here);
        PipeBarrier<PIPE_V>();
        Mul(work, work, divisor, here);
        PipeBarrier<PIPE_V>();
        Mins(work, work, 0.0f, here);
        PipeBarrier<PIPE_V>();
        Maxs(work, work, -1.0f, here);
        PipeBarrier<PIPE_V>();
        Cast(multiple, work, RoundMode::CAST_RINT, here);
        PipeBarrier<PIPE_V>();
        Mul(multiple, multiple, b[first], here);
        PipeBarrier<PIPE_V>();
        Sub(rest, rest, multiple, here);
        PipeBarrier<PIPE_V>();
    }
}
