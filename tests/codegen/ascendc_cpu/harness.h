// A test program is a set of named cases. `program CASE FOLDER key=value…` reads FOLDER/<name>.in, writes FOLDER/<name>.out and prints the report.
#pragma once

#include "kernel_operator.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "ascendc_cpu/launch.h"

namespace harness {

using namespace AscendC;

class Bench {
 public:
  Bench(std::string folder, std::map<std::string, std::string> params) : folder_(std::move(folder)), params_(std::move(params)) {
    config_.block_dim = static_cast<int>(number("block_dim", 1));
    config_.tiling_key = number("tiling_key", 0);
    config_.chip.ub_bytes = static_cast<std::uint32_t>(number("ub_bytes", 196608));
    config_.chip.ub_reserved_bytes = static_cast<std::uint32_t>(number("ub_reserved_bytes", 0));
    config_.chip.buffers_per_position_max = static_cast<int>(number("buffers_per_position_max", 8));
    config_.policy.vector_needs_barrier = number("vector_needs_barrier", 1) != 0;
    config_.policy.scalar_needs_flags = number("scalar_needs_flags", 1) != 0;
    config_.policy.reverse_cores = number("reverse_cores", 0) != 0;
    launch_ = std::make_unique<ascendc_cpu::Launch>(config_);
  }

  std::string text(const std::string& key, const std::string& otherwise = "") const {
    const auto found = params_.find(key);
    return found == params_.end() ? otherwise : found->second;
  }
  std::int64_t number(const std::string& key, std::int64_t otherwise = 0) const {
    const std::string value = text(key);
    return value.empty() ? otherwise : std::strtoll(value.c_str(), nullptr, 0);
  }
  double real(const std::string& key) const { return std::strtod(text(key, "0").c_str(), nullptr); }

  GM_ADDR in(const std::string& name) {
    std::ifstream file(folder_ + "/" + name + ".in", std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    return launch_->input(name, bytes.data(), static_cast<std::int64_t>(bytes.size()));
  }
  GM_ADDR out(const std::string& name, std::int64_t bytes) {
    outputs_.push_back({name, launch_->output(name, bytes), bytes});
    return outputs_.back().data;
  }
  GM_ADDR workspace(const std::string& name, std::int64_t bytes, bool zeroed = false) { return launch_->workspace(name, bytes, zeroed); }

  void run(const std::function<void()>& kernel) {
    const ascendc_cpu::Report report = launch_->run(kernel);
    for (const Output& output : outputs_) {
      std::ofstream file(folder_ + "/" + output.name + ".out", std::ios::binary);
      file.write(reinterpret_cast<const char*>(output.data), output.bytes);
    }
    std::puts(report.json().c_str());
  }

 private:
  struct Output {
    std::string name;
    GM_ADDR data;
    std::int64_t bytes;
  };

  std::string folder_;
  std::map<std::string, std::string> params_;
  ascendc_cpu::LaunchConfig config_;
  std::unique_ptr<ascendc_cpu::Launch> launch_;
  std::vector<Output> outputs_;
};

using Case = void (*)(Bench&);

inline std::map<std::string, Case>& cases() {
  static std::map<std::string, Case> all;
  return all;
}

struct Register {
  Register(const char* name, Case body) { cases()[name] = body; }
};

#define CASE(name)                                                    \
  static void case_##name(harness::Bench& bench);                     \
  static const harness::Register register_##name(#name, case_##name); \
  static void case_##name(harness::Bench& bench)

// What most kernels of the tests need around the instruction under test: operands in TBufs, properly ordered transfers.
class Stage {
 public:
  // A tensor of `elements`, loaded from GM.
  template <class T>
  LocalTensor<T> load(GM_ADDR gm, std::int64_t elements) {
    LocalTensor<T> tensor = sized(fresh<T>(elements), whole_blocks<T>(elements));
    GlobalTensor<T> global;
    global.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gm), static_cast<std::uint64_t>(elements));
    DataCopyPad(tensor, global, DataCopyExtParams(1, elements * static_cast<std::int64_t>(sizeof(T)), 0, 0, 0), DataCopyPadExtParams<T>());
    cross<HardEvent::MTE2_V>();
    return sized(tensor, elements);
  }
  // A tensor that nobody has written.
  template <class T>
  LocalTensor<T> fresh(std::int64_t elements) {
    TBuf<TPosition::VECCALC> buffer;
    pipe_.InitBuffer(buffer, elements * static_cast<std::int64_t>(sizeof(T)));
    return sized(buffer.Get<T>(), elements);
  }
  template <class T>
  void store(GM_ADDR gm, const LocalTensor<T>& tensor, std::int64_t elements) {
    GlobalTensor<T> global;
    global.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gm), static_cast<std::uint64_t>(elements));
    cross<HardEvent::V_MTE3>();
    DataCopyPad(global, sized(tensor, whole_blocks<T>(elements)),
                DataCopyExtParams(1, elements * static_cast<std::int64_t>(sizeof(T)), 0, 0, 0));
  }
  template <HardEvent event>
  void cross() {
    const TEventID id = pipe_.FetchEventID(event);
    SetFlag<event>(id);
    WaitFlag<event>(id);
  }
  TPipe& pipe() { return pipe_; }

 private:
  // Instructions see exactly the elements; transfers also see the rest of the last block.
  template <class T>
  static LocalTensor<T> sized(LocalTensor<T> tensor, std::int64_t elements) {
    tensor.SetSize(static_cast<std::uint32_t>(elements));
    return tensor;
  }
  template <class T>
  static std::int64_t whole_blocks(std::int64_t elements) {
    constexpr std::int64_t per_block = 32 / sizeof(T);
    return (elements + per_block - 1) / per_block * per_block;
  }

  TPipe pipe_;
};

// Calls `body` with a value of the named element type.
template <class Body>
void with_type(const std::string& name, Body body) {
  if (name == "float32") return body(float());
  if (name == "float16") return body(half());
  if (name == "bfloat16") return body(bfloat16_t());
  if (name == "int8") return body(std::int8_t());
  if (name == "int16") return body(std::int16_t());
  if (name == "int32") return body(std::int32_t());
  if (name == "int64") return body(std::int64_t());
  if (name == "uint8") return body(std::uint8_t());
  if (name == "uint16") return body(std::uint16_t());
  if (name == "uint32") return body(std::uint32_t());
  if (name == "uint64") return body(std::uint64_t());
  std::fprintf(stderr, "unknown type %s\n", name.c_str());
  std::exit(2);
}

}  // namespace harness

int main(int argc, char** argv) {
  std::map<std::string, std::string> params;
  for (int i = 3; i < argc; ++i) {
    const std::string entry = argv[i];
    const std::size_t equals = entry.find('=');
    params[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  const auto found = harness::cases().find(argc < 3 ? "" : argv[1]);
  if (found == harness::cases().end()) {
    std::fprintf(stderr, "no such case\n");
    return 2;
  }
  harness::Bench bench(argv[2], params);
  found->second(bench);
  return 0;
}
