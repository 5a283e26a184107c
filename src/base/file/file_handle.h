// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Header-only, because libsartor-tls.so uses it, too.
#ifndef SARTOR_BASE_FILE_FILE_HANDLE_H
#define SARTOR_BASE_FILE_FILE_HANDLE_H

#include <cerrno>
#include <cstdint>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sartor::base {

/// Identity of the file, directory or socket behind a descriptor. A program may close all
/// descriptors (closefrom(3)) and open files of its own, which then get the numbers of Sartor's
/// descriptors.
class FileIdentity {
public:
  /// Identifies no file, also if the system has no information.
  FileIdentity() = default;
  explicit FileIdentity(int descriptor) {
    // Made as a bare system call, which confined compilers may use.
    struct stat status;
    if (descriptor < 0 || syscall(SYS_fstat, descriptor, &status) != 0)
      return;
    device_ = status.st_dev;
    inode_ = status.st_ino;
    type_ = status.st_mode & S_IFMT;
    // File systems reuse the inode numbers of removed files.
    struct statx more;
    if ((S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) &&
        statx(descriptor, "", AT_EMPTY_PATH, STATX_BTIME, &more) == 0 &&
        (more.stx_mask & STATX_BTIME) != 0)
      birth_ = more.stx_btime.tv_sec * 1'000'000'000 + more.stx_btime.tv_nsec;
  }

  bool operator==(const FileIdentity &) const = default;

private:
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  mode_t type_ = 0;
  std::int64_t birth_ = 0; ///< Nanoseconds since 1970; 0 if the file system does not record it.
};

/// A descriptor that the destructor closes, unless the program has closed it: its number may belong
/// to a file of the program then, which is not closed here. Check a long-lived one with
/// is_still_ours() before each use.
class FileHandle {
public:
  explicit FileHandle(int handle) : handle_(handle), identity_(handle) {}
  FileHandle(FileHandle &&other) noexcept
      : handle_(std::exchange(other.handle_, -1)), identity_(std::exchange(other.identity_, {})) {}
  FileHandle &operator=(FileHandle &&other) noexcept {
    if (this != &other) {
      close();
      handle_ = std::exchange(other.handle_, -1);
      identity_ = std::exchange(other.identity_, {});
    }
    return *this;
  }
  ~FileHandle() { close(); }

  [[nodiscard]] int get() const { return handle_; }
  [[nodiscard]] const FileIdentity &identity() const { return identity_; }
  /// False if there is none, or the program has closed it. Safe in signal handlers.
  [[nodiscard]] bool is_still_ours() const {
    const int error = errno;
    const bool is_ours = handle_ >= 0 && FileIdentity(handle_) == identity_;
    errno = error;
    return is_ours;
  }
  /// Drops the descriptor without closing it, because the program has closed it. Call it before the
  /// same file is reopened, which may get the same number.
  void forget() {
    handle_ = -1;
    identity_ = {};
  }
  /// Zero, or the error of close().
  int close() {
    const bool is_ours = is_still_ours();
    const int handle = std::exchange(handle_, -1);
    return is_ours && ::close(handle) != 0 ? errno : 0;
  }

private:
  int handle_;
  FileIdentity identity_;
};

/// Duplicates the file to a number above those of the standard streams; if the program has closed
/// these, it would write to our file. Negative, with errno, on failure, like open().
inline int above_standard_streams(int opened) {
  if (opened < 0 || opened > STDERR_FILENO)
    return opened;
  const int above = fcntl(opened, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  ::close(opened);
  errno = error;
  return above;
}

} // namespace sartor::base

#endif
