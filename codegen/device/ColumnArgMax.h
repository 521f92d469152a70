// Needs: LargestLanes.
// Place of the first maximum along rows that lie `pitch` elements apart, for each of `elems` lanes. `first` is the place of the first of these
// rows; what earlier rows left in tmp goes on.
template <typename T>
__aicore__ inline void ColumnArgMax(const LocalTensor<int64_t> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
                                    int64_t rows, int64_t pitch, int64_t elems, int64_t first)
{
    const LargestLanes<T> largest(tmp, elems);
    for (int64_t row = 0; row < rows; ++row) {
        largest.Take(src[row * pitch], first + row, first + row, elems);
    }
    Cast(dst, largest.places, RoundMode::CAST_RINT, elems);
}
