// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file/regular_file.h"

#include <cerrno>
#include <cstddef>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file_handle.h"

namespace sartor::base {

namespace {

constexpr off_t kMostBytes = off_t{4} << 30;

std::unexpected<std::string> unreadable() {
  return std::unexpected("cannot be read: " + std::generic_category().message(errno));
}

} // namespace

std::expected<std::string, std::string> read_regular_file(const std::filesystem::path &path) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const FileHandle file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status;
  if (file.get() < 0 || fstat(file.get(), &status) != 0)
    return unreadable();
  if (S_ISDIR(status.st_mode))
    return std::unexpected("is a directory");
  if (!S_ISREG(status.st_mode))
    return std::unexpected("is not a regular file");
  if (status.st_size > kMostBytes)
    return std::unexpected("has more than 4 GiB");
  std::string content(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t size = 0;
  while (size < content.size()) {
    const ssize_t count =
        pread(file.get(), content.data() + size, content.size() - size, static_cast<off_t>(size));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return unreadable();
    if (count == 0) // the file was cut meanwhile
      break;
    size += static_cast<std::size_t>(count);
  }
  content.resize(size);
  return content;
}

} // namespace sartor::base
