// Needs: MaskBits, DuplicateWide.
// dst = mask is not 0 ? a : b for 64-bit elements, moved as pairs of 32 bits. The mask lies at the start of dst as half: each of its
// elements is widened to 32 bits, both of whose halves it fills, so that both parts of an element find their bit.
__aicore__ inline void WidenMask(const LocalTensor<half> &mask, const LocalTensor<uint8_t> &tmp, int64_t count)
{
    const LocalTensor<int32_t> wide = tmp.ReinterpretCast<int32_t>();
    Cast(wide, mask, RoundMode::CAST_CEIL, count);
    PipeBarrier<PIPE_V>();
    Muls(wide, wide, 65537, count);
    PipeBarrier<PIPE_V>();
    Cast(tmp.ReinterpretCast<half>(), tmp.ReinterpretCast<int16_t>(), RoundMode::CAST_RINT, count * 2);
    PipeBarrier<PIPE_V>();
}
template <typename T>
__aicore__ inline void SelectWideByMask(TPipe &pipe, const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<T> &b,
                                        const LocalTensor<uint8_t> &tmp, int64_t count)
{
    WidenMask(dst.template ReinterpretCast<half>(), tmp, count);
    const LocalTensor<uint8_t> bits = MaskBits<CMPMODE::NE>(tmp, count * 2);
    Select(dst.template ReinterpretCast<float>(), bits, a.template ReinterpretCast<float>(), b.template ReinterpretCast<float>(),
           SELMODE::VSEL_TENSOR_TENSOR_MODE, count * 2);
}
template <typename T>
__aicore__ inline void SelectWideByMask(TPipe &pipe, const LocalTensor<T> &dst, const LocalTensor<T> &a, T b,
                                        const LocalTensor<uint8_t> &tmp, int64_t count)
{
    WidenMask(dst.template ReinterpretCast<half>(), tmp, count);
    const LocalTensor<uint8_t> bits = MaskBits<CMPMODE::NE>(tmp, count * 2);
    DuplicateWide(pipe, dst, b, count);
    PipeBarrier<PIPE_V>();
    Select(dst.template ReinterpretCast<float>(), bits, a.template ReinterpretCast<float>(), dst.template ReinterpretCast<float>(),
           SELMODE::VSEL_TENSOR_TENSOR_MODE, count * 2);
}
template <typename T>
__aicore__ inline void SelectWideByMask(TPipe &pipe, const LocalTensor<T> &dst, T a, const LocalTensor<T> &b,
                                        const LocalTensor<uint8_t> &tmp, int64_t count)
{
    WidenMask(dst.template ReinterpretCast<half>(), tmp, count);
    const LocalTensor<uint8_t> bits = MaskBits<CMPMODE::EQ>(tmp, count * 2);
    DuplicateWide(pipe, dst, a, count);
    PipeBarrier<PIPE_V>();
    Select(dst.template ReinterpretCast<float>(), bits, b.template ReinterpretCast<float>(), dst.template ReinterpretCast<float>(),
           SELMODE::VSEL_TENSOR_TENSOR_MODE, count * 2);
}
