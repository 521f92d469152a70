// Needs: Truth.
// dst = 1 where src is 0, else 0, in the type of dst. In chunks, for which tmp holds the truth values and room for four bytes an element.
__aicore__ inline void FromTruth(const LocalTensor<uint8_t> &dst, const LocalTensor<half> &truth, int64_t count)
{
    Cast(dst, truth, RoundMode::CAST_TRUNC, count);
}
__aicore__ inline void FromTruth(const LocalTensor<half> &dst, const LocalTensor<half> &truth, int64_t count)
{
    Muls(dst, truth, static_cast<half>(1.0f), count);
}
template <typename T>
__aicore__ inline void FromTruth(const LocalTensor<T> &dst, const LocalTensor<half> &truth, int64_t count)
{
    if constexpr (sizeof(T) == 4 && static_cast<T>(0.5f) != static_cast<T>(0)) {
        Cast(dst, truth, RoundMode::CAST_NONE, count);
    } else {
        Cast(dst, truth, RoundMode::CAST_TRUNC, count);
    }
}

template <typename D, typename T>
__aicore__ inline void LogicalNot(const LocalTensor<D> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp, int64_t bytes,
                                  int64_t count)
{
    const int64_t chunk = bytes / 6 / 64 * 64;
    const LocalTensor<half> truth = tmp.ReinterpretCast<half>();
    for (int64_t first = 0; first < count; first += chunk) {
        const int64_t here = Smaller(chunk, count - first);
        Truth(truth, src[first], tmp[chunk * 2], here);
        PipeBarrier<PIPE_V>();
        Muls(truth, truth, static_cast<half>(-1.0f), here);
        PipeBarrier<PIPE_V>();
        Adds(truth, truth, static_cast<half>(1.0f), here);
        PipeBarrier<PIPE_V>();
        FromTruth(dst[first], truth, here);
        PipeBarrier<PIPE_V>();
    }
}
