// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_TEMPORARY_DIRECTORY_H
#define SARTOR_TOOLS_TEMPORARY_DIRECTORY_H

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace sartor::tools {

/// A directory that exists while this object does, for this process only.
class TemporaryDirectory {
public:
  explicit TemporaryDirectory(const std::string &name) {
    std::error_code error;
    std::string path = std::filesystem::temp_directory_path(error) / (name + ".XXXXXX");
    if (!error && mkdtemp(path.data()))
      path_ = path;
  }
  ~TemporaryDirectory() {
    std::error_code error;
    if (!path_.empty())
      std::filesystem::remove_all(path_, error);
  }
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;

  /// Empty if it cannot be created.
  [[nodiscard]] const std::string &path() const { return path_; }

private:
  std::string path_;
};

} // namespace sartor::tools

#endif
