// Needs: DuplicateWide.
// Every 64-bit element of a column fills a row of dst: a Gather for each row, of both halves by turns. `tmp` takes a row.
template <typename T>
__aicore__ inline void BroadcastWide(TPipe &pipe, const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
                                     int64_t rows, int64_t length)
{
    const int64_t halves = static_cast<int64_t>(4) << 32;  // the byte offsets 0 and 4
    DuplicateWide(pipe, tmp.ReinterpretCast<int64_t>(), halves, length);
    PipeBarrier<PIPE_V>();
    const LocalTensor<uint32_t> words = src.template ReinterpretCast<uint32_t>();
    for (int64_t row = 0; row < rows; ++row) {
        Gather(dst[row * length].template ReinterpretCast<uint32_t>(), words, tmp.ReinterpretCast<uint32_t>(), row * 8, 2 * length);
    }
}
