// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/cache_files.h"

#include <cerrno>
#include <memory>
#include <system_error>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

namespace sartor::core {

namespace {

constexpr std::string_view kSuffix = ".sartor";
constexpr std::string_view kTemporarySuffix = ".tmp";
constexpr std::size_t kNameBytes = 2 * sizeof(base::ContentKey) + kSuffix.size();

bool is_entry(std::string_view name) {
  return name.size() == kNameBytes && name.ends_with(kSuffix) &&
         name.find_first_not_of("0123456789abcdef") == kNameBytes - kSuffix.size();
}

bool is_temporary(std::string_view name) {
  return name.size() > kNameBytes && name.starts_with('.') && name.ends_with(kTemporarySuffix);
}

std::unexpected<Failure> failed(const std::filesystem::path &directory, int error) {
  return std::unexpected(Failure{ErrorCode::file_error, directory.string(),
                                 "cannot be used: " + std::generic_category().message(error),
                                 "name a directory that this user can read and write"});
}

} // namespace

std::string file_name(const base::ContentKey &key) {
  return base::to_text(key) + std::string(kSuffix);
}

Result<FileHandle> open_directory(const std::filesystem::path &directory, bool make) {
  std::error_code error;
  if (make) {
    // Accessible to this user only; parents have the usual mode.
    if (directory.has_parent_path())
      std::filesystem::create_directories(directory.parent_path(), error);
    mkdir(directory.c_str(), 0700);
  }
  FileHandle handle(
      base::above_standard_streams(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  if (handle.get() < 0)
    return failed(directory, errno == ENOENT && error ? error.value() : errno);
  return handle;
}

std::vector<CacheFile> list_files(const FileHandle &directory) {
  std::vector<CacheFile> files;
  // Opened again: a duplicate would share its position with all other users of the descriptor.
  const int handle = openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0)
    return files;
  const std::unique_ptr<DIR, int (*)(DIR *)> stream(fdopendir(handle), closedir);
  if (!stream) {
    close(handle);
    return files;
  }
  while (const dirent *found = readdir(stream.get())) { // NOLINT: the stream is ours alone
    const std::string_view name(found->d_name);
    struct stat status;
    if ((!is_entry(name) && !is_temporary(name)) ||
        fstatat(directory.get(), found->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    files.push_back({std::string(name), static_cast<std::uint64_t>(status.st_size),
                     status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec,
                     is_temporary(name)});
  }
  return files;
}

std::expected<FileBytes, int> read_file(const FileHandle &directory, const std::string &name,
                                        bool mark_used, std::uint64_t most) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const FileHandle file(
      openat(directory.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  FileBytes found;
  if (file.get() < 0 || fstat(file.get(), &found.status) != 0)
    return std::unexpected(errno);
  if (!S_ISREG(found.status.st_mode))
    return std::unexpected(EINVAL);
  if (static_cast<std::uint64_t>(found.status.st_size) > most)
    return std::unexpected(EFBIG);
  found.bytes.resize(static_cast<std::size_t>(found.status.st_size));
  std::size_t at = 0;
  while (at < found.bytes.size()) {
    const ssize_t count = read(file.get(), found.bytes.data() + at, found.bytes.size() - at);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return std::unexpected(errno);
    if (count == 0)
      break;
    at += static_cast<std::size_t>(count);
  }
  found.bytes.resize(at);
  if (mark_used)
    futimens(file.get(), nullptr); // fails on a read-only file system
  return found;
}

std::expected<void, int> write_file(const FileHandle &directory, const std::string &name,
                                    const std::string &temporary, std::string_view bytes) {
  FileHandle file(openat(directory.get(), temporary.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.get() < 0)
    return std::unexpected(errno);
  int error = 0;
  while (!bytes.empty() && error == 0) {
    const ssize_t count = write(file.get(), bytes.data(), bytes.size());
    if (count >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EINTR)
      error = errno;
  }
  if (const int late = file.close(); error == 0)
    error = late;
  if (error == 0 &&
      renameat(directory.get(), temporary.c_str(), directory.get(), name.c_str()) != 0)
    error = errno;
  if (error == 0)
    return {};
  unlinkat(directory.get(), temporary.c_str(), 0);
  return std::unexpected(error);
}

std::string why_not_trusted(const struct stat &status) {
  if (status.st_uid != geteuid() && status.st_uid != 0)
    return "belongs to another user, who could have put any code there";
  if ((status.st_mode & S_IWOTH) != 0)
    return "may be written to by everybody, who could have put any code there";
  if ((status.st_mode & S_IWGRP) != 0)
    return "may be written to by a group, who could have put any code there";
  if (S_ISREG(status.st_mode) && status.st_nlink > 1)
    return "has several names, and may have been written by another";
  return {};
}

} // namespace sartor::core
