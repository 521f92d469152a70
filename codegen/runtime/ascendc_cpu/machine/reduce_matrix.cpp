// High-level reductions of a matrix whose rows are padded to 32 bytes (ascendc_api_facts §7.3).
#include <algorithm>

#include "library.h"
#include "reduce_lanes.h"

namespace ascendc_cpu {

namespace {

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::int64_t power_below(std::int64_t n) {
  std::int64_t power = 1;
  while (2 * power <= n) power *= 2;
  return power;
}

bool is_sum(MatrixReduce op) {
  return op == MatrixReduce::SUM || op == MatrixReduce::MEAN;
}
bool is_logic(MatrixReduce op) {
  return op == MatrixReduce::ANY || op == MatrixReduce::ALL;
}

// Temporary bytes of the AR forms; `folded`: half of the row at least is folded into the other half (asc-devkit, reduce_tiling.cpp).
std::int64_t row_tmp_bytes(MatrixReduce op, DType dtype, const MatrixShape& shape) {
  const std::int64_t size = size_of(dtype);
  const std::int64_t per_block = kBlockBytes / size;
  const std::int64_t power = power_below(shape.last);
  const std::int64_t folded = power == shape.last && shape.first > 1 ? power / 2 : power;
  if (op == MatrixReduce::PROD)
    return shape.reuse_source ? kRepeatBytes : (std::max(per_block, folded) + shape.first * per_block) * size + kRepeatBytes;
  if (is_logic(op) && dtype == DType::U8) return 2 * round_up(shape.last, kBlockBytes) + shape.first * kBlockBytes;
  if (shape.reuse_source) return 0;
  if (is_sum(op)) return shape.last <= 64 ? 0 : shape.first * folded * size;
  if (shape.last <= per_block) return 0;
  return shape.first * (shape.last < kRepeatBytes / size ? kBlockBytes : kRepeatBytes);
}

std::int64_t tmp_bytes(MatrixReduce op, DType dtype, const MatrixShape& shape) {
  if (shape.rows) return row_tmp_bytes(op, dtype, shape);
  if (shape.reuse_source) return 0;
  const std::int64_t power = power_below(shape.first);
  const std::int64_t folded = power == shape.first && shape.first > 1 ? power / 2 : power;
  return folded * round_up(shape.last * size_of(dtype), kBlockBytes);
}

void check_types(const Core& core, MatrixReduce op, DType dtype) {
  if (op == MatrixReduce::MAX || op == MatrixReduce::MIN) {
    core.check_dtype(dtype, DTypes(DType::F16, DType::F32), "the operands", "half, float");
  } else if (is_logic(op)) {
    core.check_dtype(dtype, DTypes(DType::F32, DType::U8), "the operands", "float, uint8_t");
  } else {
    core.check_dtype(dtype, DTypes(DType::F32), "the operands", "float");
  }
}

float read_value(DType dtype, const std::uint8_t* at) {
  return dtype == DType::U8 ? static_cast<float>(*at) : read_float(dtype, at);
}
void write_value(DType dtype, std::uint8_t* at, float value) {
  if (dtype == DType::U8) {
    *at = static_cast<std::uint8_t>(value);
  } else {
    write_float(dtype, at, value);
  }
}

float join(MatrixReduce op, float x, float y) {
  switch (op) {
    case MatrixReduce::PROD:
      return x * y;
    case MatrixReduce::MAX:
    case MatrixReduce::ANY:
      return larger(x, y);
    case MatrixReduce::MIN:
    case MatrixReduce::ALL:
      return smaller(x, y);
    default:
      return x + y;
  }
}

// Folds the upper part onto the lower until one value is left, as the library does.
float fold(MatrixReduce op, std::vector<float>& values) {
  std::int64_t n = static_cast<std::int64_t>(values.size());
  while (n > 1) {
    const std::int64_t power = power_below(n);
    const std::int64_t kept = power == n ? n / 2 : power;
    for (std::int64_t i = kept; i < n; ++i) {
      values[static_cast<std::size_t>(i - kept)] =
          join(op, values[static_cast<std::size_t>(i - kept)], values[static_cast<std::size_t>(i)]);
    }
    n = kept;
  }
  return values[0];
}

// ANY and ALL are defined on truth values.
void check_truth(const Core& core, MatrixReduce op, float value) {
  if (is_logic(op) && value != 0.0f && value != 1.0f) core.fail(Fault::NUMERIC, "an input of a logical reduction", "0 or 1", say(value));
}

class Reduction {
 public:
  Reduction(Core& core, MatrixReduce op, const TensorRef& dst, const TensorRef& src, const MatrixShape& shape)
      : core_(core),
        op_(op),
        dst_(dst),
        src_(src),
        shape_(shape),
        size_(size_of(src.dtype)),
        pitch_(round_up(shape.last * size_, kBlockBytes)) {}

