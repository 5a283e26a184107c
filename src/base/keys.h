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

/// Ed25519 keys (RFC 8032), which authenticate the origin of data. In files they are lines of
/// hexadecimal digits. All functions that read or write files fail with file_error.
namespace sartor::base {

using Signature = std::array<std::uint8_t, crypto_sign_ed25519_BYTES>;
using PublicKey = std::array<std::uint8_t, crypto_sign_ed25519_PUBLICKEYBYTES>;

/// A signing key. Wiped from memory by the destructor.
class SecretKey {
public:
  using Seed = std::array<std::uint8_t, crypto_sign_ed25519_SEEDBYTES>;

  /// The file must belong to this user or root, and no other user may read or write it.
  static Result<SecretKey> read(const std::filesystem::path &file);
  SecretKey(const SecretKey &) = default;
  SecretKey &operator=(const SecretKey &) = default;
  ~SecretKey() { sodium_memzero(bytes_.data(), bytes_.size()); }

  [[nodiscard]] PublicKey public_key() const;
  [[nodiscard]] Signature sign(std::string_view message) const;
  /// The same for a message of which this is the hash (Ed25519ph).
  [[nodiscard]] Signature sign(crypto_sign_ed25519ph_state hashed) const;
  /// The seed that the key is derived from: the form that other libraries take. The caller must
  /// wipe it.
  [[nodiscard]] Seed seed() const;

private:
  SecretKey() = default;

  std::array<std::uint8_t, crypto_sign_ed25519_SECRETKEYBYTES> bytes_{};
};

/// True if the signature was made by the owner of `key` for this message.
bool is_signed(std::string_view message, const Signature &signature, const PublicKey &key);

/// The format of key files: 64 hexadecimal digits.
std::string key_text(const PublicKey &key);

/// The format of logs and listings: the first 16 of these digits.
std::string fingerprint(const PublicKey &key);

/// Generates an Ed25519 key pair: the secret key in `name`.key, the public key in `name`.pub.
/// Neither may exist.
Result<void> make_keys(const std::filesystem::path &name);

/// Reads a public key. Only this user and root may be able to change the file.
Result<PublicKey> read_public_key(const std::filesystem::path &file);
/// Reads the key of a file, or those of a directory: see public_keys_in(). At least one.
Result<std::vector<PublicKey>> read_public_keys(const std::filesystem::path &file_or_directory);

/// The files of a directory that hold such keys: `*.pub`, sorted. Only this user and root may be
/// able to change the directory.
Result<std::vector<std::filesystem::path>> key_files_in(const std::filesystem::path &directory);
/// The same; fails if there is none.
Result<std::vector<std::filesystem::path>> public_keys_in(const std::filesystem::path &directory);

} // namespace sartor::base

#endif
