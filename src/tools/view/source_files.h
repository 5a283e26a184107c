// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_VIEW_SOURCE_FILES_H
#define SARTOR_TOOLS_VIEW_SOURCE_FILES_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace sartor::view {

/// The source lines of some code, read from the files of this machine. The names of the files are
/// those that a compiler has written into a program of the user.
class SourceFiles {
public:
  static constexpr std::size_t most_files = 64;
  static constexpr std::size_t most_text = std::size_t{2} << 20; ///< Of all files.

  /// Source files that are newer than `program` are marked.
  explicit SourceFiles(std::filesystem::path program) : program_(std::move(program)) {}

  /// Returns the index of a file in json().
  std::size_t add(const std::string &path);
  /// Returns the index of the file that a point names, whose path may be relative.
  std::size_t add_named(const std::string &name);
  /// Notes that code comes from this line.
  void use(std::size_t file, unsigned line);

  /// Returns `{"file": PATH, "parts": [{"first": LINE, "text": LINES}]}` for each file: its used
  /// lines and those around them. Has `"newer": true` where the file was changed after the program
  /// was built, and `"error": REASON` instead of the parts of a file that is not available.
  [[nodiscard]] nlohmann::ordered_json json() const;

private:
  [[nodiscard]] nlohmann::ordered_json json_of(std::size_t file, std::size_t &room) const;

  std::filesystem::path program_;
  std::vector<std::string> paths_;
  std::map<std::string, std::size_t, std::less<>> known_;
  std::vector<std::set<unsigned>> used_;
};

} // namespace sartor::view

#endif
