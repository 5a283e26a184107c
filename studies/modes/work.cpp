// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "work.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

namespace modes {

std::string make_text(std::size_t lines) {
  // Lines with the word alone, at the end of another, inside another, and next to letters of two
  // bytes.
  constexpr std::array<std::string_view, 6> endings{"lock",    "a lock is",    "unlock",
                                                    "blocked", "\xc3\xa4lock", "lock\xc3\xa9 lock"};
  std::string text = "\n";
  for (std::size_t i = 0; i < lines; ++i) {
    text += std::string(i % 7, 'x') + " ";
    text += endings[i % endings.size()];
    text += '\n';
  }
  return text;
}

std::string read_source() {
  std::set<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(MODES_SOURCE))
    if (entry.path().extension() == ".c")
      files.insert(entry.path());
  std::string text = "\n";
  for (const auto &path : files) {
    std::ifstream file(path);
    text.append(std::istreambuf_iterator<char>(file), {});
    if (!file)
      throw std::runtime_error(path.string() + " cannot be read");
  }
  return text;
}

} // namespace modes
