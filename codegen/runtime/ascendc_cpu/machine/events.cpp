#include "events.h"

namespace ascendc_cpu {

namespace {

struct Kind {
  Pipe source;
  Pipe target;
  const char* name;
};

constexpr Kind kKinds[kHardEvents] = {
    {Pipe::MTE2, Pipe::V, "MTE2_V"},
    {Pipe::V, Pipe::MTE2, "V_MTE2"},
    {Pipe::V, Pipe::MTE3, "V_MTE3"},
    {Pipe::MTE3, Pipe::V, "MTE3_V"},
    {Pipe::MTE2, Pipe::MTE3, "MTE2_MTE3"},
    {Pipe::MTE3, Pipe::MTE2, "MTE3_MTE2"},
    {Pipe::V, Pipe::S, "V_S"},
    {Pipe::S, Pipe::V, "S_V"},
    {Pipe::MTE2, Pipe::S, "MTE2_S"},
    {Pipe::S, Pipe::MTE2, "S_MTE2"},
    {Pipe::MTE3, Pipe::S, "MTE3_S"},
    {Pipe::S, Pipe::MTE3, "S_MTE3"},
};

}  // namespace

Pipe source_of(AscendC::HardEvent kind) {
  return kKinds[static_cast<int>(kind)].source;
}
Pipe target_of(AscendC::HardEvent kind) {
  return kKinds[static_cast<int>(kind)].target;
}
const char* name_of(AscendC::HardEvent kind) {
  return kKinds[static_cast<int>(kind)].name;
}

int Events::lowest_free(AscendC::HardEvent kind) const {
  for (int id = 0; id < ids_; ++id) {
    if (!held(kind, id)) return id;
  }
  return -1;
}

void Events::set(AscendC::HardEvent kind, int id, const Clock& clock, Site site) {
  Slot& flag = slot(kind, id);
  flag.pending = true;
  flag.clock = clock;
  flag.site = site;
}

const Clock& Events::take(AscendC::HardEvent kind, int id) {
  Slot& flag = slot(kind, id);
  flag.pending = false;
  return flag.clock;
}

}  // namespace ascendc_cpu
