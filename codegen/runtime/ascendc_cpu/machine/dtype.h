// Element types by value, so that the machine is compiled once and not per kernel.
#pragma once

#include "../number.h"

namespace ascendc_cpu {

enum class DType : std::uint8_t { F32, F16, BF16, I8, I16, I32, I64, U8, U16, U32, U64, F64 };

template <class T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::F32;
};
template <>
struct DTypeOf<half> {
  static constexpr DType value = DType::F16;
};
template <>
struct DTypeOf<bfloat16_t> {
  static constexpr DType value = DType::BF16;
};
template <>
struct DTypeOf<std::int8_t> {
  static constexpr DType value = DType::I8;
};
template <>
struct DTypeOf<std::int16_t> {
  static constexpr DType value = DType::I16;
};
template <>
struct DTypeOf<std::int32_t> {
  static constexpr DType value = DType::I32;
};
template <>
struct DTypeOf<std::int64_t> {
  static constexpr DType value = DType::I64;
};
template <>
struct DTypeOf<std::uint8_t> {
  static constexpr DType value = DType::U8;
};
template <>
struct DTypeOf<std::uint16_t> {
  static constexpr DType value = DType::U16;
};
template <>
struct DTypeOf<std::uint32_t> {
  static constexpr DType value = DType::U32;
};
template <>
struct DTypeOf<std::uint64_t> {
  static constexpr DType value = DType::U64;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::F64;
};

template <class T>
constexpr DType dtype_of = DTypeOf<T>::value;

constexpr int size_of(DType dtype) {
  constexpr int sizes[] = {4, 2, 2, 1, 2, 4, 8, 1, 2, 4, 8, 8};
  return sizes[static_cast<int>(dtype)];
}

constexpr const char* name_of(DType dtype) {
  constexpr const char* names[] = {"float",   "half",    "bfloat16_t", "int8_t",   "int16_t",  "int32_t",
                                   "int64_t", "uint8_t", "uint16_t",   "uint32_t", "uint64_t", "double"};
  return names[static_cast<int>(dtype)];
}

// A scalar operand: its type and its bits.
struct Scalar {
  DType dtype = DType::F32;
  std::uint64_t bits = 0;
};

template <class T>
inline Scalar scalar_of(const T& value) {
  Scalar scalar;
  scalar.dtype = dtype_of<T>;
  std::memcpy(&scalar.bits, &value, sizeof(T));
  return scalar;
}

// A set of types, for the legality tables of the instructions.
class DTypes {
 public:
  template <class... D>
  constexpr explicit DTypes(D... dtypes) : bits_(0) {
    const DType all[] = {dtypes...};
    for (DType dtype : all) bits_ |= 1u << static_cast<int>(dtype);
  }
  constexpr bool has(DType dtype) const { return (bits_ >> static_cast<int>(dtype)) & 1u; }

 private:
  std::uint32_t bits_;
};

}  // namespace ascendc_cpu
