// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_KEYS_H
#define SARTOR_BASE_KEYS_H

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sodium.h>

#include "base/result.h"

/// Ed25519 keys (RFC 8032), by which one knows who has said something. In files they are lines of
/// hexadecimal digits. All that reads and writes files fails with file_error.
namespace sartor::base {

using Signature = std::array<std::uint8_t, crypto_sign_ed25519_BYTES>;
using PublicKey = std::array<std::uint8_t, crypto_sign_ed25519_PUBLICKEYBYTES>;

/// What signs. Gone from memory when this is.
class SecretKey {
public:
  using Seed = std::array<std::uint8_t, crypto_sign_ed25519_SEEDBYTES>;

  /// The file must be this user's or root's, and nobody else's to read or write.
  static Result<SecretKey> read(const std::filesystem::path &file);
  SecretKey(const SecretKey &) = default;
  SecretKey &operator=(const SecretKey &) = default;
  ~SecretKey() { sodium_memzero(bytes_.data(), bytes_.size()); }

  [[nodiscard]] PublicKey public_key() const;
  [[nodiscard]] Signature sign(std::string_view message) const;
  /// The same of a message of which this is the hash (Ed25519ph).
  [[nodiscard]] Signature sign(crypto_sign_ed25519ph_state hashed) const;
  /// That the key is made of: others that take such keys know them by it. To be wiped.
  [[nodiscard]] Seed seed() const;

private:
  SecretKey() = default;

  std::array<std::uint8_t, crypto_sign_ed25519_SECRETKEYBYTES> bytes_{};
};

/// Whether it is what this key's owner has signed so.
bool is_signed(std::string_view message, const Signature &signature, const PublicKey &key);

/// As files have it: 64 hexadecimal digits.
std::string key_text(const PublicKey &key);

/// As logs and listings have it: the first 16 of these digits.
std::string fingerprint(const PublicKey &key);

/// Writes a new secret key to `name`.key and what checks its signatures to `name`.pub. Neither may
/// be there.
Result<void> make_keys(const std::filesystem::path &name);

/// A key that signatures are checked with. Only this user and root may be able to change it.
Result<PublicKey> read_public_key(const std::filesystem::path &file);
/// That of a file, or those of a directory: see public_keys_in(). At least one.
Result<std::vector<PublicKey>> read_public_keys(const std::filesystem::path &file_or_directory);

/// The files of a directory that hold such keys: `*.pub`, sorted. Only this user and root may be
/// able to change the directory.
Result<std::vector<std::filesystem::path>> key_files_in(const std::filesystem::path &directory);
/// The same; fails if there is none.
Result<std::vector<std::filesystem::path>> public_keys_in(const std::filesystem::path &directory);

} // namespace sartor::base

#endif
