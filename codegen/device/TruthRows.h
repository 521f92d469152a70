// dst = 1 where an element of src is not 0, else 0. 2 to the 100th, twice, lifts the smallest float above 1.
__aicore__ inline void TruthRows(const LocalTensor<float> &dst, const LocalTensor<float> &src, int64_t count)
{
    Abs(dst, src, count);
    for (int step = 0; step < 2; ++step) {
        PipeBarrier<PIPE_V>();
        Muls(dst, dst, 1.2676506e+30f, count);
    }
    PipeBarrier<PIPE_V>();
    Mins(dst, dst, 1.0f, count);
}
