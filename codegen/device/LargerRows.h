// Where the place of the largest element of a row goes that comes tile by tile: into the result, if no earlier tile has one as large. `before`
// elements of the row came in earlier tiles; `largest` keeps the element of every row from tile to tile.
template <typename T>
struct LargerRows {
    LocalTensor<int64_t> dst;
    LocalTensor<T> largest;
    int64_t before;

    __aicore__ inline void Take(int64_t row, T value, int64_t place) const
    {
        if (before == 0 || value > largest.GetValue(row)) {
            largest.SetValue(row, value);
            dst.SetValue(row, before + place);
        }
    }
};
