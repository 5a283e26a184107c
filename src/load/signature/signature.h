// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOAD_SIGNATURE_SIGNATURE_H
#define SARTOR_LOAD_SIGNATURE_SIGNATURE_H

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include <sodium.h>

#include "observe/result.h"

/// Signatures of files: Ed25519ph (RFC 8032), apart from the files. Keys and signatures are lines
/// of hexadecimal digits. All that is here fails with file_error.
namespace sartor::load {

using Signature = std::array<std::uint8_t, crypto_sign_ed25519_BYTES>;
using PublicKey = std::array<std::uint8_t, crypto_sign_ed25519_PUBLICKEYBYTES>;

/// What signs. Gone from memory when this is.
class SecretKey {
public:
  /// The file must be this user's or root's, and nobody else's to read or write.
  static Result<SecretKey> read(const std::filesystem::path &file);
  SecretKey(const SecretKey &) = default;
  SecretKey &operator=(const SecretKey &) = default;
  ~SecretKey() { sodium_memzero(bytes_.data(), bytes_.size()); }

  [[nodiscard]] PublicKey public_key() const;

private:
  friend class FileDigest;
  SecretKey() = default;

  std::array<std::uint8_t, crypto_sign_ed25519_SECRETKEYBYTES> bytes_{};
};

/// Writes a new secret key to `name`.key and what checks its signatures to `name`.pub. Neither may
/// be there.
Result<void> make_keys(const std::filesystem::path &name);

/// A key that signatures are checked with. Only this user and root may be able to change it.
Result<PublicKey> read_public_key(const std::filesystem::path &file);

/// The files of a directory that hold such keys: `*.pub`, of which there must be one. Only this
/// user and root may be able to change the directory.
Result<std::vector<std::filesystem::path>> public_keys_in(const std::filesystem::path &directory);

Result<Signature> read_signature(const std::filesystem::path &file);
/// Replaces what is there.
Result<void> write_signature(const Signature &signature, const std::filesystem::path &file);

/// What is signed of a file, read piece by piece.
class FileDigest {
public:
  static Result<FileDigest> of(const std::filesystem::path &file);

  [[nodiscard]] Signature sign(const SecretKey &key) const;
  [[nodiscard]] bool fits(const Signature &signature, const PublicKey &key) const;

private:
  FileDigest() = default;

  crypto_sign_ed25519ph_state state_{};
};

/// Where a file's signature is: beside it, and in a directory of signatures, in which it has the
/// file's path for a name, with '%' for '/'. `file`: absolute, without links.
std::filesystem::path signature_beside(const std::filesystem::path &file);
std::filesystem::path signature_in(const std::filesystem::path &directory,
                                   const std::filesystem::path &file);

/// Fails unless a signature in one of the places is that of the file, by one of the keys.
Result<void> check_signature(const std::filesystem::path &file,
                             std::span<const std::filesystem::path> places,
                             std::span<const PublicKey> keys);

} // namespace sartor::load

#endif
