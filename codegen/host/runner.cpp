// The host program around one kernel.
//
// usage: runner JOB
//
// A job is a text, one order a line; names and numbers have no blanks, a path is the rest of its line:
//
//     set FIELD VALUE          a number of the chip (see `apply`) or block_dim
//     input NAME PATH          a kernel input with the bytes of the file
//     output NAME BYTES PATH   a kernel output; its bytes are written to the file after the run
//     workspace BYTES          GM between the phases; 0: none
//     tiling PATH              the tiling data
//     report PATH              where the report goes, JSON
#include "runner.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "ascendc_cpu/launch.h"

namespace {

struct Buffer {
  std::string name;
  std::string path;
  std::int64_t bytes = 0;
  bool is_output = false;
};

struct Job {
  ascendc_cpu::LaunchConfig config;
  std::vector<Buffer> buffers;
  std::int64_t workspace_bytes = 0;
  std::string tiling;
  std::string report;
};

std::vector<char> read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_all(const std::string& path, const char* data, std::size_t bytes) {
  std::ofstream file(path, std::ios::binary);
  if (!file.write(data, static_cast<std::streamsize>(bytes)).flush()) throw std::runtime_error("cannot write " + path);
}

void apply(ascendc_cpu::LaunchConfig& config, const std::string& field, std::int64_t value) {
  ascendc_cpu::ChipConfig& chip = config.chip;
  if (field == "ub_bytes") {
    chip.ub_bytes = static_cast<std::uint32_t>(value);
  } else if (field == "ub_reserved_bytes") {
    chip.ub_reserved_bytes = static_cast<std::uint32_t>(value);
  } else if (field == "vector_cores") {
    chip.vector_cores = static_cast<int>(value);
  } else if (field == "block_dim") {
    config.block_dim = static_cast<int>(value);
  } else if (field == "dma_block_count_max") {
    chip.dma_block_count_max = value;
  } else if (field == "dma_block_len_max_bytes") {
    chip.dma_block_len_max_bytes = value;
  } else if (field == "dma_gm_stride_max_bytes") {
    chip.dma_gm_stride_max_bytes = value;
  } else if (field == "dma_ub_stride_max_blocks") {
    chip.dma_ub_stride_max_blocks = value;
  } else {
    throw std::runtime_error("unknown field " + field);
  }
}

std::string rest_of(std::istringstream& line) {
  std::string text;
  std::getline(line >> std::ws, text);
  return text;
}

Job read_job(const std::string& path) {
  Job job;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  for (std::string text; std::getline(file, text);) {
    std::istringstream line(text);
    std::string order;
    Buffer buffer;
    if (!(line >> order)) continue;
    if (order == "set") {
      std::int64_t value = 0;
      line >> buffer.name >> value;
      apply(job.config, buffer.name, value);
    } else if (order == "input") {
      line >> buffer.name;
      buffer.path = rest_of(line);
      job.buffers.push_back(buffer);
    } else if (order == "output") {
      line >> buffer.name >> buffer.bytes;
      buffer.path = rest_of(line);
      buffer.is_output = true;
      job.buffers.push_back(buffer);
    } else if (order == "workspace") {
      line >> job.workspace_bytes;
    } else if (order == "tiling") {
      job.tiling = rest_of(line);
    } else if (order == "report") {
      job.report = rest_of(line);
    } else {
      throw std::runtime_error("unknown order " + order);
    }
  }
  return job;
}

int run(const Job& job) {
  ascendc_cpu::Launch launch(job.config);
  std::vector<std::uint8_t*> arguments;
  for (const Buffer& buffer : job.buffers) {
    if (buffer.is_output) {
      arguments.push_back(launch.output(buffer.name, buffer.bytes));
    } else {
      const std::vector<char> data = read_all(buffer.path);
      arguments.push_back(launch.input(buffer.name, data.data(), static_cast<std::int64_t>(data.size())));
    }
  }
  std::vector<char> tiling = read_all(job.tiling);
  arguments.push_back(job.workspace_bytes > 0 ? launch.workspace("workspace", job.workspace_bytes) : nullptr);
  arguments.push_back(reinterpret_cast<std::uint8_t*>(tiling.data()));
  const ascendc_cpu::Report report = launch.run([&arguments] { att_call_kernel(arguments.data()); });
  for (std::size_t i = 0; i < job.buffers.size(); ++i) {
    const Buffer& buffer = job.buffers[i];
    if (buffer.is_output) write_all(buffer.path, reinterpret_cast<const char*>(arguments[i]), static_cast<std::size_t>(buffer.bytes));
  }
  const std::string text = report.json();
  write_all(job.report, text.data(), text.size());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s JOB\n", argv[0]);
    return 2;
  }
  try {
    return run(read_job(argv[1]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
