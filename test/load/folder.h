// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_LOAD_FOLDER_H
#define SARTOR_TEST_LOAD_FOLDER_H

#include <filesystem>
#include <fstream>
#include <stdlib.h> // NOLINT(modernize-deprecated-headers): mkdtemp
#include <string>

namespace sartor::loader {

/// A directory for one test, which only this user can write to.
class Folder {
public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "sartor_load_XXXXXX").string();
    path_ = std::filesystem::canonical(mkdtemp(name.data()));
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }

  [[nodiscard]] const std::filesystem::path &path() const { return path_; }

  [[nodiscard]] std::filesystem::path write(const std::string &name,
                                            const std::string &text) const {
    std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }

private:
  std::filesystem::path path_;
};

} // namespace sartor::loader

#endif
