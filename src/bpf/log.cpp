// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/log.h"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include <bpf/libbpf.h>

namespace sartor::bpf {

namespace {

thread_local Listener *here = nullptr;
std::atomic<libbpf_print_fn_t> others = nullptr;

constexpr std::size_t kMostLines = 12;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0)
      lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// True for the statistics that the verifier prints at the end.
bool is_statistics(std::string_view line) {
  return line.starts_with("processed ") || line.starts_with("verification time") ||
         line.starts_with("stack depth") || line.starts_with("-- ");
}

} // namespace

struct Hearing {
  static int hear(libbpf_print_level level, const char *format, va_list arguments) {
    if (!here) {
      const libbpf_print_fn_t other = others;
      return other ? other(level, format, arguments) : 0;
    }
    if (level != LIBBPF_WARN)
      return 0;
    char line[512];
    const int length = vsnprintf(line, sizeof line, format, arguments);
    here->warnings_ += line;
    if (length >= static_cast<int>(sizeof line))
      here->warnings_ += "...\n";
    return length;
  }
};

// Set each time: the program may have set another function since.
Listener::Listener() : before_(std::exchange(here, this)) {
  if (const libbpf_print_fn_t before = libbpf_set_print(&Hearing::hear); before != &Hearing::hear)
    others = before;
}

Listener::~Listener() { here = before_; }

std::string decisive_lines(const std::string &log) {
  std::vector<std::string_view> lines = lines_of(log);
  std::erase_if(lines, is_statistics);
  std::vector<std::string_view> chosen;
  bool has_source = false;
  while (!lines.empty() && chosen.size() < kMostLines && !has_source) {
    chosen.push_back(lines.back());
    has_source = lines.back().starts_with("; ");
    lines.pop_back();
  }
  std::string text;
  for (auto line = chosen.rbegin(); line != chosen.rend(); ++line)
    (text += *line) += '\n';
  if (!text.empty())
    text.pop_back();
  return text;
}

} // namespace sartor::bpf
