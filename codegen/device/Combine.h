// How two partial results of a reduce are joined.
enum class Fold { ADD, MUL, MAX, MIN };

template <Fold fold, typename T>
__aicore__ inline void Combine(const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<T> &b, int64_t count)
{
    if constexpr (fold == Fold::ADD) {
        Add(dst, a, b, count);
    } else if constexpr (fold == Fold::MUL) {
        Mul(dst, a, b, count);
    } else if constexpr (fold == Fold::MAX) {
        Max(dst, a, b, count);
    } else {
        Min(dst, a, b, count);
    }
}
