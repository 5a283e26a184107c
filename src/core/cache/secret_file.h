// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_SECRET_FILE_H
#define SARTOR_CORE_CACHE_SECRET_FILE_H

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace sartor::core {

/// Bytes that are wiped from memory when the object is destroyed.
class Secret {
public:
  explicit Secret(std::string bytes) : bytes_(std::move(bytes)) {}
  Secret(Secret &&other) noexcept : bytes_(std::move(other.bytes_)) {}
  Secret(const Secret &) = delete;
  Secret &operator=(const Secret &) = delete;
  Secret &operator=(Secret &&) = delete;
  ~Secret();

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  [[nodiscard]] char *data() { return bytes_.data(); }

private:
  std::string bytes_;
};

struct SecretLimits {
  std::size_t least;
  std::size_t most;
};

/// Reads a file that belongs to this user or to root and that no other user may read or write.
/// Fails with file_error; `remedy` describes how to create such a file.
Result<Secret> read_secret(const std::filesystem::path &file, SecretLimits bytes,
                           const std::string &remedy);

/// Reads the first line of such a file: a password of 1 to 1024 bytes.
Result<Secret> read_password(const std::filesystem::path &file);

} // namespace sartor::core

#endif
