// Needs: LargestLanes, Handshake.
// Place of the first maximum of every row, where no reduce yields it: of integers, and of a row that goes on in another run of `cols`
// elements. Each row is taken repeat by repeat; the scalar unit then finds the largest lane. `run` counts the runs of a row; what earlier
// runs left in tmp goes on, so one row at a time has several runs.
template <typename T, typename Result>
__aicore__ inline void TakeLargest(TPipe &pipe, const Result &result, int64_t row, const LargestLanes<T> &largest, int64_t turns,
                                   int64_t lanes)
{
    const LocalTensor<T> values = largest.After(turns);
    Handshake<HardEvent::V_S>(pipe);
    T top = values.GetValue(0);
    int64_t place = static_cast<int64_t>(largest.places.GetValue(0));
    for (int64_t lane = 1; lane < lanes; ++lane) {
        const T value = values.GetValue(lane);
        const int64_t here = static_cast<int64_t>(largest.places.GetValue(lane)) + lane;
        if (value > top || (value == top && here < place)) {
            top = value;
            place = here;
        }
    }
    result.Take(row, top, place);
}

template <typename T, typename Result>
__aicore__ inline void LaneArgMax(TPipe &pipe, const Result &result, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
                                  int64_t rows, int64_t cols, int64_t pitch, int64_t run)
{
    constexpr int64_t repeat = LargestLanes<T>::repeat;
    const LargestLanes<T> largest(tmp, repeat);
    const int64_t each = (cols + repeat - 1) / repeat;
    const int64_t lanes = cols < repeat ? cols : repeat;
    for (int64_t row = 0; row < rows; ++row) {
        for (int64_t part = 0; part < each; ++part) {
            const int64_t turn = run * each + part;
            const int64_t here = cols - part * repeat < repeat ? cols - part * repeat : repeat;
            if (turn > 0 && here < repeat) {
                DataCopy(largest.After(turn + 1), largest.After(turn), repeat);
                PipeBarrier<PIPE_V>();
            }
            largest.Take(src[row * pitch + part * repeat], turn, run * cols + part * repeat, here);
        }
        TakeLargest(pipe, result, row, largest, (run + 1) * each, lanes);
        Handshake<HardEvent::S_V>(pipe);
    }
}
