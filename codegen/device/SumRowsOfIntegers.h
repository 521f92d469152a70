// Needs: FoldRows, Smaller.
// Sums of rows of 32-bit integers, which wrap; rows lie `length` elements apart. No reduce takes integers: each row is folded to one block,
// then the low and the high halves of its numbers are added as floats, which hold such sums exactly. In tmp: the blocks, a copy of them to
// work on, a number for each row, and room to fold one row.
__aicore__ inline void FoldRowToBlock(const LocalTensor<int32_t> &block, const LocalTensor<int32_t> &row, const LocalTensor<int32_t> &tmp,
                                      int64_t length)
{
    const int64_t whole = length / 8;
    const int64_t rest = length - whole * 8;
    if (whole > 0) {
        FoldRows<Fold::ADD>(block, row, tmp, whole, 8, 8);
    } else {
        Duplicate(block, 0, 8);
    }
    PipeBarrier<PIPE_V>();
    if (rest > 0) {
        Add(block, block, row[whole * 8], rest);
        PipeBarrier<PIPE_V>();
    }
}

// One sum for each block of numbers below 2 to the 16th.
__aicore__ inline void SumBlocks(const LocalTensor<int32_t> &dst, const LocalTensor<int32_t> &halves, int64_t rows)
{
    const LocalTensor<float> values = halves.ReinterpretCast<float>();
    const LocalTensor<float> sums = dst.ReinterpretCast<float>();
    Cast(values, halves, RoundMode::CAST_RINT, rows * 8);
    PipeBarrier<PIPE_V>();
    const int64_t whole = rows / 8;
    for (int64_t done = 0; done < whole; done += 255) {
        BlockReduceSum(sums[done * 8], values[done * 64], Smaller(255, whole - done), static_cast<uint64_t>(64), 1, 1, 8);
    }
    const int64_t rest = rows - whole * 8;
    if (rest > 0) {
        BlockReduceSum(sums[whole * 8], values[whole * 64], 1, static_cast<uint64_t>(rest * 8), 1, 1, 8);
    }
    PipeBarrier<PIPE_V>();
    Cast(dst, sums, RoundMode::CAST_RINT, rows);
    PipeBarrier<PIPE_V>();
}

__aicore__ inline void SumRowsOfIntegers(const LocalTensor<int32_t> &dst, const LocalTensor<int32_t> &src, const LocalTensor<uint8_t> &tmp,
                                         int64_t rows, int64_t length)
{
    const LocalTensor<int32_t> blocks = tmp.ReinterpretCast<int32_t>();
    const LocalTensor<int32_t> halves = blocks[rows * 8];
    const LocalTensor<int32_t> sums = halves[rows * 8];
    const LocalTensor<int32_t> fold = sums[(rows + 7) / 8 * 8];
    for (int64_t row = 0; row < rows; ++row) {
        FoldRowToBlock(blocks[row * 8], src[row * length], fold, length);
    }
    const LocalTensor<uint32_t> bits = blocks.ReinterpretCast<uint32_t>();
    const LocalTensor<uint32_t> part = halves.ReinterpretCast<uint32_t>();
    ShiftRight(part, bits, static_cast<uint32_t>(16), rows * 8);
    PipeBarrier<PIPE_V>();
    SumBlocks(sums, halves, rows);
    Muls(dst, sums, 65536, rows);
    ShiftLeft(part, bits, static_cast<uint32_t>(16), rows * 8);
    PipeBarrier<PIPE_V>();
    ShiftRight(part, part, static_cast<uint32_t>(16), rows * 8);
    PipeBarrier<PIPE_V>();
    SumBlocks(sums, halves, rows);
    Add(dst, dst, sums, rows);
}
