// Needs: Smaller.
// A matrix of 2- or 4-byte elements, transposed: dst[c][r] = src[r][c]. Pitches are in elements, dst's a multiple of 16, src's of 32 bytes.
// `spare` takes 16 blocks of 32 bytes: what columns behind the last would become.
template <typename T>
__aicore__ inline void TransposeMatrix(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &spare, int64_t rows,
                                       int64_t columns, int64_t dstPitch, int64_t srcPitch)
{
    constexpr int64_t block = 32 / sizeof(T);
    constexpr int64_t pieces = 16 / block;
    const int64_t whole = columns / block;
    LocalTensor<T> from[16];
    LocalTensor<T> to[16];
    for (int64_t row = 0; row < rows; row += 16) {
        for (int64_t done = 0; done < whole; done += 255) {
            const int64_t repeats = Smaller(255, whole - done);
            for (int64_t i = 0; i < 16; ++i) {
                from[i] = src[Smaller(row + i, rows - 1) * srcPitch + done * block];
                to[i] = dst[(done * block + i / pieces) * dstPitch + row + i % pieces * block];
            }
            TransDataTo5HD(to, from, TransDataTo5HDParams(false, false, repeats, repeats == 1 ? 0 : dstPitch, repeats == 1 ? 0 : 1));
        }
        if (whole * block == columns) {
            continue;
        }
        for (int64_t i = 0; i < 16; ++i) {
            const int64_t column = whole * block + i / pieces;
            from[i] = src[Smaller(row + i, rows - 1) * srcPitch + whole * block];
            to[i] = column < columns ? dst[column * dstPitch + row + i % pieces * block] : spare[i * block];
        }
        if (row > 0) {
            PipeBarrier<PIPE_V>();  // spare was written before
        }
        TransDataTo5HD(to, from, TransDataTo5HDParams(false, false, 1, 0, 0));
    }
}
