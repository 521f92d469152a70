// Needs: CompareToMask.
// Order of 32-bit integers, for which only equality has an instruction: a <= b where max(a, b) == b, a >= b where max(a, b) == a. One repeat
// at a time, because the larger values need room.
__aicore__ inline void LargerOf(const LocalTensor<int32_t> &dst, const LocalTensor<int32_t> &a, const LocalTensor<int32_t> &b, int64_t count)
{
    Max(dst, a, b, count);
}
__aicore__ inline void LargerOf(const LocalTensor<int32_t> &dst, const LocalTensor<int32_t> &a, int32_t b, int64_t count)
{
    Maxs(dst, a, b, count);
}
__aicore__ inline LocalTensor<int32_t> At(const LocalTensor<int32_t> &tensor, int64_t first)
{
    return tensor[first];
}
__aicore__ inline int32_t At(int32_t scalar, int64_t first)
{
    return scalar;
}

// The larger value is compared with the right operand (a <= b, a > b) or with the left one (a >= b, a < b).
template <CMPMODE mode, typename Other>
__aicore__ inline void CompareIntegersToMask(const LocalTensor<uint8_t> &dst, const LocalTensor<int32_t> &a, const Other &b,
                                             const LocalTensor<uint8_t> &tmp, int64_t count)
{
    constexpr bool withRight = mode == CMPMODE::LE || mode == CMPMODE::GT;
    constexpr bool inverted = mode == CMPMODE::GT || mode == CMPMODE::LT;
    const CompareSpace<int32_t> space(tmp, count);
    Duplicate(space.ones, static_cast<half>(inverted ? 0.0f : 1.0f), count);
    for (int64_t first = 0; first < count; first += space.lanes) {
        const int64_t here = count - first < space.lanes ? count - first : space.lanes;
        LargerOf(space.left, a[first], At(b, first), here);
        if constexpr (withRight) {
            const auto right = LastRepeat(space.right, b, first, here);
            PipeBarrier<PIPE_V>();
            CompareRepeats<CMPMODE::EQ>(space, space.left, right, space.lanes);
        } else {
            CopyRepeat(space.right, a[first], here);
            PipeBarrier<PIPE_V>();
            CompareRepeats<CMPMODE::EQ>(space, space.left, space.right, space.lanes);
        }
        BitsToOnes(space, first, here, inverted);
    }
    Cast(dst, space.ones, RoundMode::CAST_TRUNC, count);
}
