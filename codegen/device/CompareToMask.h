// Needs: Smaller.
// dst = a MODE b as one byte, 0 or 1, for every element; b is a tensor or a scalar. Compare knows whole repeats only, so the last, shorter one
// is copied into tmp. In tmp: bits, the result as half, and one repeat for each operand.
template <typename T>
struct CompareSpace {
    static constexpr int64_t lanes = 256 / sizeof(T);
    LocalTensor<uint8_t> bits;
    LocalTensor<half> ones;
    LocalTensor<T> left;
    LocalTensor<T> right;

    __aicore__ inline CompareSpace(const LocalTensor<uint8_t> &tmp, int64_t count)
    {
        const int64_t padded = (count + lanes - 1) / lanes * lanes;
        const int64_t onesAt = (padded / 8 + 31) / 32 * 32;
        const int64_t leftAt = onesAt + (padded * 2 + 31) / 32 * 32;
        bits = tmp;
        ones = tmp[onesAt].ReinterpretCast<half>();
        left = tmp[leftAt].ReinterpretCast<T>();
        right = tmp[leftAt + 256].ReinterpretCast<T>();
    }
};

// Turns the bits of some elements into 1 where they are set, or into 0 there and 1 elsewhere.
template <typename T>
__aicore__ inline void BitsToOnes(const CompareSpace<T> &space, int64_t first, int64_t count, bool inverted)
{
    PipeBarrier<PIPE_V>();
    const LocalTensor<half> ones = space.ones[first];
    Select(ones, space.bits, ones, static_cast<half>(inverted ? 1.0f : 0.0f), SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    PipeBarrier<PIPE_V>();
}

template <typename T>
__aicore__ inline void CopyRepeat(const LocalTensor<T> &dst, const LocalTensor<T> &src, int64_t count)
{
    constexpr int64_t block = 32 / sizeof(T);
    DataCopy(dst, src, (count + block - 1) / block * block);
}

template <CMPMODE mode, typename T>
__aicore__ inline void CompareRepeats(const CompareSpace<T> &space, const LocalTensor<T> &a, const LocalTensor<T> &b, int64_t count)
{
    Compare(space.bits, a, b, mode, count);
}
template <CMPMODE mode, typename T>
__aicore__ inline void CompareRepeats(const CompareSpace<T> &space, const LocalTensor<T> &a, T b, int64_t count)
{
    CompareScalar(space.bits, a, b, mode, count);
}

template <typename T>
__aicore__ inline LocalTensor<T> LastRepeat(const LocalTensor<T> &place, const LocalTensor<T> &b, int64_t first, int64_t count)
{
    CopyRepeat(place, b[first], count);
    return place;
}
template <typename T>
__aicore__ inline T LastRepeat(const LocalTensor<T> &place, T b, int64_t first, int64_t count)
{
    return b;
}

template <CMPMODE mode, bool inverted = false, typename T, typename Other>
__aicore__ inline void CompareToMask(const LocalTensor<uint8_t> &dst, const LocalTensor<T> &a, const Other &b, const LocalTensor<uint8_t> &tmp,
                                     int64_t count)
{
    const CompareSpace<T> space(tmp, count);
    const int64_t whole = count / space.lanes * space.lanes;
    Duplicate(space.ones, static_cast<half>(inverted ? 0.0f : 1.0f), count);
    if (whole > 0) {
        CompareRepeats<mode>(space, a, b, whole);
        BitsToOnes(space, 0, whole, inverted);
    }
    if (whole < count) {
        CopyRepeat(space.left, a[whole], count - whole);
        const auto last = LastRepeat(space.right, b, whole, count - whole);
        PipeBarrier<PIPE_V>();
        CompareRepeats<mode>(space, space.left, last, space.lanes);
        BitsToOnes(space, whole, count - whole, inverted);
    }
    Cast(dst, space.ones, RoundMode::CAST_TRUNC, count);
}
