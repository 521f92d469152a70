// Needs: Smaller.
// dst = one byte, 1 where src is not a number, infinite, or finite. The bits of the magnitude are an integer that grows with it; that of
// infinity is subtracted, and what is left tells by its sign. In chunks, for which tmp holds the magnitudes.
enum class NumberKind { NOT_A_NUMBER, INFINITE, FINITE };

// From the distance to infinity: 1 where it is above, at, or below.
template <NumberKind kind, typename T>
__aicore__ inline void KindOf(const LocalTensor<T> &distance, int64_t count)
{
    if constexpr (kind == NumberKind::FINITE) {
        Muls(distance, distance, static_cast<T>(-1), count);
        PipeBarrier<PIPE_V>();
    }
    Mins(distance, distance, static_cast<T>(1), count);
    PipeBarrier<PIPE_V>();
    if constexpr (kind == NumberKind::INFINITE) {
        Maxs(distance, distance, static_cast<T>(-1), count);
        PipeBarrier<PIPE_V>();
        Mul(distance, distance, distance, count);
        PipeBarrier<PIPE_V>();
        Muls(distance, distance, static_cast<T>(-1), count);
        PipeBarrier<PIPE_V>();
        Adds(distance, distance, static_cast<T>(1), count);
    } else {
        Maxs(distance, distance, static_cast<T>(0), count);
    }
    PipeBarrier<PIPE_V>();
}

template <NumberKind kind>
__aicore__ inline void KindOfChunk(const LocalTensor<int16_t> &wanted, const LocalTensor<half> &src, const LocalTensor<uint8_t> &tmp,
                                   int64_t count)
{
    Abs(tmp.ReinterpretCast<half>(), src, count);
    PipeBarrier<PIPE_V>();
    Adds(wanted, wanted, static_cast<int16_t>(-0x7c00), count);
    PipeBarrier<PIPE_V>();
    KindOf<kind>(wanted, count);
}
template <NumberKind kind>
__aicore__ inline void KindOfChunk(const LocalTensor<int16_t> &wanted, const LocalTensor<float> &src, const LocalTensor<uint8_t> &tmp,
                                   int64_t count)
{
    const LocalTensor<int32_t> wide = tmp.ReinterpretCast<int32_t>();
    Abs(tmp.ReinterpretCast<float>(), src, count);
    PipeBarrier<PIPE_V>();
    Adds(wide, wide, -0x7f800000, count);
    PipeBarrier<PIPE_V>();
    KindOf<kind>(wide, count);
    Cast(wanted, wide, RoundMode::CAST_NONE, count);
    PipeBarrier<PIPE_V>();
}

template <NumberKind kind, typename T>
__aicore__ inline void FloatKind(const LocalTensor<uint8_t> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp, int64_t chunk,
                                 int64_t count)
{
    const LocalTensor<int16_t> wanted = tmp.ReinterpretCast<int16_t>();
    const LocalTensor<half> asHalf = tmp.ReinterpretCast<half>();
    for (int64_t first = 0; first < count; first += chunk) {
        const int64_t here = Smaller(chunk, count - first);
        KindOfChunk<kind>(wanted, src[first], tmp, here);
        Cast(asHalf, wanted, RoundMode::CAST_NONE, here);
        PipeBarrier<PIPE_V>();
        Cast(dst[first], asHalf, RoundMode::CAST_TRUNC, here);
        PipeBarrier<PIPE_V>();
    }
}
