// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <algorithm>

#include <sartor/points.h>

SARTOR_HANDLER std::uint64_t read_file(File *file, std::uint64_t bytes) {
  if (file->sharers != 0)
    file->offset_lock->lock();
  bytes = std::min(bytes, file->size - file->offset);
  file->offset += bytes;
  if (file->sharers != 0)
    file->offset_lock->unlock();
  return bytes;
}
