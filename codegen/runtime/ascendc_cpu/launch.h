// Host side: run a kernel on the CPU model of an AIV and get a report.
//
//   ascendc_cpu::LaunchConfig config;
//   config.block_dim = 2;
//   ascendc_cpu::Launch launch(config);
//   std::uint8_t* x = launch.input("x", values.data(), values.size() * sizeof(float));
//   std::uint8_t* y = launch.output("y", bytes);
//   const ascendc_cpu::Report report = launch.run([&] { kernel(x, y, nullptr, tiling); });
//   if (!report.ok) std::puts(report.failure.text().c_str());
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "machine/config.h"
#include "machine/counters.h"
#include "machine/gm.h"

namespace ascendc_cpu {

struct LaunchConfig {
  ChipConfig chip;
  Policy policy;
  int block_dim = 1;
  std::int64_t tiling_key = 0;  // what TILING_KEY_IS compares with
};

// Runs of each API, by the unit it runs on: calls["V"]["Add"].
using CallCounts = std::map<std::string, std::map<std::string, std::int64_t>>;

// Runs of one call in the kernel text.
struct PlaceReport {
  std::string api;
  std::string file;
  int line = 0;
  std::int64_t runs = 0;
};

struct CoreReport {
  std::uint32_t ub_peak_bytes = 0;  // sum of InitBuffer, each buffer rounded up to 32 bytes
  DmaCount load;                    // MTE2
  DmaCount store;                   // MTE3
  CallCounts calls;
  std::vector<PlaceReport> places;  // by file, line and API
};

struct BufferReport {
  std::string name;
  std::int64_t bytes = 0;
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
  std::int64_t unwritten_bytes = 0;  // bytes of an output or workspace that no core wrote
};

struct Report {
  bool ok = false;
  Failure failure;   // if not ok
  CoreReport total;  // peak of the fullest core; sums of the rest
  std::vector<CoreReport> cores;
  std::vector<BufferReport> buffers;

  std::string json() const;
};

class Launch {
 public:
  explicit Launch(const LaunchConfig& config);
  ~Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  // GM buffers of exact size. Inputs are copied and may not be written. Outputs and workspaces hold nothing until a kernel writes them;
  // a zeroed workspace holds zeros.
  std::uint8_t* input(const std::string& name, const void* data, std::int64_t bytes);
  std::uint8_t* output(const std::string& name, std::int64_t bytes);
  std::uint8_t* workspace(const std::string& name, std::int64_t bytes, bool zeroed = false);

  // Runs the kernel once on every core. A violation ends the run and is in the report; nothing is thrown.
  Report run(const std::function<void()>& kernel);

 private:
  LaunchConfig config_;
  GlobalMemory gm_;
};

}  // namespace ascendc_cpu
