// Needs: Handshake.
// Index of the first maximum of every row. A reduce with index leaves it behind the value, as bits; the scalar unit stores it.
template <typename T, typename Result>
__aicore__ inline void RowArgMax(TPipe &pipe, const Result &result, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
                                 int64_t rows, int64_t cols, int64_t pitch)
{
    const LocalTensor<T> found = tmp.ReinterpretCast<T>();
    const LocalTensor<T> work = tmp[32].ReinterpretCast<T>();
    for (int64_t row = 0; row < rows; ++row) {
        ReduceMax(found, src[row * pitch], work, cols, true);
        Handshake<HardEvent::V_S>(pipe);
        const uint32_t place = found.template ReinterpretCast<uint32_t>().GetValue(1);
        result.Take(row, found.GetValue(0), static_cast<int64_t>(place));
        Handshake<HardEvent::S_V>(pipe);
    }
}
