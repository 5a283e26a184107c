// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/local_socket.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <grp.h>
#include <sodium.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace sartor::server {

namespace {

constexpr mode_t kNotOthers = 0117; ///< This user and group may connect.

std::unexpected<Failure> fail(const std::string &path, std::string why,
                              std::string remedy = "give --listen another path") {
  return std::unexpected(
      Failure{ErrorCode::file_error, "unix:" + path, std::move(why), std::move(remedy)});
}

std::unexpected<Failure> fail_by_error(const std::string &path, int error) {
  return fail(path, "cannot be listened at: " + std::generic_category().message(error));
}

const char *kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
  case S_IFREG:
    return "a regular file";
  case S_IFDIR:
    return "a directory";
  case S_IFIFO:
    return "a FIFO";
  case S_IFLNK:
    return "a symbolic link";
  default:
    return "a device";
  }
}

std::optional<sockaddr_un> address_of(const std::string &path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return std::nullopt;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

/// Closed by the destructor unless it is taken.
class Descriptor {
public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0)
      close(number_);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  [[nodiscard]] int get() const { return number_; }
  int take() { return std::exchange(number_, -1); }

private:
  int number_;
};

int new_socket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

/// Finds the socket of a process that has ended, if one is there.
Result<std::optional<FileIdentity>> find_stale(const std::string &path,
                                               const sockaddr_un &address) {
  struct stat there{};
  if (lstat(path.c_str(), &there) != 0) {
    if (errno == ENOENT)
      return std::nullopt;
    return fail_by_error(path, errno);
  }
  if (!S_ISSOCK(there.st_mode))
    return fail(path, std::string("is ") + kind_of(there.st_mode) + ", which is left as it is");
  const Descriptor probe(new_socket());
  if (connect(probe.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0 ||
      errno == EAGAIN)
    return fail(path, "is a socket on which another process listens",
                "stop that process, or give --listen another path");
  if (errno != ECONNREFUSED)
    return fail(path,
                "is a socket that cannot be tried: " + std::generic_category().message(errno));
  return FileIdentity(there);
}

/// Renames the file at `made` to `path`; replaces only `stale`.
Result<void> move_into_place(const std::string &made, const std::string &path,
                             const std::optional<FileIdentity> &stale) {
  const auto swap = [&](unsigned flags) {
    return renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, path.c_str(), flags);
  };
  if (swap(stale ? RENAME_EXCHANGE : RENAME_NOREPLACE) != 0) {
    const int error = errno;
    unlink(made.c_str());
    return fail(path, "cannot be put there: " + std::generic_category().message(error),
                "remove the file if it is of no use, or give --listen another path");
  }
  if (!stale)
    return {};
  struct stat replaced{};
  if (lstat(made.c_str(), &replaced) == 0 && FileIdentity(replaced) != *stale) {
    (void)swap(RENAME_EXCHANGE);
    unlink(made.c_str());
    return fail(path, "was replaced by another process at the same time", "start one server there");
  }
  unlink(made.c_str());
  return {};
}

} // namespace

Result<LocalSocket> LocalSocket::listen(const std::string &path, std::optional<gid_t> group) {
  const auto address = address_of(path);
  std::array<unsigned char, 4> random{};
  randombytes_buf(random.data(), random.size());
  std::array<char, 2 * random.size() + 1> digits{};
  sodium_bin2hex(digits.data(), digits.size(), random.data(), random.size());
  const std::string made = path.substr(0, path.rfind('/') + 1) + "." + digits.data();
  const auto temporary = address_of(made);
  if (!address || !temporary)
    return fail(path, "is too long for a socket");
  const auto stale = find_stale(path, *address);
  if (!stale)
    return std::unexpected(stale.error());
  Descriptor descriptor(new_socket());
  const mode_t before = umask(kNotOthers);
  const int bound =
      bind(descriptor.get(), reinterpret_cast<const sockaddr *>(&*temporary), sizeof *temporary);
  const int bind_error = errno;
  umask(before);
  if (descriptor.get() < 0 || bound != 0)
    return fail_by_error(path, bind_error);
  struct stat status{};
  if (lstat(made.c_str(), &status) != 0 ||
      (group && lchown(made.c_str(), static_cast<uid_t>(-1), *group) != 0) ||
      ::listen(descriptor.get(), SOMAXCONN) != 0) {
    const int error = errno;
    unlink(made.c_str());
    return fail_by_error(path, error);
  }
  if (auto moved = move_into_place(made, path, *stale); !moved)
    return std::unexpected(std::move(moved.error()));
  return LocalSocket(descriptor.take(), path, FileIdentity(status));
}

LocalSocket::LocalSocket(LocalSocket &&other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::exchange(other.path_, {})),
      file_(other.file_) {}

LocalSocket::~LocalSocket() {
  if (descriptor_ >= 0)
    close(descriptor_);
  struct stat status{};
  if (!path_.empty() && lstat(path_.c_str(), &status) == 0 && FileIdentity(status) == file_)
    unlink(path_.c_str());
}

int LocalSocket::take() { return std::exchange(descriptor_, -1); }

Result<gid_t> group_named(const std::string &name) {
  std::array<char, 16384> buffer;
  group entry{};
  group *found = nullptr;
  if (getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 || !found)
    return std::unexpected(Failure{ErrorCode::file_error, name, "is no group of this machine",
                                   "name one that exists: getent group"});
  return found->gr_gid;
}

} // namespace sartor::server
