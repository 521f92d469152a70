// Needs: Smaller.
// Copies the first block of a tensor behind itself until it is there so many times: 1, 2, 4 ... blocks at a time.
template <typename T>
__aicore__ inline void RepeatBlock(const LocalTensor<T> &tensor, int64_t elems, int64_t times)
{
    for (int64_t done = 1; done < times; done *= 2) {
        if (done > 1) {
            PipeBarrier<PIPE_V>();
        }
        DataCopy(tensor[done * elems], tensor, Smaller(done, times - done) * elems);
    }
}
