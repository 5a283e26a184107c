// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file/digits_file.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

#include "base/file/acl.h"
#include "base/trust.h"

namespace sartor::base {

namespace fs = std::filesystem;

namespace {

std::string error_text() { return std::generic_category().message(errno); }

/// An open file, closed by the destructor.
class Handle {
public:
  explicit Handle(int number) : number_(number) {}
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  ~Handle() {
    if (number_ >= 0)
      close(number_);
  }
  [[nodiscard]] int number() const { return number_; }

private:
  int number_;
};

/// `forbidden`: rights that only the owner, who must be this user or root, may have.
Result<void> check_rights(const fs::path &path, const struct stat &status, mode_t forbidden) {
  if (auto objection = base::distrust(path, status, forbidden))
    return failure(path, std::move(objection->what), std::move(objection->remedy));
  return {};
}

} // namespace

std::unexpected<Failure> failure(const fs::path &file, std::string what, std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::file_error, file.string(), std::move(what), std::move(remedy)});
}

Result<void> start_sodium(const fs::path &file) {
  if (sodium_init() < 0)
    return failure(file, "no source of randomness for libsodium",
                   "see whether /dev/urandom can be read");
  return {};
}

Result<void> check_directory(const fs::path &directory) {
  struct stat status{};
  if (stat(directory.c_str(), &status) != 0)
    return failure(directory, "cannot be looked at: " + error_text(),
                   "name the directory of public keys");
  if (!S_ISDIR(status.st_mode))
    return failure(directory, "is no directory", "name the directory of public keys");
  return check_rights(directory, status, kOthersMayWrite);
}

Result<void> read_pieces(const fs::path &file, std::optional<mode_t> forbidden,
                         const std::function<bool(std::span<const std::uint8_t>)> &take) {
  const Handle handle(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (handle.number() < 0 || fstat(handle.number(), &status) != 0)
    return failure(file, "cannot be read: " + error_text(), "see whether it is there");
  if (!S_ISREG(status.st_mode))
    return failure(file, "is no file", "name a file");
  if (forbidden) {
    status.st_mode = mode_for_others(handle.number(), status, geteuid());
    if (auto checked = check_rights(file, status, *forbidden); !checked)
      return checked;
  }
  constexpr std::size_t piece = std::size_t{1} << 18;
  const auto buffer = std::make_unique<std::uint8_t[]>(piece);
  for (;;) {
    const ssize_t size = read(handle.number(), buffer.get(), piece);
    if (size < 0 && errno != EINTR)
      return failure(file, "cannot be read: " + error_text(), "see whether the disk is sound");
    if (size == 0)
      break;
    if (size > 0 && !take(std::span(buffer.get(), static_cast<std::size_t>(size))))
      break;
  }
  sodium_memzero(buffer.get(), forbidden ? piece : 0);
  return {};
}

Result<void> read_digits(const fs::path &file, std::span<std::uint8_t> to,
                         std::optional<mode_t> forbidden, const char *remedy) {
  std::string text;
  text.reserve(2 * to.size() + 2);
  auto read = read_pieces(file, forbidden, [&](std::span<const std::uint8_t> piece) {
    const std::size_t room = text.capacity() - text.size();
    text.append(piece.begin(),
                piece.begin() + static_cast<std::ptrdiff_t>(std::min(piece.size(), room)));
    return piece.size() <= room;
  });
  if (read && text.ends_with('\n'))
    text.pop_back();
  std::size_t size = 0;
  if (read && (text.size() != 2 * to.size() ||
               sodium_hex2bin(to.data(), to.size(), text.data(), text.size(), nullptr, &size,
                              nullptr) != 0 ||
               size != to.size()))
    read = failure(file, "is not " + std::to_string(2 * to.size()) + " hexadecimal digits", remedy);
  sodium_memzero(text.data(), text.size());
  return read;
}

Result<void> write_digits(std::span<const std::uint8_t> bytes, const fs::path &file, int flags,
                          mode_t mode) {
  const Handle handle(open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, mode));
  if (handle.number() < 0)
    return failure(file, "cannot be written: " + error_text(),
                   errno == EEXIST ? "choose another name, or remove it if it is of no use"
                                   : "see whether its directory is there and may be written to");
  std::string text(2 * bytes.size() + 1, '\n');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.back() = '\n';
  const bool is_written =
      write(handle.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      fsync(handle.number()) == 0;
  const std::string why = is_written ? "" : error_text();
  sodium_memzero(text.data(), text.size());
  if (is_written)
    return {};
  unlink(file.c_str());
  return failure(file, "cannot be written: " + why, "see whether the disk has room");
}

} // namespace sartor::base