  std::int64_t src_bytes() const { return shape_.first * pitch_; }
  std::int64_t dst_bytes() const { return shape_.rows ? shape_.first * size_ : pitch_; }

  void run() {
    const std::int64_t results = shape_.rows ? shape_.first : shape_.last;
    const std::int64_t terms = shape_.rows ? shape_.last : shape_.first;
    for (std::int64_t row = 0; row < shape_.first; ++row) {
      core_.check_untainted(offset(row, 0), shape_.last * size_, "src", "a reduction");
    }
    std::vector<float> values;
    for (std::int64_t i = 0; i < results; ++i) {
      values.clear();
      for (std::int64_t j = 0; j < terms; ++j) {
        values.push_back(read_value(src_.dtype, core_.at(shape_.rows ? offset(i, j) : offset(j, i))));
        check_truth(core_, op_, values.back());
      }
      float result = fold(op_, values);
      if (op_ == MatrixReduce::MEAN) result *= 1.0f / static_cast<float>(terms);
      write_value(dst_.dtype, core_.at(dst_.offset) + i * size_, result);
    }
    core_.taint.clear(dst_.offset, static_cast<std::uint32_t>(results * size_));
    // Columns are reduced in whole blocks: the rest of the last one is written too, with nothing of use.
    core_.taint.set(dst_.offset + static_cast<std::uint32_t>(results * size_), static_cast<std::uint32_t>(dst_bytes() - results * size_));
  }

 private:
  std::uint32_t offset(std::int64_t row, std::int64_t column) const {
    return src_.offset + static_cast<std::uint32_t>(row * pitch_ + column * size_);
  }

  Core& core_;
  MatrixReduce op_;
  const TensorRef& dst_;
  const TensorRef& src_;
  const MatrixShape& shape_;
  std::int64_t size_;
  std::int64_t pitch_;
};

}  // namespace

void reduce_matrix(MatrixReduce op, const TensorRef& dst, const TensorRef& src, const TensorRef* tmp, const MatrixShape& shape, Site site) {
  constexpr const char* names[] = {"ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceMean", "ReduceAny", "ReduceAll"};
  Core& core = Core::current();
  core.enter(names[static_cast<int>(op)], site, Unit::V);
  check_types(core, op, src.dtype);
  if (!shape.inner_pad) core.fail(Fault::ARGUMENT, "srcInnerPad", "true on arch 2201", "false");
  if (shape.first < 1 || shape.last < 1) core.fail(Fault::ARGUMENT, "srcShape", "at least 1 x 1", say(shape.first, " x ", shape.last));
  Reduction reduction(core, op, dst, src, shape);
  const std::int64_t need = tmp_bytes(op, src.dtype, shape);
  core.check_operand(src, "src", reduction.src_bytes());
  core.check_operand(dst, "dst", reduction.dst_bytes());
  const TensorRef scratch = library_tmp(core, tmp, need);
  check_disjoint(core, dst, reduction.dst_bytes(), "dst", src, reduction.src_bytes(), "src");
  check_disjoint(core, scratch, need, "sharedTmpBuffer", src, reduction.src_bytes(), "src");
  check_disjoint(core, scratch, need, "sharedTmpBuffer", dst, reduction.dst_bytes(), "dst");
  core.mask = MaskState{};
  core.issue(Pipe::V);
  core.reads(Pipe::V, src.offset, reduction.src_bytes(), "src");
  clobber(core, scratch, need);
  core.writes(Pipe::V, dst.offset, reduction.dst_bytes(), "dst");
  reduction.run();
  if (shape.reuse_source) clobber(core, src, reduction.src_bytes());
}

}  // namespace ascendc_cpu
