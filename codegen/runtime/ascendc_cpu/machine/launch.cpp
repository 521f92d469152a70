#include "../launch.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <tuple>

#include "core.h"
#include "rendezvous.h"

namespace ascendc_cpu {

namespace {

void add_calls(CallCounts& into, const Counters& counters) {
  for (const Counters::Place& place : counters.places()) {
    if (place.unit != Unit::NONE) into[name_of(place.unit)][place.api] += place.runs;
  }
}

void add(DmaCount& into, const DmaCount& more) {
  into.instructions += more.instructions;
  into.bytes += more.bytes;
}

// Adds runs to the place of the same call, which keeps its position in the order of file, line and API.
void add_place(std::vector<PlaceReport>& places, const PlaceReport& more) {
  const auto key = [](const PlaceReport& place) { return std::tie(place.file, place.line, place.api); };
  const auto at = std::lower_bound(places.begin(), places.end(), more, [&](const auto& a, const auto& b) { return key(a) < key(b); });
  if (at != places.end() && key(*at) == key(more)) {
    at->runs += more.runs;
  } else {
    places.insert(at, more);
  }
}

void add_places(std::vector<PlaceReport>& into, const Counters& counters) {
  for (const Counters::Place& place : counters.places()) {
    if (place.unit != Unit::NONE) add_place(into, {place.api, place.site.file, place.site.line, place.runs});
  }
}

CoreReport report_of(const Core& core) {
  CoreReport report;
  report.ub_peak_bytes = core.ub_peak;
  report.load = core.counters.dma(Pipe::MTE2);
  report.store = core.counters.dma(Pipe::MTE3);
  add_calls(report.calls, core.counters);
  add_places(report.places, core.counters);
  return report;
}

void add_core(CoreReport& total, const CoreReport& core) {
  total.ub_peak_bytes = std::max(total.ub_peak_bytes, core.ub_peak_bytes);
  add(total.load, core.load);
  add(total.store, core.store);
  for (const auto& [unit, calls] : core.calls) {
    for (const auto& [api, runs] : calls) total.calls[unit][api] += runs;
  }
  for (const PlaceReport& place : core.places) add_place(total.places, place);
}

// The first failure counts; but data that is missing because another core had not written it yet is that race, not a lane never written.
void keep(Report& report, const Failure& failure) {
  const bool better = !report.ok && report.failure.fault == Fault::TAINT && failure.fault == Fault::CORE_HAZARD;
  if (report.ok || better) report.failure = failure;
  report.ok = false;
}

Failure foreign_failure(int core, const char* what) {
  Failure failure;
  failure.api = "kernel";
  failure.core = core;
  failure.what = "the kernel threw an exception";
  failure.expected = "none";
  failure.got = what;
  return failure;
}

}  // namespace

Launch::Launch(const LaunchConfig& config) : config_(config) {}

Launch::~Launch() = default;

std::uint8_t* Launch::input(const std::string& name, const void* data, std::int64_t bytes) {
  GmBuffer& buffer = gm_.add(name, Role::INPUT, bytes, true);
  if (bytes > 0) std::memcpy(buffer.data(), data, static_cast<std::size_t>(bytes));
  return buffer.data();
}

std::uint8_t* Launch::output(const std::string& name, std::int64_t bytes) {
  return gm_.add(name, Role::OUTPUT, bytes, false).data();
}

std::uint8_t* Launch::workspace(const std::string& name, std::int64_t bytes, bool zeroed) {
  GmBuffer& buffer = gm_.add(name, Role::WORKSPACE, bytes, zeroed);
  if (zeroed) std::memset(buffer.data(), 0, static_cast<std::size_t>(bytes));
  return buffer.data();
}

Report Launch::run(const std::function<void()>& kernel) {
  Report report;
  if (config_.block_dim < 1) {
    report.failure.api = "Launch::run";
    report.failure.what = "number of cores";
    report.failure.expected = "at least 1";
    report.failure.got = say(config_.block_dim);
    return report;
  }
  report.ok = true;
  report.cores.resize(static_cast<std::size_t>(config_.block_dim));
  gm_.synchronized();
  Rendezvous rendezvous(config_.block_dim, config_.policy.reverse_cores, [this] { gm_.synchronized(); });
  // One core runs at a time, so nothing here needs a lock.
  rendezvous.run([&](int index) {
    Core core(config_.chip, config_.policy, index, config_.block_dim, gm_, rendezvous, config_.tiling_key);
    Core::bind(&core);
    try {
      kernel();
      core.check_finished();
    } catch (const KernelAbort& abort) {
      keep(report, abort.failure);
      rendezvous.cancel();
    } catch (const Cancelled&) {
    } catch (const std::exception& error) {
      keep(report, foreign_failure(index, error.what()));
      rendezvous.cancel();
    }
    Core::bind(nullptr);
    report.cores[static_cast<std::size_t>(index)] = report_of(core);
  });
  for (const CoreReport& core : report.cores) add_core(report.total, core);
  for (const std::unique_ptr<GmBuffer>& buffer : gm_.buffers()) {
    report.buffers.push_back({buffer->name(), buffer->bytes(), buffer->read_bytes, buffer->written_bytes, buffer->unwritten_bytes()});
  }
  return report;
}

}  // namespace ascendc_cpu
