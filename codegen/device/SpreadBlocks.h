// Needs: Smaller.
// Every element fills a 32-byte block of its own.
template <typename T>
__aicore__ inline void SpreadBlocks(const LocalTensor<T> &blocks, const LocalTensor<T> &src, int64_t count)
{
    constexpr int64_t block = 32 / sizeof(T);
    const int64_t repeats = (count + 7) / 8;
    for (int64_t done = 0; done < repeats; done += 248) {
        Brcb(blocks[done * 8 * block], src[done * 8], Smaller(248, repeats - done), BrcbRepeatParams(1, 8));
    }
}
