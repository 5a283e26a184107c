// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/secret_file.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/acl.h"
#include "base/file/private_file.h"
#include "base/trust.h"

namespace sartor::core {

namespace {

constexpr std::size_t kLongestPassword = 1024;

} // namespace

Secret::~Secret() {
  bytes_.resize(bytes_.capacity()); // a short string that was moved from still has its bytes
  sodium_memzero(bytes_.data(), bytes_.size());
}

Result<Secret> read_secret(const std::filesystem::path &file, SecretLimits bytes,
                           const std::string &remedy) {
  const auto bad = [&](std::string why, std::string what_to_do) {
    return std::unexpected(
        Failure{ErrorCode::file_error, file.string(), std::move(why), std::move(what_to_do)});
  };
  if (sodium_init() < 0)
    return bad("cannot be used: libsodium has no source of random numbers",
               "give the program access to /dev/urandom");
  // O_NONBLOCK: opening a FIFO must not wait for its writer.
  const base::FileHandle handle(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (handle.get() < 0 || fstat(handle.get(), &status) != 0)
    return bad("cannot be read: " + std::generic_category().message(errno), remedy);
  if (!S_ISREG(status.st_mode))
    return bad("is not a regular file", remedy);
  status.st_mode = base::mode_for_others(handle.get(), status, geteuid());
  if (auto distrust = base::distrust(file, status, S_IRWXG | S_IRWXO))
    return bad(std::move(distrust->what), std::move(distrust->remedy));
  Secret room(std::string(bytes.most + 1, '\0'));
  const ssize_t size = read(handle.get(), room.data(), bytes.most + 1);
  if (size < 0)
    return bad("cannot be read: " + std::generic_category().message(errno), remedy);
  const auto taken = static_cast<std::size_t>(size);
  if (taken < bytes.least || taken > bytes.most)
    return bad("does not have " + std::to_string(bytes.least) + " to " +
                   std::to_string(bytes.most) + " bytes",
               remedy);
  return Secret(std::string(room.bytes().substr(0, taken)));
}

Result<Secret> read_password(const std::filesystem::path &file) {
  const std::string remedy = "write the password into it as its only line, and chmod 600";
  auto read = read_secret(file, {.least = 1, .most = kLongestPassword}, remedy);
  if (!read)
    return read;
  const std::string_view line = read->bytes().substr(0, read->bytes().find('\n'));
  if (line.empty())
    return std::unexpected(
        Failure{ErrorCode::file_error, file.string(), "begins with an empty line", remedy});
  return Secret(std::string(line));
}

} // namespace sartor::core
