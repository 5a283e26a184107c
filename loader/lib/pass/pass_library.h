// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_PASS_PASS_LIBRARY_H
#define SARTOR_LOADER_LIB_PASS_PASS_LIBRARY_H

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include <sartor/pass.h>

#include "base/result.h"

namespace sartor::loader {

/// A pass in the shared library that it comes in, which stays loaded as long as this lives.
class PassLibrary {
public:
  /// Loads `name`.so from the first of the directories that has it; Sartor's own goes last. Neither
  /// the file nor its directory may be somebody else's, root's aside, or writable by others: what
  /// is in it runs with the rights of whoever starts the program. Fails with bad_pass.
  static Result<PassLibrary> load(const std::string &name,
                                  std::span<const std::filesystem::path> directories);

  [[nodiscard]] const sartor_pass &pass() const { return *pass_; }
  [[nodiscard]] const std::filesystem::path &path() const { return path_; } ///< Without links.

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
