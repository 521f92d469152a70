// Fills a tensor of one-byte elements, two at a time: Duplicate takes no bytes. The last pair may reach one element further.
template <typename T>
__aicore__ inline void DuplicateBytes(const LocalTensor<T> &dst, T value, int64_t count)
{
    const uint16_t byte = static_cast<uint16_t>(static_cast<uint8_t>(value));
    const uint16_t pair = static_cast<uint16_t>(byte * 257);
    Duplicate(dst.template ReinterpretCast<uint16_t>(), pair, (count + 1) / 2);
}
