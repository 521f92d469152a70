// Where in the kernel text a call stands. Every public function takes a Site as its last, defaulted argument: the compiler then fills in
// file and line of the caller. operator[] cannot have a default argument, so it takes an Index, whose conversion records the Site.
#pragma once

#include <cstdint>
#include <type_traits>

namespace ascendc_cpu {

struct Site {
  const char* file;
  int line;

  constexpr Site(const char* file_ = __builtin_FILE(), int line_ = __builtin_LINE()) : file(file_), line(line_) {}
};

struct Index {
  std::int64_t value;
  Site site;

  template <class Integer, class = std::enable_if_t<std::is_integral<Integer>::value>>
  Index(Integer value_, Site site_ = Site()) : value(static_cast<std::int64_t>(value_)), site(site_) {}
};

}  // namespace ascendc_cpu
