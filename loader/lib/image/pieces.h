// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_PIECES_H
#define SARTOR_LOADER_LIB_IMAGE_PIECES_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"

namespace sartor::loader {

/// A piece of a file.
struct Piece {
  std::uint64_t offset;
  std::vector<std::byte> bytes;
};

/// Writes a file of `size` bytes, zeros where there is no piece, and reads it again; another file
/// at the same path each time, so that those who have mapped the old one keep it. What is in the
/// page cache of it is what comes from the disk. Where the file system can, it gives nothing else
/// of the file from then on (fs-verity). Two must not write the same one at a time. Fails with
/// file_error.
Result<void> write_pieces(const std::vector<const Piece *> &pieces, std::uint64_t size,
                          const std::filesystem::path &path, bool is_executable = false);

} // namespace sartor::loader

#endif
