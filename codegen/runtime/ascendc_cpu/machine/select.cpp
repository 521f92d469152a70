// Select: bit 1 takes src0, bit 0 takes src1 (ascendc_api_facts §6.3).
#include "arithmetic.h"
#include "vector_calls.h"

namespace ascendc_cpu {

namespace {

using AscendC::SELMODE;

// Modes 1 and 2 park the scalar, or the mask's address, at the top of UB without asking (§1).
void check_scratch(const Core& core) {
  const std::uint32_t free_top = core.chip.ub_bytes - core.chip.scratch_bytes;
  if (core.ub_top <= free_top) return;
  core.fail(Fault::CAPACITY, say("Select overwrites UB from byte ", free_top, ", where buffers lie"),
            say("at most ", free_top, " B allocated"), say(core.ub_top, " B"));
}

std::int64_t mask_bits(SELMODE mode, const LaneSet& set, std::int64_t lanes_per_repeat) {
  if (mode == SELMODE::VSEL_CMPMASK_SPR) return lanes_per_repeat;
  return set.dense ? set.elements() : set.repeat * lanes_per_repeat;
}

// Which mask bit decides a lane. Dense calls count on; iterations start at a multiple of their width.
std::int64_t bit_of(SELMODE mode, std::int64_t lane, std::int64_t lanes_per_repeat) {
  return mode == SELMODE::VSEL_CMPMASK_SPR ? lane % lanes_per_repeat : lane;
}

void check_mask_bit(const Core& core, std::uint32_t byte, std::int64_t bit) {
  if (((*core.taint.at(byte) >> (bit % 8)) & 1u) == 0) return;
  core.fail(Fault::TAINT, "lanes that were never written reach the mask of Select", "mask bits compared from written lanes",
            say("bit ", bit, " of the mask holds no data"));
}

void check_operands(Core& core, const Operand* operands, int count, const TensorRef& mask, std::int64_t bits, const LaneSet& set,
                    std::int64_t lanes_per_repeat) {
  for (int i = 0; i < count; ++i) {
    if (!set.dense) check_strides(core, operands[i], 255, 255);
    core.check_operand(operands[i].tensor, operands[i].role, extent(set, operands[i]));
  }
  core.check_operand(mask, "selMask", (bits + 7) / 8);
  check_disjoint(core, operands[0].tensor, extent(set, operands[0]), "dst", mask, (bits + 7) / 8, "selMask");
  check_overlap(core, set, operands, count, lanes_per_repeat, InPlace::SAME_LANES);
}

struct Choice {
  const TensorRef& mask;
  const Scalar* scalar;
  SELMODE mode;
  std::int64_t lanes_per_repeat;
};

void select_run(Core& core, const Segment& run, std::uint32_t size, const Choice& choice) {
  for (std::int64_t i = 0; i < run.lanes; ++i) {
    const std::int64_t bit = bit_of(choice.mode, run.position + i, choice.lanes_per_repeat);
    const std::uint32_t byte = choice.mask.offset + static_cast<std::uint32_t>(bit / 8);
    check_mask_bit(core, byte, bit);
    const bool first = ((*core.at(byte) >> (bit % 8)) & 1u) != 0;
    const std::uint32_t to = run.offset[0] + static_cast<std::uint32_t>(i) * size;
    if (!first && choice.scalar != nullptr) {
      std::memcpy(core.at(to), &choice.scalar->bits, size);
      core.taint.clear(to, size);
      continue;
    }
    const std::uint32_t from = run.offset[first ? 1 : 2] + static_cast<std::uint32_t>(i) * size;
    std::memmove(core.at(to), core.at(from), size);
    core.taint.copy(to, core.taint.at(from), size);
  }
}

}  // namespace

void select(const Operand& dst, const TensorRef& mask, const Operand& src0, const Operand& src1, const Scalar* scalar, SELMODE mode,
            const Lanes& lanes, Site site) {
  Core& core = Core::current();
  core.enter("Select", site, Unit::V);
  const DType dtype = dst.tensor.dtype;
  core.check_dtype(dtype, DTypes(DType::F16, DType::F32), "the operands", "half, float");
  core.check_dtype(mask.dtype, DTypes(DType::U8, DType::U16, DType::U32, DType::U64), "selMask", "uint8_t, uint16_t, uint32_t, uint64_t");
  const bool scalar_mode = mode == SELMODE::VSEL_TENSOR_SCALAR_MODE;
  if (scalar_mode != (scalar != nullptr)) {
    core.fail(Fault::ARGUMENT, "src1", scalar_mode ? "a scalar in VSEL_TENSOR_SCALAR_MODE" : "a tensor in this mode",
              scalar_mode ? "a tensor" : "a scalar");
  }
  const std::int64_t lanes_per_repeat = kRepeatBytes / size_of(dtype);
  const LaneSet set = resolve(core, lanes, lanes_per_repeat);
  if (set.elements() == 0) return;
  if (mode != SELMODE::VSEL_CMPMASK_SPR) check_scratch(core);
  const Operand operands[] = {dst, src0, src1};
  const int count = scalar_mode ? 2 : 3;
  const std::int64_t bits = mask_bits(mode, set, lanes_per_repeat);
  check_operands(core, operands, count, mask, bits, set, lanes_per_repeat);
  core.issue(Pipe::V);
  core.reads(Pipe::V, mask.offset, (bits + 7) / 8, "selMask");
  const std::uint32_t size = static_cast<std::uint32_t>(size_of(dtype));
  const Choice choice{mask, scalar, mode, lanes_per_repeat};
  for (const Segment& run : segments(set, operands, count, lanes_per_repeat)) {
    for (int i = 1; i < count; ++i) core.reads(Pipe::V, run.offset[i], run.lanes * size, operands[i].role);
    core.writes(Pipe::V, run.offset[0], run.lanes * size, "dst");
    select_run(core, run, size, choice);
  }
}

}  // namespace ascendc_cpu
