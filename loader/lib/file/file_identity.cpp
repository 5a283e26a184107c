// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/file/file_identity.h"

#include <sys/stat.h>

namespace sartor::loader {

namespace {

format::FileIdentity identity(const struct stat &status) {
  constexpr std::uint64_t second = 1'000'000'000;
  const auto nanoseconds = [](const timespec &time) {
    return static_cast<std::uint64_t>(time.tv_sec) * second +
           static_cast<std::uint64_t>(time.tv_nsec);
  };
  return {.inode = status.st_ino,
          .size = static_cast<std::uint64_t>(status.st_size),
          .modified = nanoseconds(status.st_mtim),
          .changed = nanoseconds(status.st_ctim)};
}

} // namespace

format::FileIdentity identity_of(const std::filesystem::path &path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 ? identity(status) : format::FileIdentity{};
}

format::FileIdentity identity_of(int file) {
  struct stat status{};
  return fstat(file, &status) == 0 ? identity(status) : format::FileIdentity{};
}

} // namespace sartor::loader
