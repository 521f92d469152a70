// Which bits of UB were never written. One shadow byte per UB byte holds the tainted bits of that byte: values are tainted as a whole, the
// bit masks that Compare writes bit by bit. A flag per 32-byte block makes the common case, no taint at all, cheap.
#pragma once

#include <cstdint>
#include <vector>

namespace ascendc_cpu {

class Taint {
 public:
  explicit Taint(std::uint32_t ub_bytes);

  bool any(std::uint32_t offset, std::uint32_t bytes) const;
  // Offset of the first tainted byte of a range; the range must have one.
  std::uint32_t first(std::uint32_t offset, std::uint32_t bytes) const;
  const std::uint8_t* at(std::uint32_t offset) const { return bits_.data() + offset; }

  void clear(std::uint32_t offset, std::uint32_t bytes) { fill(offset, bytes, 0); }
  void set(std::uint32_t offset, std::uint32_t bytes) { fill(offset, bytes, 0xff); }
  void fill(std::uint32_t offset, std::uint32_t bytes, std::uint8_t bits);
  void copy(std::uint32_t offset, const std::uint8_t* bits, std::uint32_t bytes);

 private:
  void refresh(std::uint32_t offset, std::uint32_t bytes);

  std::vector<std::uint8_t> bits_;
  std::vector<std::uint8_t> blocks_;
};

// Whether any of `bytes` shadow bytes is set.
bool any_bit(const std::uint8_t* bits, std::uint32_t bytes);

}  // namespace ascendc_cpu
