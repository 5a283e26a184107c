// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_SIGNATURE_SIGNATURE_H
#define SARTOR_LOADER_LIB_SIGNATURE_SIGNATURE_H

#include <filesystem>
#include <span>
#include <vector>

#include <sodium.h>

#include "base/keys.h"
#include "base/result.h"

/// Signatures of files: Ed25519ph (RFC 8032), apart from the files, lines of hexadecimal digits.
/// All that is here fails with file_error.
namespace sartor::loader {

using base::PublicKey;
using base::SecretKey;
using base::Signature;

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

} // namespace sartor::loader

#endif
