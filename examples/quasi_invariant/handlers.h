// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HANDLERS_H
#define HANDLERS_H

#include <cstdint>
#include <mutex>

struct File {
  std::uint64_t offset;    ///< Changes at each read.
  std::uint64_t sharers;   ///< Number of other users of the offset; usually 0.
  std::mutex *offset_lock; ///< Protects a shared offset.
  std::uint64_t size;
};

/// Moves the offset by `bytes`, at most to the end. Returns the distance.
std::uint64_t read_file(File *file, std::uint64_t bytes);

#endif
