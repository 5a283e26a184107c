// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "store/signing_key.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/cache_files.h"

namespace sartor::store {

namespace {

constexpr std::size_t kShortest = 32;
constexpr std::size_t kLongest = 4096;
constexpr std::string_view kPurpose = "Sartor's shared cache, 1";

/// Room for a secret, which is wiped whichever way it is left.
struct Secret {
  Secret() : bytes(kLongest + 1, '\0') {}
  ~Secret() { sodium_memzero(bytes.data(), bytes.size()); }
  Secret(const Secret &) = delete;
  Secret &operator=(const Secret &) = delete;

  std::string bytes;
};

const std::uint8_t *bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t *>(text.data());
}

} // namespace

SigningKey::SigningKey(std::string_view secret) {
  crypto_generichash(key_.data(), key_.size(), bytes_of(secret), secret.size(), bytes_of(kPurpose),
                     kPurpose.size());
}

SigningKey::~SigningKey() { sodium_memzero(key_.data(), key_.size()); }

Result<SigningKey> SigningKey::read(const std::filesystem::path &file) {
  const auto bad = [&](std::string why, std::string remedy) {
    return std::unexpected(
        Failure{ErrorCode::file_error, file.string(), std::move(why), std::move(remedy)});
  };
  if (sodium_init() < 0)
    return bad("no source of randomness for libsodium", "give the program access to /dev/urandom");
  const FileHandle handle(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (handle.get() < 0 || fstat(handle.get(), &status) != 0)
    return bad("cannot be read: " + std::generic_category().message(errno),
               "make it once for all replicas: head -c 32 /dev/urandom");
  if (!S_ISREG(status.st_mode))
    return bad("is no file", "name a file with at least 32 random bytes");
  if (status.st_uid != geteuid() && status.st_uid != 0)
    return bad("belongs to another user", "let this user own it");
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return bad("may be read or written by others", "chmod 600");
  Secret secret;
  const ssize_t size = ::read(handle.get(), secret.bytes.data(), secret.bytes.size());
  if (size < static_cast<ssize_t>(kShortest) || size > static_cast<ssize_t>(kLongest))
    return bad("does not have 32 to 4096 bytes", "fill it with 32 random bytes");
  return SigningKey(std::string_view(secret.bytes).substr(0, static_cast<std::size_t>(size)));
}

std::string SigningKey::tag(std::string_view bytes) const {
  static_assert(kTagBytes == crypto_auth_BYTES && crypto_auth_KEYBYTES == 32);
  std::string tag(kTagBytes, '\0');
  crypto_auth(reinterpret_cast<std::uint8_t *>(tag.data()), bytes_of(bytes), bytes.size(),
              key_.data());
  return tag;
}

bool SigningKey::verify(std::string_view tag, std::string_view bytes) const {
  return tag.size() == kTagBytes &&
         crypto_auth_verify(bytes_of(tag), bytes_of(bytes), bytes.size(), key_.data()) == 0;
}

} // namespace sartor::store
