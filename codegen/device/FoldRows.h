// Needs: Combine.
// Reduces rows that lie `pitch` elements apart to one row of `elems`: the back half is folded onto the front half until one is left.
// The halves are held in tmp: as many rows as the largest power of two below the number of rows.
template <Fold fold, typename T>
__aicore__ inline void FoldRows(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &tmp, int64_t rows,
                                int64_t pitch, int64_t elems)
{
    constexpr int64_t block = 32 / sizeof(T);
    if (rows == 1) {
        DataCopy(dst, src, (elems + block - 1) / block * block);
        return;
    }
    int64_t half = 1;
    while (half * 2 < rows) {
        half *= 2;
    }
    if (half == 1) {
        Combine<fold>(dst, src, src[pitch], elems);
        return;
    }
    Combine<fold>(tmp, src, src[half * pitch], (rows - half) * pitch);
    if (rows < half * 2) {
        const int64_t alone = (half * 2 - rows) * pitch;
        DataCopy(tmp[(rows - half) * pitch], src[(rows - half) * pitch], alone);
    }
    for (half /= 2; half > 1; half /= 2) {
        PipeBarrier<PIPE_V>();
        Combine<fold>(tmp, tmp, tmp[half * pitch], half * pitch);
    }
    PipeBarrier<PIPE_V>();
    Combine<fold>(dst, tmp, tmp[pitch], elems);
}
