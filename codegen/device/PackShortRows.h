// Rows of at most 32 lanes, `pitch` (8, 16 or 32) apart, close together. `bits` holds the lanes to keep: one block of tmp.
template <typename T, typename Bits>
__aicore__ inline void PackShortRows(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<Bits> &bits, int64_t rows,
                                     int64_t length, int64_t pitch)
{
    // So many rows are whole blocks in dst. Few of them are not worth the mask.
    const int64_t group = 32 / static_cast<int64_t>(sizeof(T));
    const int64_t whole = rows < 4 * group ? 0 : rows / group * group;
    uint64_t kept = 0;
    if (whole > 0) {
        uint32_t lanes = static_cast<uint32_t>((static_cast<uint64_t>(1) << length) - 1);
        for (int64_t filled = pitch; filled < 32; filled *= 2) {
            lanes |= lanes << filled;
        }
        Duplicate(bits.template ReinterpretCast<uint32_t>(), lanes, 8);
        PipeBarrier<PIPE_V>();
        const int64_t repeats = whole * pitch * static_cast<int64_t>(sizeof(T)) / 256;
        GatherMask(dst, src, bits, false, 0, GatherMaskParams(1, repeats, 8, 0), kept);
    }
    if (whole < rows) {
        const int64_t blocks = pitch * static_cast<int64_t>(sizeof(T)) / 32;
        GatherMask(dst[whole * length], src[whole * pitch], static_cast<uint8_t>(7), true, length,
                   GatherMaskParams(1, rows - whole, blocks, 0), kept);
    }
}
