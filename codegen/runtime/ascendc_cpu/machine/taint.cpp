#include "taint.h"

#include <algorithm>
#include <cstring>

#include "hazards.h"

namespace ascendc_cpu {

bool any_bit(const std::uint8_t* bits, std::uint32_t bytes) {
  std::uint8_t seen = 0;
  for (std::uint32_t i = 0; i < bytes; ++i) seen |= bits[i];
  return seen != 0;
}

Taint::Taint(std::uint32_t ub_bytes) : bits_(ub_bytes, 0xff), blocks_((ub_bytes + kBlockBytes - 1) / kBlockBytes, 1) {}

bool Taint::any(std::uint32_t offset, std::uint32_t bytes) const {
  if (bytes == 0) return false;
  const std::uint32_t first = offset / kBlockBytes;
  const std::uint32_t last = (offset + bytes - 1) / kBlockBytes;
  return any_bit(blocks_.data() + first, last - first + 1) && any_bit(bits_.data() + offset, bytes);
}

std::uint32_t Taint::first(std::uint32_t offset, std::uint32_t bytes) const {
  const std::uint8_t* begin = bits_.data() + offset;
  return offset + static_cast<std::uint32_t>(std::find_if(begin, begin + bytes, [](std::uint8_t bits) { return bits != 0; }) - begin);
}

void Taint::fill(std::uint32_t offset, std::uint32_t bytes, std::uint8_t bits) {
  if (bytes == 0) return;
  std::memset(bits_.data() + offset, bits, bytes);
  refresh(offset, bytes);
}

void Taint::copy(std::uint32_t offset, const std::uint8_t* bits, std::uint32_t bytes) {
  if (bytes == 0) return;
  std::memmove(bits_.data() + offset, bits, bytes);
  refresh(offset, bytes);
}

void Taint::refresh(std::uint32_t offset, std::uint32_t bytes) {
  const std::uint32_t first = offset / kBlockBytes;
  const std::uint32_t last = (offset + bytes - 1) / kBlockBytes;
  for (std::uint32_t block = first; block <= last; ++block) {
    const std::uint32_t begin = block * kBlockBytes;
    const std::uint32_t length = std::min<std::uint32_t>(kBlockBytes, static_cast<std::uint32_t>(bits_.size()) - begin);
    blocks_[block] = any_bit(bits_.data() + begin, length) ? 1 : 0;
  }
}

}  // namespace ascendc_cpu
