// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_PIECES_H
#define SARTOR_LOADER_LIB_IMAGE_PIECES_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"

namespace sartor::loader {

/// A part of a file.
struct Piece {
  std::uint64_t offset;
  std::vector<std::byte> bytes;
};

/// Writes a file of `size` bytes, zeros where there is no piece, and reads it again to verify it.
/// Each call creates another file at the path, so that processes that have mapped the old one keep
/// it. The page cache then holds content from the disk. Where the file system supports it, changed
/// content is refused from then on (fs-verity). Two processes must not write the same path at a
/// time. Fails with file_error.
Result<void> write_pieces(const std::vector<const Piece *> &pieces, std::uint64_t size,
                          const std::filesystem::path &path, bool is_executable = false);

} // namespace sartor::loader

#endif
