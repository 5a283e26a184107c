// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/file/file_identity.h"

#include <sys/stat.h>

namespace sartor::loader {

format::FileIdentity identity_of(const std::filesystem::path &path) {
  constexpr std::uint64_t second = 1'000'000'000;
  struct stat status{};
  if (stat(path.c_str(), &status) != 0)
    return {};
  const auto nanoseconds = [](const timespec &time) {
    return static_cast<std::uint64_t>(time.tv_sec) * second +
           static_cast<std::uint64_t>(time.tv_nsec);
  };
  return {.inode = status.st_ino,
          .size = static_cast<std::uint64_t>(status.st_size),
          .modified = nanoseconds(status.st_mtim),
          .changed = nanoseconds(status.st_ctim)};
}

} // namespace sartor::loader
