// Needs: Smaller.
// Rows of whole 32-byte blocks, from one pitch to another; all in elements.
template <typename T>
__aicore__ inline void CopyRows(const LocalTensor<T> &dst, const LocalTensor<T> &src, int64_t rows, int64_t elems, int64_t dstPitch,
                                int64_t srcPitch)
{
    constexpr int64_t block = 32 / sizeof(T);
    for (int64_t row = 0; row < rows; row += 4095) {
        const DataCopyParams params(Smaller(4095, rows - row), elems / block, (srcPitch - elems) / block, (dstPitch - elems) / block);
        DataCopy(dst[row * dstPitch], src[row * srcPitch], params);
    }
}
