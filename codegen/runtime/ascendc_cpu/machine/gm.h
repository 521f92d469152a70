// Global memory: the registered buffers, what was written in them, and who touched which bytes since the last SyncAll.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hazards.h"
#include "site.h"

namespace ascendc_cpu {

enum class Role : std::uint8_t { INPUT, OUTPUT, WORKSPACE };

// One instruction as an access history remembers it.
struct Access {
  int core = -1;
  Pipe pipe = Pipe::S;
  std::uint32_t instruction = 0;
  const char* api = "";
  Site site{"", 0};
};

struct GmConflict {
  bool found = false;
  bool cores_differ = false;
  bool wrote = false;  // the earlier access was a write
  Access earlier;
  std::int64_t offset = 0;
};

class GmBuffer {
 public:
  GmBuffer(std::string name, Role role, std::int64_t bytes, bool initialised);

  const std::string& name() const { return name_; }
  Role role() const { return role_; }
  std::int64_t bytes() const { return bytes_; }
  std::uint8_t* data() const { return data_; }
  bool contains(const std::uint8_t* address) const { return address >= data_ && address <= data_ + bytes_; }

  // Taint of bytes: nullptr where every byte of the buffer is defined.
  const std::uint8_t* taint(std::int64_t offset) const { return unwritten_.empty() ? nullptr : unwritten_.data() + offset; }
  void define(std::int64_t offset, std::int64_t bytes);
  std::int64_t unwritten_bytes() const;

  // Records an access by the current instruction of `access.core`; the first conflict, if any.
  GmConflict read(const Access& access, const Hazards& hazards, std::int64_t offset, std::int64_t bytes);
  GmConflict write(const Access& access, const Hazards& hazards, std::int64_t offset, std::int64_t bytes);
  // All cores have met: earlier accesses are ordered before later ones.
  void synchronized() { history_.clear(); }

  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;

 private:
  struct Span {
    std::int64_t end = 0;
    Access writer;
    Access reader;
    bool many_readers = false;
  };
  using History = std::map<std::int64_t, Span>;

  // The spans that cover exactly [begin, end), splitting at the borders and adding empty ones in gaps.
  History::iterator cover(std::int64_t begin, std::int64_t end);
  void split(std::int64_t at);

  std::string name_;
  Role role_;
  std::int64_t bytes_;
  std::vector<std::uint8_t> storage_;
  std::uint8_t* data_ = nullptr;
  std::vector<std::uint8_t> unwritten_;
  History history_;
};

class GlobalMemory {
 public:
  GmBuffer& add(std::string name, Role role, std::int64_t bytes, bool initialised);
  // The buffer that an address lies in (its end included), or nullptr.
  GmBuffer* find(const std::uint8_t* address) const;
  const std::vector<std::unique_ptr<GmBuffer>>& buffers() const { return buffers_; }
  void synchronized();

 private:
  std::vector<std::unique_ptr<GmBuffer>> buffers_;
};

}  // namespace ascendc_cpu
