// The first 8 bytes of every 32-byte block, close together.
template <typename T>
__aicore__ inline void GatherWide(const LocalTensor<T> &dst, const LocalTensor<uint8_t> &blocks, int64_t count)
{
    uint64_t kept = 0;
    GatherMask(dst.template ReinterpretCast<uint32_t>(), blocks.ReinterpretCast<uint32_t>(), static_cast<uint8_t>(7), true, 2,
               GatherMaskParams(1, count, 1, 0), kept);
}
