// Needs: SameWidth, SameBits, MaskBits.
// dst = mask is not 0 ? a : b, for tensors and scalars. The mask lies at the start of tmp as half.
template <typename T>
__aicore__ inline void SelectByMask(const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<T> &b,
                                    const LocalTensor<uint8_t> &tmp, int64_t count)
{
    using Moved = typename SameWidth<T>::Type;
    const LocalTensor<uint8_t> bits = MaskBits<CMPMODE::NE>(tmp, count);
    Select(dst.template ReinterpretCast<Moved>(), bits, a.template ReinterpretCast<Moved>(), b.template ReinterpretCast<Moved>(),
           SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
}
template <typename T>
__aicore__ inline void SelectByMask(const LocalTensor<T> &dst, const LocalTensor<T> &a, T b, const LocalTensor<uint8_t> &tmp,
                                    int64_t count)
{
    using Moved = typename SameWidth<T>::Type;
    const LocalTensor<uint8_t> bits = MaskBits<CMPMODE::NE>(tmp, count);
    Select(dst.template ReinterpretCast<Moved>(), bits, a.template ReinterpretCast<Moved>(), SameBits<Moved>(b),
           SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
}
template <typename T>
__aicore__ inline void SelectByMask(const LocalTensor<T> &dst, T a, const LocalTensor<T> &b, const LocalTensor<uint8_t> &tmp,
                                    int64_t count)
{
    using Moved = typename SameWidth<T>::Type;
    const LocalTensor<uint8_t> bits = MaskBits<CMPMODE::EQ>(tmp, count);
    Select(dst.template ReinterpretCast<Moved>(), bits, b.template ReinterpretCast<Moved>(), SameBits<Moved>(a),
           SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
}
template <typename T>
__aicore__ inline void SelectByMask(const LocalTensor<T> &dst, T a, T b, const LocalTensor<uint8_t> &tmp, int64_t count)
{
    Duplicate(dst, a, count);
    SelectByMask(dst, dst, b, tmp, count);
}
