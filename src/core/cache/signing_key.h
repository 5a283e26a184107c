// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_SIGNING_KEY_H
#define SARTOR_CORE_CACHE_SIGNING_KEY_H

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sartor::core {

/// A secret shared by several processes, which authenticates data that one of them has written:
/// HMAC-SHA-512-256, libsodium's crypto_auth. Immutable.
class SigningKey {
public:
  static constexpr std::size_t kTagBytes = 32;

  /// Reads a file of 32 to 4096 bytes, which must belong to this user or root, and which no other
  /// user may read or write. Fails with file_error.
  static Result<SigningKey> read(const std::filesystem::path &file);
  SigningKey(const SigningKey &) = default;
  SigningKey(SigningKey &&) = default;
  SigningKey &operator=(const SigningKey &) = delete;
  SigningKey &operator=(SigningKey &&) = delete;
  ~SigningKey();

  /// The tag of these bytes: kTagBytes.
  [[nodiscard]] std::string tag(std::string_view bytes) const;
  /// True if `tag` was made from these bytes with this key. Takes constant time, which does not
  /// reveal how much of the tag is correct.
  [[nodiscard]] bool verify(std::string_view tag, std::string_view bytes) const;

private:
  explicit SigningKey(std::string_view secret);

  std::array<std::uint8_t, 32> key_;
};

} // namespace sartor::core

#endif
