// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files.h"

#include <sartor/points.h>

File only_file = {0, 0, 0, 1000};

namespace {

// Which fields are constants, as __builtin_constant_p answers after optimization.
inline std::uint64_t what_is_folded(const File &file) {
  return (__builtin_constant_p(file.shared) ? kSharedIsFolded : 0) |
         (__builtin_constant_p(file.locks) ? kLocksAreFolded : 0);
}

} // namespace

SARTOR_HANDLER std::uint64_t read_file(File *file, std::uint64_t bytes) {
  if (bytes == kWhatIsFolded)
    return what_is_folded(*file);
  file->offset += bytes;
  std::uint64_t left = file->size - file->offset % file->size;
  if (file->shared != 0)
    left += file->shared * 10'000;
  if (file->locks != 0)
    left += file->locks * 1'000'000'000;
  return left;
}

SARTOR_HANDLER std::uint64_t read_only_file(std::uint64_t bytes) {
  if (bytes == kWhatIsFolded)
    return what_is_folded(only_file);
  return bytes + only_file.shared * 10'000 + only_file.locks * 1'000'000'000;
}

SARTOR_HANDLER std::uint64_t read_and_call(File *file, void (*call)(File *)) {
  if (!call)
    return what_is_folded(*file);
  const std::uint64_t before = file->shared;
  call(file);
  return before * 1'000 + file->locks;
}
