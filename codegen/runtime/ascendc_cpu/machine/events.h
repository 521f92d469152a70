// Flags between pipes: eight ids per kind, set and waited for strictly in turn (ascendc_api_facts §4).
#pragma once

#include <array>

#include "../api/enums.h"
#include "hazards.h"
#include "site.h"

namespace ascendc_cpu {

constexpr int kHardEvents = 12;
constexpr int kEventIdsMax = 32;

Pipe source_of(AscendC::HardEvent kind);
Pipe target_of(AscendC::HardEvent kind);
const char* name_of(AscendC::HardEvent kind);

class Events {
 public:
  explicit Events(int ids) : ids_(ids) {}

  // Lowest id that nobody holds; -1 if all are held.
  int lowest_free(AscendC::HardEvent kind) const;
  void hold(AscendC::HardEvent kind, int id) { slot(kind, id).held = true; }
  void release(AscendC::HardEvent kind, int id) { slot(kind, id).held = false; }
  bool held(AscendC::HardEvent kind, int id) const { return slot(kind, id).held; }
  bool in_range(int id) const { return id >= 0 && id < ids_; }
  int ids() const { return ids_; }

  bool pending(AscendC::HardEvent kind, int id) const { return slot(kind, id).pending; }
  void set(AscendC::HardEvent kind, int id, const Clock& clock, Site site);
  const Clock& take(AscendC::HardEvent kind, int id);
  Site set_site(AscendC::HardEvent kind, int id) const { return slot(kind, id).site; }

 private:
  struct Slot {
    bool held = false;
    bool pending = false;
    Clock clock{};
    Site site{"", 0};
  };
  Slot& slot(AscendC::HardEvent kind, int id) { return slots_[static_cast<int>(kind)][id]; }
  const Slot& slot(AscendC::HardEvent kind, int id) const { return slots_[static_cast<int>(kind)][id]; }

  int ids_;
  std::array<std::array<Slot, kEventIdsMax>, kHardEvents> slots_{};
};

}  // namespace ascendc_cpu
