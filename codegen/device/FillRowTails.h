// Needs: Smaller.
// Sets what lies behind the first `used` elements of every row. A row starts at a multiple of 32 bytes.
template <typename T>
__aicore__ inline void FillRowTails(const LocalTensor<T> &tensor, T value, int64_t rows, int64_t used, int64_t pitch)
{
    constexpr int64_t block = 32 / sizeof(T);
    const int64_t whole = used / block * block;  // whole blocks hold nothing but elements
    const int64_t first = used - whole;          // and so do these lanes of the next block
    if (used == pitch) {
        return;
    }
    if (pitch - whole <= 64 && pitch / block <= 255) {
        const uint64_t mask[2] = {(~0ULL << first) & (~0ULL >> (64 - (pitch - whole))), 0};
        for (int64_t row = 0; row < rows; row += 255) {
            Duplicate(tensor[row * pitch + whole], value, mask, Smaller(255, rows - row), 1, pitch / block);
        }
        return;
    }
    const uint64_t mask[2] = {(~0ULL << first) & (~0ULL >> (64 - block)), 0};
    const int64_t next = first > 0 ? whole + block : whole;
    for (int64_t row = 0; row < rows; ++row) {
        if (first > 0) {
            Duplicate(tensor[row * pitch + whole], value, mask, 1, 1, 8);
        }
        if (next < pitch) {
            Duplicate(tensor[row * pitch + next], value, pitch - next);
        }
    }
}
