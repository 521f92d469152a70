// The first element of every 32-byte block, close together. `bits` holds the lanes to keep: one block of tmp.
template <typename T, typename Bits>
__aicore__ inline void GatherBlocks(const LocalTensor<T> &dst, const LocalTensor<T> &blocks, const LocalTensor<Bits> &bits, int64_t count)
{
    // Of a 32-bit type every eighth lane starts a block, of a 16-bit type every sixteenth.
    const Bits first = static_cast<Bits>(sizeof(T) == 4 ? 0x01010101 : 0x0001);
    Duplicate(bits, first, 32 / static_cast<int64_t>(sizeof(Bits)));
    PipeBarrier<PIPE_V>();
    uint64_t kept = 0;
    GatherMask(dst, blocks, bits, false, 0, GatherMaskParams(1, (count + 7) / 8, 8, 0), kept);
}
