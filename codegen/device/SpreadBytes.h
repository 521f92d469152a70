// Needs: SpreadBlocks.
// Every byte begins a 32-byte block of its own. `behind` takes two bytes an element.
template <typename T>
__aicore__ inline void SpreadBytes(const LocalTensor<uint8_t> &blocks, const LocalTensor<T> &src, const LocalTensor<uint8_t> &behind,
                                   int64_t count)
{
    const LocalTensor<int16_t> pairs = behind.ReinterpretCast<int16_t>();
    const LocalTensor<half> values = blocks.ReinterpretCast<half>();
    Cast(values, src.template ReinterpretCast<uint8_t>(), RoundMode::CAST_NONE, count);
    PipeBarrier<PIPE_V>();
    Cast(pairs, values, RoundMode::CAST_TRUNC, count);
    PipeBarrier<PIPE_V>();
    SpreadBlocks(blocks.ReinterpretCast<int16_t>(), pairs, count);
}
