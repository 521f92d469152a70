// Needs: Handshake, RepeatBlock.
// Fills a tensor of 64-bit elements: the scalar unit writes one block, the vector unit copies it behind itself.
template <typename T>
__aicore__ inline void DuplicateWide(TPipe &pipe, const LocalTensor<T> &dst, T value, int64_t count)
{
    constexpr int64_t block = 32 / sizeof(T);
    Handshake<HardEvent::V_S>(pipe);
    for (int64_t i = 0; i < block; ++i) {
        dst.SetValue(i, value);
    }
    Handshake<HardEvent::S_V>(pipe);
    RepeatBlock(dst, block, (count + block - 1) / block);
}
