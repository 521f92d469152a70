// Needs: GatherBlocks.
// The first byte of every 32-byte block, close together; the other bytes of a block's first two are 0. `behind` takes a block and two bytes
// an element. A pair of bytes is an integer that half holds, and uint8_t is what it becomes.
template <typename T>
__aicore__ inline void GatherBytes(const LocalTensor<T> &dst, const LocalTensor<uint8_t> &blocks, const LocalTensor<uint8_t> &behind,
                                   int64_t count)
{
    const LocalTensor<int16_t> pairs = behind.ReinterpretCast<int16_t>();
    const LocalTensor<uint16_t> bits = behind[(2 * count + 31) / 32 * 32].ReinterpretCast<uint16_t>();
    const LocalTensor<half> values = blocks.ReinterpretCast<half>();
    GatherBlocks(pairs, blocks.ReinterpretCast<int16_t>(), bits, count);
    PipeBarrier<PIPE_V>();
    Cast(values, pairs, RoundMode::CAST_NONE, count);
    PipeBarrier<PIPE_V>();
    Cast(dst.template ReinterpretCast<uint8_t>(), values, RoundMode::CAST_TRUNC, count);
}
