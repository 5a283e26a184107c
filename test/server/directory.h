// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SERVER_DIRECTORY_H
#define SARTOR_TEST_SERVER_DIRECTORY_H

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace sartor::server {

/// A new directory, removed with its content by the destructor.
class Directory {
public:
  Directory() {
    std::string name = std::filesystem::temp_directory_path() / "sartor-test-XXXXXX";
    if (!mkdtemp(name.data()))
      throw std::runtime_error("cannot create " + name);
    path_ = name;
  }
  ~Directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Directory(const Directory &) = delete;
  Directory &operator=(const Directory &) = delete;
  [[nodiscard]] std::filesystem::path operator/(const std::string &name) const {
    return path_ / name;
  }
  [[nodiscard]] const std::filesystem::path &path() const { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace sartor::server

#endif
