// The largest of some rows in every lane, and the place of the first row that holds it. Rows come turn by turn, from 0. In tmp, for whole
// repeats: the largest so far, twice, because each turn writes it anew beside the old one; its place as float; the bits of a comparison.
// Both element types that are compared have 4 bytes. A row that is no larger stays where it is equal: Compare knows that of integers too.
template <typename T>
struct LargestLanes {
    static constexpr int64_t repeat = 256 / sizeof(T);
    LocalTensor<T> even;
    LocalTensor<T> odd;
    LocalTensor<float> places;
    LocalTensor<uint8_t> bits;
    int64_t lanes;

    __aicore__ inline LargestLanes(const LocalTensor<uint8_t> &tmp, int64_t elems)
    {
        lanes = (elems + repeat - 1) / repeat * repeat;
        even = tmp.ReinterpretCast<T>();
        odd = even[lanes];
        places = odd[lanes].template ReinterpretCast<float>();
        bits = places[lanes].template ReinterpretCast<uint8_t>();
    }

    // The largest after some turns.
    __aicore__ inline LocalTensor<T> After(int64_t turns) const
    {
        return turns % 2 == 1 ? even : odd;
    }

    __aicore__ inline void Take(const LocalTensor<T> &row, int64_t turn, int64_t place, int64_t elems) const
    {
        const LocalTensor<T> old = After(turn);
        const LocalTensor<T> next = After(turn + 1);
        if (turn == 0) {
            Duplicate(even, static_cast<T>(0), lanes);
            Duplicate(odd, static_cast<T>(0), lanes);
            Duplicate(places, static_cast<float>(place), lanes);
            PipeBarrier<PIPE_V>();
            Max(next, row, row, elems);
            PipeBarrier<PIPE_V>();
            return;
        }
        Max(next, old, row, elems);
        PipeBarrier<PIPE_V>();
        Compare(bits, next, old, CMPMODE::EQ, lanes);
        PipeBarrier<PIPE_V>();
        Select(places, bits, places, static_cast<float>(place), SELMODE::VSEL_TENSOR_SCALAR_MODE, elems);
        PipeBarrier<PIPE_V>();
    }
};
