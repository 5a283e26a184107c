// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lines.h"

#include <fstream>
#include <string>

namespace sartor::bench {

namespace {

std::size_t count_lines(const std::filesystem::path &file, bool (*counts)(const std::string &)) {
  std::ifstream in(file);
  std::size_t count = 0;
  for (std::string line; std::getline(in, line);)
    count += counts(line) ? 1 : 0;
  return count;
}

} // namespace

std::size_t lines_changed(const std::filesystem::path &patch) {
  return count_lines(patch, [](const std::string &line) {
    const bool is_name = line.starts_with("+++ ") || line.starts_with("--- ");
    return !is_name && (line.starts_with("+") || line.starts_with("-"));
  });
}

std::size_t lines_of(const std::filesystem::path &folder, std::string_view prefix) {
  std::size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().starts_with(prefix))
      count += count_lines(entry.path(), [](const std::string &) { return true; });
  return count;
}

} // namespace sartor::bench
