// Where the place of the largest element of a row goes that is whole: into the result.
struct PlacesOfRows {
    LocalTensor<int64_t> dst;

    template <typename T>
    __aicore__ inline void Take(int64_t row, T, int64_t place) const
    {
        dst.SetValue(row, place);
    }
};
