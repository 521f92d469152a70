// The elementwise instructions without their C++ types.
#pragma once

#include "../api/enums.h"
#include "vector.h"

namespace ascendc_cpu {

enum class UnaryOp : std::uint8_t { ABS, EXP, LN, SQRT, RSQRT, RECIPROCAL, RELU, NOT };
enum class BinaryOp : std::uint8_t { ADD, SUB, MUL, DIV, MAX, MIN, AND, OR, ADD_RELU, SUB_RELU };
enum class FusedOp : std::uint8_t { MUL_ADD, MUL_ADD_RELU, MUL_ADD_DST };
enum class ScalarOp : std::uint8_t { ADDS, MULS, MAXS, MINS, LEAKY_RELU, SHIFT_LEFT, SHIFT_RIGHT };

void unary(UnaryOp op, const Operand& dst, const Operand& src, const Lanes& lanes, Site site);
void binary(BinaryOp op, const Operand& dst, const Operand& src0, const Operand& src1, const Lanes& lanes, Site site);
// The destination is also an input.
void fused(FusedOp op, const Operand& dst, const Operand& src0, const Operand& src1, const Lanes& lanes, Site site);
void with_scalar(ScalarOp op, const Operand& dst, const Operand& src, const Scalar& scalar, const Lanes& lanes, Site site);
void axpy(const Operand& dst, const Operand& src, const Scalar& scalar, const Lanes& lanes, Site site);

void cast(const Operand& dst, const Operand& src, AscendC::RoundMode mode, const Lanes& lanes, Site site);

// `scalar` non-null: compare with it instead of src1.
void compare(const Operand& dst, const Operand& src0, const Operand& src1, const Scalar* scalar, AscendC::CMPMODE mode, const Lanes& lanes,
             const char* api, Site site);
void select(const Operand& dst, const TensorRef& mask, const Operand& src0, const Operand& src1, const Scalar* scalar,
            AscendC::SELMODE mode, const Lanes& lanes, Site site);

void duplicate(const Operand& dst, const Scalar& value, const Lanes& lanes, Site site);
void copy(const Operand& dst, const Operand& src, const Lanes& lanes, Site site);
void brcb(const Operand& dst, const TensorRef& src, std::int64_t repeat, Site site);
// first, first + step, first + 2 step …
void arithmetic_progression(const char* api, const TensorRef& dst, const Scalar& first, const Scalar& step, std::int64_t count, Site site);

}  // namespace ascendc_cpu
