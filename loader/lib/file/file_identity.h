// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_FILE_IDENTITY_H
#define SARTOR_LOADER_LIB_FILE_FILE_IDENTITY_H

#include <filesystem>

#include "loader/lib/format/image_format.h"

namespace sartor::loader {

/// A file, and its identity when it was read.
struct KnownFile {
  std::filesystem::path path;
  format::FileIdentity identity;

  bool operator==(const KnownFile &) const = default;
};

/// Returns a file's identity; all zero if there is no such file.
format::FileIdentity identity_of(const std::filesystem::path &path);
/// Returns the identity of an open file; all zero if it is not open.
format::FileIdentity identity_of(int file);

} // namespace sartor::loader

#endif
