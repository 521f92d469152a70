// Needs: LargestLanes.
// Place of the first maximum along rows of `elems` lanes that come tile by tile, `pitch` elements apart in each. `before` rows came in earlier
// tiles. `kept` holds the largest so far and their places from tile to tile, for whole repeats of lanes, for result after result.
template <typename T>
__aicore__ inline void TilesArgMax(const LocalTensor<int64_t> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
                                   const LocalTensor<uint8_t> &kept, int64_t result, int64_t rows, int64_t pitch, int64_t elems,
                                   int64_t before)
{
    const LargestLanes<T> tile(tmp, elems);
    for (int64_t row = 0; row < rows; ++row) {
        tile.Take(src[row * pitch], row, row, elems);
    }
    const LocalTensor<T> larger = tile.After(rows);
    const LocalTensor<T> next = tile.After(rows + 1);
    const LocalTensor<int32_t> found = tile.places.template ReinterpretCast<int32_t>();
    const LocalTensor<T> largest = kept.ReinterpretCast<T>()[result * 2 * tile.lanes];
    const LocalTensor<int32_t> places = kept.ReinterpretCast<int32_t>()[(result * 2 + 1) * tile.lanes];
    Cast(found, tile.places, RoundMode::CAST_RINT, tile.lanes);
    PipeBarrier<PIPE_V>();
    Adds(found, found, static_cast<int32_t>(before), tile.lanes);
    if (before == 0) {
        PipeBarrier<PIPE_V>();
        Max(largest, larger, larger, tile.lanes);
        Adds(places, found, static_cast<int32_t>(0), tile.lanes);
    } else {
        Max(next, largest, larger, tile.lanes);
        PipeBarrier<PIPE_V>();
        Compare(tile.bits, next, largest, CMPMODE::EQ, tile.lanes);
        PipeBarrier<PIPE_V>();
        const LocalTensor<float> chosen = places.template ReinterpretCast<float>();
        Select(chosen, tile.bits, chosen, tile.places, SELMODE::VSEL_TENSOR_TENSOR_MODE, tile.lanes);
        Max(largest, next, next, tile.lanes);
    }
    PipeBarrier<PIPE_V>();
    Cast(dst, places, RoundMode::CAST_NONE, elems);
}
