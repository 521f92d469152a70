// One bit for every half at the start of tmp: whether it is not 0 (NE), or is 0 (EQ). The bits go behind it, for whole repeats.
template <CMPMODE mode>
__aicore__ inline LocalTensor<uint8_t> MaskBits(const LocalTensor<uint8_t> &tmp, int64_t count)
{
    constexpr int64_t lanes = 256 / sizeof(half);
    const int64_t padded = (count + lanes - 1) / lanes * lanes;
    const LocalTensor<uint8_t> bits = tmp[padded * static_cast<int64_t>(sizeof(half))];
    CompareScalar(bits, tmp.ReinterpretCast<half>(), static_cast<half>(0.0f), mode, padded);
    PipeBarrier<PIPE_V>();
    return bits;
}
