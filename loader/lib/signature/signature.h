// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_SIGNATURE_SIGNATURE_H
#define SARTOR_LOADER_LIB_SIGNATURE_SIGNATURE_H

#include <filesystem>
#include <span>
#include <vector>

#include <sodium.h>

#include "base/keys.h"
#include "base/result.h"

/// Detached signatures of files: Ed25519ph (RFC 8032), as lines of hexadecimal digits. All
/// functions fail with file_error.
namespace sartor::loader {

using base::PublicKey;
using base::SecretKey;
using base::Signature;

Result<Signature> read_signature(const std::filesystem::path &file);
/// Writes a signature, and replaces an existing file.
Result<void> write_signature(const Signature &signature, const std::filesystem::path &file);

/// The digest of a file that is signed, computed piece by piece.
class FileDigest {
public:
  static Result<FileDigest> of(const std::filesystem::path &file);

  [[nodiscard]] Signature sign(const SecretKey &key) const;
  [[nodiscard]] bool fits(const Signature &signature, const PublicKey &key) const;

private:
  FileDigest() = default;

  crypto_sign_ed25519ph_state state_{};
};

/// Returns the path of a file's signature: next to the file, or in a directory of signatures, where
/// its name is the file's path with '%' for '/'. `file` must be absolute and without symbolic
/// links.
std::filesystem::path signature_beside(const std::filesystem::path &file);
std::filesystem::path signature_in(const std::filesystem::path &directory,
                                   const std::filesystem::path &file);

/// Fails unless one of the places has a signature of the file by one of the keys. `content`: the
/// path by which the file is read, such as that of a descriptor.
Result<void> check_signature(const std::filesystem::path &file,
                             const std::filesystem::path &content,
                             std::span<const std::filesystem::path> places,
                             std::span<const PublicKey> keys);

} // namespace sartor::loader

#endif
