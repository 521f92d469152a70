// Needs: Smaller.
// dst = src / scalar. The scalar fills one repeat, which every repeat of the division reads again.
template <typename T>
__aicore__ inline void DivideByScalar(const LocalTensor<T> &dst, const LocalTensor<T> &src, T scalar, const LocalTensor<T> &repeat,
                                      int64_t count)
{
    constexpr int64_t lanes = 256 / sizeof(T);
    Duplicate(repeat, scalar, lanes);
    PipeBarrier<PIPE_V>();
    const BinaryRepeatParams params(1, 1, 1, 8, 8, 0);
    const int64_t whole = count / lanes;
    for (int64_t done = 0; done < whole; done += 255) {
        Div(dst[done * lanes], src[done * lanes], repeat, static_cast<uint64_t>(lanes), Smaller(255, whole - done), params);
    }
    const int64_t rest = count - whole * lanes;
    if (rest > 0) {
        Div(dst[whole * lanes], src[whole * lanes], repeat, static_cast<uint64_t>(rest), 1, params);
    }
}
