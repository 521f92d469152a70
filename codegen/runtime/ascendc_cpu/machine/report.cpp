// Texts of a run: the sentence of a failure, the JSON of a report.
#include "../launch.h"
#include "core.h"

namespace ascendc_cpu {

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

std::string dma_json(const DmaCount& dma) {
  return say("{\"instructions\": ", dma.instructions, ", \"bytes\": ", dma.bytes, "}");
}

std::string counts_json(const std::map<std::string, std::int64_t>& counts) {
  std::string out;
  for (const auto& [api, runs] : counts) out += say(out.empty() ? "" : ", ", quoted(api), ": ", runs);
  return "{" + out + "}";
}

std::string core_json(const CoreReport& core) {
  std::string calls;
  for (const auto& [unit, counts] : core.calls) calls += say(calls.empty() ? "" : ", ", quoted(unit), ": ", counts_json(counts));
  return say("{\"ub_peak_bytes\": ", core.ub_peak_bytes, ", \"load\": ", dma_json(core.load), ", \"store\": ", dma_json(core.store),
             ", \"calls\": {", calls, "}}");
}

// Only the name of the file: where it lies is no part of what happened.
std::string place_json(const PlaceReport& place) {
  const std::string base = place.file.substr(place.file.find_last_of('/') + 1);
  return say("{\"api\": ", quoted(place.api), ", \"file\": ", quoted(base), ", \"line\": ", place.line, ", \"runs\": ", place.runs, "}");
}

std::string buffer_json(const BufferReport& buffer) {
  return say("{\"name\": ", quoted(buffer.name), ", \"bytes\": ", buffer.bytes, ", \"read_bytes\": ", buffer.read_bytes,
             ", \"written_bytes\": ", buffer.written_bytes, ", \"unwritten_bytes\": ", buffer.unwritten_bytes, "}");
}

std::string failure_json(const Failure& failure) {
  return say("{\"fault\": ", quoted(name_of(failure.fault)), ", \"api\": ", quoted(failure.api), ", \"file\": ", quoted(failure.file),
             ", \"line\": ", failure.line, ", \"core\": ", failure.core, ", \"run\": ", failure.run, ", \"what\": ", quoted(failure.what),
             ", \"expected\": ", quoted(failure.expected), ", \"got\": ", quoted(failure.got), ", \"text\": ", quoted(failure.text()), "}");
}

template <class Items, class ToJson>
std::string list_json(const Items& items, ToJson to_json) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ", ") + to_json(item);
  return "[" + out + "]";
}

}  // namespace

const char* name_of(Fault fault) {
  constexpr const char* names[] = {"dtype",    "argument", "alignment", "extent",   "overlap",   "hazard",   "core_hazard", "taint",
                                   "lifetime", "queue",    "event",     "capacity", "gm_bounds", "leftover", "sync",        "numeric"};
  return names[static_cast<int>(fault)];
}

std::string Failure::text() const {
  const std::size_t slash = file.find_last_of('/');
  const std::string base = slash == std::string::npos ? file : file.substr(slash + 1);
  const std::string place = line > 0 ? say(" at ", base, ":", line) : "";
  const std::string which = run > 0 ? say(", run ", run, " of this line") : "";
  return say(api, place, " (core ", core, which, "): ", what, "; expected ", expected, ", got ", got);
}

std::string Report::json() const {
  return say("{\"ok\": ", ok ? "true" : "false", ", \"failure\": ", ok ? "null" : failure_json(failure), ", \"total\": ", core_json(total),
             ", \"cores\": ", list_json(cores, core_json), ", \"buffers\": ", list_json(buffers, buffer_json),
             ", \"places\": ", list_json(total.places, place_json), "}");
}

}  // namespace ascendc_cpu
