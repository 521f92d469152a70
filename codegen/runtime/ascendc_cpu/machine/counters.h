// How often each call ran: per place in the kernel, from which totals per API follow, and what the DMA pipes moved.
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "hazards.h"
#include "site.h"

namespace ascendc_cpu {

// Which unit a call belongs to in the report. QUEUE and SYNC calls are no instructions; NONE is not reported.
enum class Unit : std::uint8_t { S, V, MTE2, MTE3, SYNC, QUEUE, NONE };

constexpr const char* name_of(Unit unit) {
  constexpr const char* names[] = {"S", "V", "MTE2", "MTE3", "SYNC", "QUEUE", ""};
  return names[static_cast<int>(unit)];
}

struct DmaCount {
  std::int64_t instructions = 0;
  std::int64_t bytes = 0;  // real bytes: no padding, no gaps
};

class Counters {
 public:
  struct Place {
    const char* api;
    Site site;
    Unit unit;
    std::int64_t runs;
  };

  // Counts one run of a call; returns the index of its place.
  std::uint32_t count(const char* api, Site site, Unit unit);
  const Place& place(std::uint32_t index) const { return places_[index]; }
  const std::vector<Place>& places() const { return places_; }
  void add_dma(Pipe pipe, std::int64_t bytes);
  const DmaCount& dma(Pipe pipe) const { return dma_[static_cast<int>(pipe)]; }

 private:
  struct Key {
    const char* api;
    const char* file;
    int line;
    bool operator==(const Key& other) const { return api == other.api && file == other.file && line == other.line; }
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      const std::size_t api = reinterpret_cast<std::uintptr_t>(key.api);
      return (api * 31 + reinterpret_cast<std::uintptr_t>(key.file)) * 31 + static_cast<std::size_t>(key.line);
    }
  };

  std::unordered_map<Key, std::uint32_t, Hash> index_;
  std::vector<Place> places_;
  std::array<DmaCount, kPipes> dma_{};
};

}  // namespace ascendc_cpu
