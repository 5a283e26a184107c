// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_LOCAL_SOCKET_H
#define SARTOR_REMOTE_SERVER_LOCAL_SOCKET_H

#include <optional>
#include <string>
#include <utility>

#include <sys/stat.h>

#include "base/result.h"

namespace sartor::server {

/// The identity of a file, which differs from that of a later file with the same inode.
struct FileIdentity {
  explicit FileIdentity(const struct stat &status)
      : device(status.st_dev), inode(status.st_ino), type(status.st_mode & S_IFMT),
        seconds(status.st_mtim.tv_sec), nanoseconds(status.st_mtim.tv_nsec) {}
  bool operator==(const FileIdentity &) const = default;

  dev_t device;
  ino_t inode;
  mode_t type;
  time_t seconds; ///< The time of the last modification.
  long nanoseconds;
};

/// A listening Unix socket and its file, to which this user and group may connect. Replaces only
/// the socket of a process that has ended.
class LocalSocket {
public:
  /// `group` is the owner of the file, in place of this process's group. Fails with file_error,
  /// which says what exists at `path` already.
  static Result<LocalSocket> listen(const std::string &path, std::optional<gid_t> group);
  LocalSocket(LocalSocket &&other) noexcept;
  LocalSocket &operator=(LocalSocket &&) = delete;
  /// Removes the file if it is still this socket's.
  ~LocalSocket();

  /// Returns the descriptor; the caller closes it.
  int take();

private:
  LocalSocket(int descriptor, std::string path, FileIdentity file)
      : descriptor_(descriptor), path_(std::move(path)), file_(file) {}

  int descriptor_;
  std::string path_; ///< Empty if moved from.
  FileIdentity file_;
};

/// Returns a group's number. Fails with file_error.
Result<gid_t> group_named(const std::string &name);

} // namespace sartor::server

#endif
