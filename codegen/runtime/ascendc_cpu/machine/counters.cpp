#include "counters.h"

namespace ascendc_cpu {

std::uint32_t Counters::count(const char* api, Site site, Unit unit) {
  const auto [entry, fresh] = index_.try_emplace(Key{api, site.file, site.line}, static_cast<std::uint32_t>(places_.size()));
  if (fresh) places_.push_back({api, site, unit, 0});
  ++places_[entry->second].runs;
  return entry->second;
}

void Counters::add_dma(Pipe pipe, std::int64_t bytes) {
  ++dma_[static_cast<int>(pipe)].instructions;
  dma_[static_cast<int>(pipe)].bytes += bytes;
}

}  // namespace ascendc_cpu
