// Needs: Smaller.
// dst = a / b in float, rounded down, then to half; in chunks, for which tmp holds two floats an element.
__aicore__ inline void FloorDivOfHalf(const LocalTensor<half> &dst, const LocalTensor<half> &a, const LocalTensor<half> &b,
                                      const LocalTensor<uint8_t> &tmp, int64_t chunk, int64_t count)
{
    const LocalTensor<float> left = tmp.ReinterpretCast<float>();
    const LocalTensor<float> right = left[chunk];
    for (int64_t first = 0; first < count; first += chunk) {
        const int64_t here = Smaller(chunk, count - first);
        Cast(left, a[first], RoundMode::CAST_NONE, here);
        Cast(right, b[first], RoundMode::CAST_NONE, here);
        PipeBarrier<PIPE_V>();
        Div(left, left, right, here);
        PipeBarrier<PIPE_V>();
        Cast(left, left, RoundMode::CAST_FLOOR, here);
        PipeBarrier<PIPE_V>();
        Cast(dst[first], left, RoundMode::CAST_RINT, here);
        PipeBarrier<PIPE_V>();
    }
}
