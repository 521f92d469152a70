// Runs one compiled kernel on the CPU model: reads a job, launches, writes outputs and report.
#pragma once

#include <cstdint>

// The kernel with its arguments in an array: inputs, outputs, workspace, tiling data. Every kernel's translation unit defines it.
extern "C" void att_call_kernel(std::uint8_t* const* arguments);
