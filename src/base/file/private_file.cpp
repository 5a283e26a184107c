// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file/private_file.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sartor::base {

std::expected<FileHandle, std::string> open_to_append(const std::filesystem::path &path,
                                                      Devices devices) {
  const bool may_be_link = devices == Devices::allowed && path.parent_path() == "/dev";
  // O_NONBLOCK: opening a pipe must not wait for its reader.
  FileHandle file(
      above_standard_streams(open(path.c_str(),
                                  O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK |
                                      O_NOCTTY | (may_be_link ? 0 : O_NOFOLLOW),
                                  S_IRUSR | S_IWUSR)));
  if (file.get() < 0)
    return std::unexpected(errno == ELOOP ? "is a symbolic link, which is not followed"
                                          : std::generic_category().message(errno));
  struct stat status;
  if (fstat(file.get(), &status) != 0)
    return std::unexpected(std::generic_category().message(errno));
  if (S_ISCHR(status.st_mode) && devices == Devices::allowed)
    return file;
  if (S_ISFIFO(status.st_mode) && may_be_link) // the program's own standard error
    return file;
  if (!S_ISREG(status.st_mode))
    return std::unexpected("is not a regular file");
  if (status.st_uid != geteuid())
    return std::unexpected("belongs to another user");
  if (status.st_nlink > 1)
    return std::unexpected("has several names, as if somebody wanted another file to be written");
  return file;
}

} // namespace sartor::base
