// Needs: Smaller.
// dst = scalar / src. The scalar fills one repeat, which every repeat of the division reads again.
template <typename T>
__aicore__ inline void DivideScalarBy(const LocalTensor<T> &dst, T scalar, const LocalTensor<T> &src, const LocalTensor<T> &repeat,
                                      int64_t count)
{
    constexpr int64_t lanes = 256 / sizeof(T);
    Duplicate(repeat, scalar, lanes);
    PipeBarrier<PIPE_V>();
    const BinaryRepeatParams params(1, 1, 1, 8, 0, 8);
    const int64_t whole = count / lanes;
    for (int64_t done = 0; done < whole; done += 255) {
        Div(dst[done * lanes], repeat, src[done * lanes], static_cast<uint64_t>(lanes), Smaller(255, whole - done), params);
    }
    const int64_t rest = count - whole * lanes;
    if (rest > 0) {
        Div(dst[whole * lanes], repeat, src[whole * lanes], static_cast<uint64_t>(rest), 1, params);
    }
}
