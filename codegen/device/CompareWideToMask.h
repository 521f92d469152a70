// Needs: Smaller.
// dst = a MODE b as one byte, 0 or 1, for 64-bit integers, which no instruction compares; b is a tensor or a scalar. Their 32-bit halves are
// compared by arithmetic, then both results are read as one 64-bit number. In chunks, for which tmp holds two such numbers an element, and
// a third one for order.
struct WideSpace {
    LocalTensor<int32_t> left;
    LocalTensor<int32_t> right;
    LocalTensor<int32_t> work;

    __aicore__ inline WideSpace(const LocalTensor<uint8_t> &tmp, int64_t chunk)
    {
        left = tmp.ReinterpretCast<int32_t>();
        right = left[chunk * 2];
        work = left[chunk * 4];
    }
};

// Low or high halves of the elements in so many repeats.
__aicore__ inline void FillHalves(const LocalTensor<int32_t> &dst, int32_t value, uint64_t lanes, uint8_t repeats)
{
    const uint64_t mask[2] = {lanes, 0};
    Duplicate(dst, value, mask, repeats, 1, 8);
    PipeBarrier<PIPE_V>();
}
__aicore__ inline void AddToLow(const LocalTensor<int32_t> &dst, int32_t value, uint8_t repeats)
{
    const uint64_t mask[2] = {0x5555555555555555ULL, 0};
    Adds(dst, dst, value, mask, repeats, UnaryRepeatParams(1, 1, 8, 8));
    PipeBarrier<PIPE_V>();
}

// Halves of the right operand; `flip` turns the low half, which has no sign, into a number whose order as a signed one is the same.
__aicore__ inline void TakeHalves(const LocalTensor<int32_t> &place, const LocalTensor<int64_t> &src, int64_t first, uint8_t repeats,
                                  int32_t flip, int64_t count)
{
    DataCopy(place, src.ReinterpretCast<int32_t>()[first * 2], (count * 2 + 7) / 8 * 8);
    PipeBarrier<PIPE_V>();
    if (flip != 0) {
        AddToLow(place, flip, repeats);
    }
}
__aicore__ inline void TakeHalves(const LocalTensor<int32_t> &place, int64_t value, int64_t first, uint8_t repeats, int32_t flip,
                                  int64_t count)
{
    const uint32_t low = static_cast<uint32_t>(value) ^ static_cast<uint32_t>(flip);
    FillHalves(place, static_cast<int32_t>(low), 0x5555555555555555ULL, repeats);
    FillHalves(place, static_cast<int32_t>(value >> 32), 0xaaaaaaaaaaaaaaaaULL, repeats);
}

// 1 where an integer is not 0.
__aicore__ inline void TruthOfHalves(const LocalTensor<int32_t> &values, int64_t count)
{
    Maxs(values, values, -1, count);
    PipeBarrier<PIPE_V>();
    Mins(values, values, 1, count);
    PipeBarrier<PIPE_V>();
    Mul(values, values, values, count);
    PipeBarrier<PIPE_V>();
}

// 1 where a half differs.
__aicore__ inline void Difference(const WideSpace &space, int64_t count)
{
    Sub(space.left, space.left, space.right, count);
    PipeBarrier<PIPE_V>();
    TruthOfHalves(space.left, count);
}

// 1, 0 or -1 for each half, and one more in the low half, so that the 64-bit number made of both has the sign of the order, past 1.
__aicore__ inline void OrderOfHalves(const WideSpace &space, uint8_t repeats, int64_t count)
{
    Max(space.work, space.left, space.right, count);
    PipeBarrier<PIPE_V>();
    Sub(space.work, space.work, space.right, count);
    Min(space.left, space.left, space.right, count);
    PipeBarrier<PIPE_V>();
    Sub(space.left, space.left, space.right, count);
    TruthOfHalves(space.work, count);
    TruthOfHalves(space.left, count);
    Sub(space.left, space.work, space.left, count);
    PipeBarrier<PIPE_V>();
    AddToLow(space.left, 1, repeats);
}

template <CMPMODE mode>
__aicore__ inline void WideResult(const LocalTensor<float> &values, int64_t count)
{
    constexpr bool byEquality = mode == CMPMODE::EQ || mode == CMPMODE::NE;
    constexpr bool withEqual = mode == CMPMODE::GE || mode == CMPMODE::LT;
    if constexpr (!byEquality) {
        Adds(values, values, withEqual ? 0.0f : -1.0f, count);
        PipeBarrier<PIPE_V>();
        Maxs(values, values, 0.0f, count);
        PipeBarrier<PIPE_V>();
    }
    Mins(values, values, 1.0f, count);
    PipeBarrier<PIPE_V>();
    if constexpr (mode == CMPMODE::EQ || mode == CMPMODE::LE || mode == CMPMODE::LT) {
        Muls(values, values, -1.0f, count);
        PipeBarrier<PIPE_V>();
        Adds(values, values, 1.0f, count);
        PipeBarrier<PIPE_V>();
    }
}

template <CMPMODE mode, typename Other>
__aicore__ inline void CompareWideToMask(const LocalTensor<uint8_t> &dst, const LocalTensor<int64_t> &a, const Other &b,
                                         const LocalTensor<uint8_t> &tmp, int64_t chunk, int64_t count)
{
    constexpr bool byEquality = mode == CMPMODE::EQ || mode == CMPMODE::NE;
    constexpr int32_t flip = byEquality ? 0 : -2147483647 - 1;
    const WideSpace space(tmp, chunk);
    const LocalTensor<float> values = tmp.ReinterpretCast<float>();
    const LocalTensor<half> asHalf = tmp.ReinterpretCast<half>();
    for (int64_t first = 0; first < count; first += chunk) {
        const int64_t here = Smaller(chunk, count - first);
        const uint8_t repeats = static_cast<uint8_t>((here + 31) / 32);
        TakeHalves(space.left, a, first, repeats, flip, here);
        TakeHalves(space.right, b, first, repeats, flip, here);
        if constexpr (byEquality) {
            Difference(space, here * 2);
        } else {
            OrderOfHalves(space, repeats, here * 2);
        }
        Cast(values, space.left.ReinterpretCast<int64_t>(), RoundMode::CAST_RINT, here);
        PipeBarrier<PIPE_V>();
        WideResult<mode>(values, here);
        Cast(asHalf, values, RoundMode::CAST_RINT, here);
        PipeBarrier<PIPE_V>();
        Cast(dst[first], asHalf, RoundMode::CAST_TRUNC, here);
        PipeBarrier<PIPE_V>();
    }
}
