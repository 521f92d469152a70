// Needs: Truth.
// dst = a and b, or a or b, as one byte 0 or 1; b is a tensor or a scalar. In chunks, for which tmp holds the truth values of a and room for b.
enum class Logic { AND, OR };

template <typename T>
__aicore__ inline void TruthOf(const LocalTensor<half> &dst, const LocalTensor<T> &src, int64_t first, const LocalTensor<uint8_t> &wide,
                               int64_t count)
{
    Truth(dst, src[first], wide, count);
}
template <typename T>
__aicore__ inline void TruthOf(const LocalTensor<half> &dst, T scalar, int64_t first, const LocalTensor<uint8_t> &wide, int64_t count)
{
    Duplicate(dst, static_cast<half>(scalar != static_cast<T>(0.0f) ? 1.0f : 0.0f), count);
}

template <Logic logic, typename T, typename Other>
__aicore__ inline void LogicalPair(const LocalTensor<uint8_t> &dst, const LocalTensor<T> &a, const Other &b, const LocalTensor<uint8_t> &tmp,
                                   int64_t bytes, int64_t count)
{
    const int64_t chunk = bytes / 6 / 64 * 64;  // two bytes for a, four for b
    const LocalTensor<half> left = tmp.ReinterpretCast<half>();
    const LocalTensor<uint8_t> wide = tmp[chunk * 2];
    const LocalTensor<half> right = wide.ReinterpretCast<half>();
    for (int64_t first = 0; first < count; first += chunk) {
        const int64_t here = Smaller(chunk, count - first);
        Truth(left, a[first], wide, here);
        PipeBarrier<PIPE_V>();
        TruthOf(right, b, first, wide, here);
        PipeBarrier<PIPE_V>();
        if constexpr (logic == Logic::AND) {
            Mul(left, left, right, here);
        } else {
            Max(left, left, right, here);
        }
        PipeBarrier<PIPE_V>();
        Cast(dst[first], left, RoundMode::CAST_TRUNC, here);
        PipeBarrier<PIPE_V>();
    }
}
