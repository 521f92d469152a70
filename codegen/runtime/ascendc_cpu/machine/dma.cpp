#include <cstring>

#include "dma_calls.h"
#include "gm_access.h"

namespace ascendc_cpu {

namespace {

std::int64_t round_up(std::int64_t value) {
  return (value + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}

void check_transfer(const Core& core, const Transfer& transfer, DType dtype) {
  const ChipConfig& chip = core.chip;
  const auto in_range = [&](const char* what, std::int64_t value, std::int64_t limit, const char* unit) {
    if (value < 0 || value > limit) core.fail(Fault::ARGUMENT, what, say("0 to ", limit, unit), say(value, unit));
  };
  in_range("blockCount", transfer.blocks, chip.dma_block_count_max, "");
  in_range("blockLen", transfer.len_bytes, chip.dma_block_len_max_bytes, " B");
  in_range("gap in GM", transfer.gm_gap_bytes, chip.dma_gm_stride_max_bytes, " B");
  in_range("gap in UB", transfer.ub_gap_blocks, chip.dma_ub_stride_max_blocks, " blocks of 32 B");
  if (transfer.len_bytes % size_of(dtype) != 0) {
    core.fail(Fault::ARGUMENT, "blockLen", say("a multiple of ", size_of(dtype), " B, the size of ", name_of(dtype)),
              say(transfer.len_bytes, " B"));
  }
}

void check_padding(const Core& core, const Padding& padding, DType dtype) {
  const std::int64_t size = size_of(dtype);
  const auto in_block = [&](const char* what, std::int64_t elements) {
    if (elements < 0 || elements * size > kBlockBytes)
      core.fail(Fault::ARGUMENT, what, say("0 to ", kBlockBytes / size, " elements, 32 B"), say(elements));
  };
  in_block("leftPadding", padding.left);
  in_block("rightPadding", padding.right);
  if (size == 8 && padding.value != 0) core.fail(Fault::ARGUMENT, "paddingValue of a 64-bit type", "0", "another value");
}

std::int64_t gm_bytes(const Transfer& t) {
  return (t.blocks - 1) * (t.len_bytes + t.gm_gap_bytes) + t.len_bytes;
}

struct Fill {
  std::uint64_t value = 0;
  bool defined = false;
};

// Pads and the rest of the last block (§9.1): the padding value; or, without pads, the row's first element, which is dummy data.
Fill fill_of(const Core& core, const Padding& padding, const std::uint8_t* row, std::int64_t size) {
  Fill fill;
  if (padding.left == 0 && padding.right == 0) {
    std::memcpy(&fill.value, row, static_cast<std::size_t>(size));
    return fill;
  }
  fill.defined = padding.is_pad || core.pad_value_set;
  fill.value = padding.is_pad ? padding.value : core.pad_value_set ? core.pad_value : 0xfbfbfbfbfbfbfbfbull;
  return fill;
}

void fill_range(Core& core, std::uint32_t from, std::uint32_t to, const Fill& fill, std::uint32_t size) {
  for (std::uint32_t at = from; at < to; at += size) std::memcpy(core.at(at), &fill.value, size);
  core.taint.fill(from, to - from, fill.defined ? 0 : 0xff);
}

void load_row(Core& core, const GmBuffer& buffer, std::int64_t gm, std::uint32_t ub, std::int64_t len, const Padding& padding,
              DType dtype) {
  const std::uint32_t size = static_cast<std::uint32_t>(size_of(dtype));
  const std::uint8_t* row = buffer.data() + gm;
  const std::uint32_t begin = ub + static_cast<std::uint32_t>(padding.left) * size;
  const std::uint32_t end = begin + static_cast<std::uint32_t>(len);
  const std::uint32_t border = ub + static_cast<std::uint32_t>(round_up(end + padding.right * size - ub));
  const Fill fill = fill_of(core, padding, row, size);
  fill_range(core, ub, begin, fill, size);
  fill_range(core, end, border, fill, size);
  std::memcpy(core.at(begin), row, static_cast<std::size_t>(len));
  const std::uint8_t* taint = buffer.taint(gm);
  if (taint != nullptr) {
    core.taint.copy(begin, taint, static_cast<std::uint32_t>(len));
  } else {
    core.taint.clear(begin, static_cast<std::uint32_t>(len));
  }
}

void load_rows(Core& core, const TensorRef& dst, const GmRef& src, const Transfer& t, const Padding& padding) {
  const std::int64_t size = size_of(dst.dtype);
  const std::int64_t row_bytes = round_up(padding.left * size + t.len_bytes + padding.right * size);
  const std::int64_t pitch = row_bytes + t.ub_gap_blocks * kBlockBytes;
  core.check_operand(dst, "dst", (t.blocks - 1) * pitch + row_bytes);
  const GmSpan span = gm_span(core, src, gm_bytes(t), false);
  core.issue(Pipe::MTE2);
  core.counters.add_dma(Pipe::MTE2, t.blocks * t.len_bytes);
  if (t.gm_gap_bytes == 0) gm_reads(core, *span.buffer, Pipe::MTE2, span.offset, gm_bytes(t));
  if (t.ub_gap_blocks == 0) core.writes(Pipe::MTE2, dst.offset, t.blocks * row_bytes, "dst");
  for (std::int64_t i = 0; i < t.blocks; ++i) {
    const std::int64_t gm = span.offset + i * (t.len_bytes + t.gm_gap_bytes);
    const std::uint32_t ub = dst.offset + static_cast<std::uint32_t>(i * pitch);
    if (t.gm_gap_bytes != 0) gm_reads(core, *span.buffer, Pipe::MTE2, gm, t.len_bytes);
    if (t.ub_gap_blocks != 0) core.writes(Pipe::MTE2, ub, row_bytes, "dst");
    load_row(core, *span.buffer, gm, ub, t.len_bytes, padding, dst.dtype);
  }
}

void store_rows(Core& core, const GmRef& dst, const TensorRef& src, const Transfer& t) {
  const std::int64_t pitch = round_up(t.len_bytes) + t.ub_gap_blocks * kBlockBytes;
  core.check_operand(src, "src", (t.blocks - 1) * pitch + round_up(t.len_bytes));
  const GmSpan span = gm_span(core, dst, gm_bytes(t), true);
  core.issue(Pipe::MTE3);
  core.counters.add_dma(Pipe::MTE3, t.blocks * t.len_bytes);
  if (t.gm_gap_bytes == 0) gm_writes(core, *span.buffer, Pipe::MTE3, span.offset, gm_bytes(t));
  for (std::int64_t i = 0; i < t.blocks; ++i) {
    const std::int64_t gm = span.offset + i * (t.len_bytes + t.gm_gap_bytes);
    const std::uint32_t ub = src.offset + static_cast<std::uint32_t>(i * pitch);
    if (t.gm_gap_bytes != 0) gm_writes(core, *span.buffer, Pipe::MTE3, gm, t.len_bytes);
    core.reads(Pipe::MTE3, ub, t.len_bytes, "src");
    core.check_untainted(ub, t.len_bytes, "src", "GM");
    std::memcpy(span.buffer->data() + gm, core.at(ub), static_cast<std::size_t>(t.len_bytes));
    span.buffer->define(gm, t.len_bytes);
  }
}

void copy_rows(Core& core, const TensorRef& dst, const TensorRef& src, const BlockCopy& copy) {
  const std::int64_t len = copy.len_blocks * kBlockBytes;
  const std::int64_t dst_pitch = len + copy.dst_gap_blocks * kBlockBytes;
  const std::int64_t src_pitch = len + copy.src_gap_blocks * kBlockBytes;
  const std::int64_t dst_bytes = (copy.blocks - 1) * dst_pitch + len;
  const std::int64_t src_bytes = (copy.blocks - 1) * src_pitch + len;
  core.check_operand(dst, "dst", dst_bytes);
  core.check_operand(src, "src", src_bytes);
  const bool overlap = dst.offset < src.offset + src_bytes && src.offset < dst.offset + dst_bytes;
  if (overlap && (dst.offset != src.offset || dst_pitch != src_pitch)) {
    core.fail(Fault::OVERLAP, "dst and src overlap", "identical or disjoint addresses", say("UB bytes ", dst.offset, " and ", src.offset));
  }
  core.issue(Pipe::V);
  for (std::int64_t i = 0; i < copy.blocks; ++i) {
    const std::uint32_t to = dst.offset + static_cast<std::uint32_t>(i * dst_pitch);
    const std::uint32_t from = src.offset + static_cast<std::uint32_t>(i * src_pitch);
    core.reads(Pipe::V, from, len, "src");
    core.writes(Pipe::V, to, len, "dst");
    std::memmove(core.at(to), core.at(from), static_cast<std::size_t>(len));
    core.taint.copy(to, core.taint.at(from), static_cast<std::uint32_t>(len));
  }
}

// Fields of DataCopyParams: 12 bits, and 16 bits each.
void check_blocks(const Core& core, const BlockCopy& copy) {
  const auto in_range = [&](const char* what, std::int64_t value, std::int64_t limit) {
    if (value < 0 || value > limit) core.fail(Fault::ARGUMENT, what, say("0 to ", limit), say(value));
  };
  in_range("blockCount", copy.blocks, core.chip.dma_block_count_max);
  in_range("blockLen in blocks of 32 B", copy.len_blocks, 65535);
  in_range("srcGap in blocks of 32 B", copy.src_gap_blocks, 65535);
  in_range("dstGap in blocks of 32 B", copy.dst_gap_blocks, 65535);
}

std::int64_t blocks_of_count(const Core& core, std::int64_t count, DType dtype) {
  const std::int64_t bytes = count * size_of(dtype);
  if (count < 0 || bytes % kBlockBytes != 0)
    core.fail(Fault::ARGUMENT, "count", say("whole blocks of 32 B, ", kBlockBytes / size_of(dtype), " elements"), say(count));
  return bytes / kBlockBytes;
}

Transfer transfer_of(const BlockCopy& copy, std::int64_t gm_gap_blocks, std::int64_t ub_gap_blocks) {
  return {copy.blocks, copy.len_blocks * kBlockBytes, gm_gap_blocks * kBlockBytes, ub_gap_blocks};
}

}  // namespace

void load(const TensorRef& dst, const GmRef& src, const Transfer& transfer, const Padding& padding, const char* api, Site site) {
  Core& core = Core::current();
  core.enter(api, site, Unit::MTE2);
  check_transfer(core, transfer, dst.dtype);
  check_padding(core, padding, dst.dtype);
  if (transfer.blocks == 0 || transfer.len_bytes == 0) return;
  load_rows(core, dst, src, transfer, padding);
}

void store(const GmRef& dst, const TensorRef& src, const Transfer& transfer, const char* api, Site site) {
  Core& core = Core::current();
  core.enter(api, site, Unit::MTE3);
  check_transfer(core, transfer, src.dtype);
  if (transfer.blocks == 0 || transfer.len_bytes == 0) return;
  store_rows(core, dst, src, transfer);
}

void load_blocks(const TensorRef& dst, const GmRef& src, const BlockCopy& copy, Site site) {
  Core& core = Core::current();
  core.enter("DataCopy", site, Unit::MTE2);
  check_blocks(core, copy);
  if (copy.blocks != 0 && copy.len_blocks != 0)
    load_rows(core, dst, src, transfer_of(copy, copy.src_gap_blocks, copy.dst_gap_blocks), Padding());
}

void store_blocks(const GmRef& dst, const TensorRef& src, const BlockCopy& copy, Site site) {
  Core& core = Core::current();
  core.enter("DataCopy", site, Unit::MTE3);
  check_blocks(core, copy);
  if (copy.blocks != 0 && copy.len_blocks != 0) store_rows(core, dst, src, transfer_of(copy, copy.dst_gap_blocks, copy.src_gap_blocks));
}

void copy_blocks(const TensorRef& dst, const TensorRef& src, const BlockCopy& copy, Site site) {
  Core& core = Core::current();
  core.enter("DataCopy", site, Unit::V);
  check_blocks(core, copy);
  if (copy.blocks != 0 && copy.len_blocks != 0) copy_rows(core, dst, src, copy);
}

void load_count(const TensorRef& dst, const GmRef& src, std::int64_t count, Site site) {
  Core& core = Core::current();
  core.enter("DataCopy", site, Unit::MTE2);
  const std::int64_t blocks = blocks_of_count(core, count, dst.dtype);
  if (blocks != 0) load_rows(core, dst, src, {1, blocks * kBlockBytes, 0, 0}, Padding());
}

void store_count(const GmRef& dst, const TensorRef& src, std::int64_t count, Site site) {
  Core& core = Core::current();
  core.enter("DataCopy", site, Unit::MTE3);
  const std::int64_t blocks = blocks_of_count(core, count, src.dtype);
  if (blocks != 0) store_rows(core, dst, src, {1, blocks * kBlockBytes, 0, 0});
}

void copy_count(const TensorRef& dst, const TensorRef& src, std::int64_t count, Site site) {
  Core& core = Core::current();
  core.enter("DataCopy", site, Unit::V);
  const std::int64_t blocks = blocks_of_count(core, count, src.dtype);
  if (blocks != 0) copy_rows(core, dst, src, {1, blocks, 0, 0});
}

}  // namespace ascendc_cpu
