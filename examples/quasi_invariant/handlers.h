// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HANDLERS_H
#define HANDLERS_H

#include <cstdint>
#include <mutex>

struct File {
  std::uint64_t offset;    ///< Changes at each read.
  std::uint64_t sharers;   ///< Others that read on from where we do. Seldom any.
  std::mutex *offset_lock; ///< For them.
  std::uint64_t size;
};

/// Moves the offset by so much, to the end at most. Returns by how much.
std::uint64_t read_file(File *file, std::uint64_t bytes);

#endif
