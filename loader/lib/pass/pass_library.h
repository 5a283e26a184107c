// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_PASS_PASS_LIBRARY_H
#define SARTOR_LOADER_LIB_PASS_PASS_LIBRARY_H

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include <sartor/loader/pass.h>

#include "base/result.h"

namespace sartor::loader {

/// A pass and the shared library that contains it, which stays loaded during the object's lifetime.
class PassLibrary {
public:
  /// Loads `name`.so from the first directory that contains it; the directory of Sartor's own
  /// passes comes last. The file and its directory must belong to root or this user and must not be
  /// writable by others, because the code runs with the rights of the program's user. Fails with
  /// bad_pass.
  static Result<PassLibrary> load(const std::string &name,
                                  std::span<const std::filesystem::path> directories);

  [[nodiscard]] const sartor_pass &pass() const { return *pass_; }
  /// Path without symbolic links.
  [[nodiscard]] const std::filesystem::path &path() const { return path_; }

private:
  struct Close {
    void operator()(void *handle) const;
  };

  PassLibrary() = default;

  std::unique_ptr<void, Close> handle_;
  const sartor_pass *pass_ = nullptr;
  std::filesystem::path path_;
};

} // namespace sartor::loader

#endif
