// Needs: Smaller.
// dst = a + alpha * b in float, rounded once; in chunks, for which tmp holds one float an element. Axpy widens a as it adds it.
__aicore__ inline void AxpyOfHalf(const LocalTensor<half> &dst, const LocalTensor<half> &a, const LocalTensor<half> &b, float alpha,
                                  const LocalTensor<uint8_t> &tmp, int64_t chunk, int64_t count)
{
    const LocalTensor<float> sum = tmp.ReinterpretCast<float>();
    for (int64_t first = 0; first < count; first += chunk) {
        const int64_t here = Smaller(chunk, count - first);
        Cast(sum, b[first], RoundMode::CAST_NONE, here);
        PipeBarrier<PIPE_V>();
        Muls(sum, sum, alpha, here);
        PipeBarrier<PIPE_V>();
        Axpy(sum, a[first], static_cast<half>(1.0f), here);
        PipeBarrier<PIPE_V>();
        Cast(dst[first], sum, RoundMode::CAST_RINT, here);
        PipeBarrier<PIPE_V>();
    }
}
