// Needs: Smaller, SpreadBlocks.
// Every 8-byte element begins a 32-byte block of its own, a free block behind it: both halves are spread, then the second joins the first.
template <typename T>
__aicore__ inline void SpreadWide(const LocalTensor<uint8_t> &blocks, const LocalTensor<T> &src, int64_t count)
{
    const LocalTensor<int32_t> words = blocks.ReinterpretCast<int32_t>();
    SpreadBlocks(words, src.template ReinterpretCast<int32_t>(), 2 * count);
    PipeBarrier<PIPE_V>();
    const uint64_t second[2] = {0x0202020202020202ULL, 0};  // the second lane of every block
    const int64_t repeats = (count + 7) / 8;
    for (int64_t done = 0; done < repeats; done += 255) {
        const LocalTensor<int32_t> first = words[done * 128];
        Adds(first, first[8], 0, second, Smaller(255, repeats - done), UnaryRepeatParams(2, 2, 16, 16));
    }
}
