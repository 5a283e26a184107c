// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "load/signature/signature.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load/file/trust.h"

namespace sartor::load {

namespace {

namespace fs = std::filesystem;

constexpr mode_t others_may_write = S_IWGRP | S_IWOTH;

std::unexpected<Failure> failure(const fs::path &file, std::string what, std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::file_error, file.string(), std::move(what), std::move(remedy)});
}

std::string error_text() { return std::generic_category().message(errno); }

Result<void> start_sodium(const fs::path &file) {
  if (sodium_init() < 0)
    return failure(file, "no source of randomness for libsodium",
                   "see whether /dev/urandom can be read");
  return {};
}

/// An open file, closed when this is gone.
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

/// `forbidden`: what nobody but the owner, who must be this user or root, may do with it.
Result<void> check_rights(const fs::path &path, const struct stat &status, mode_t forbidden) {
  if (auto objection = distrust(path, status, forbidden))
    return failure(path, std::move(objection->what), std::move(objection->remedy));
  return {};
}

Result<void> check_directory(const fs::path &directory) {
  struct stat status{};
  if (stat(directory.c_str(), &status) != 0)
    return failure(directory, "cannot be looked at: " + error_text(),
                   "name the directory of public keys");
  if (!S_ISDIR(status.st_mode))
    return failure(directory, "is no directory", "name the directory of public keys");
  return check_rights(directory, status, others_may_write);
}

/// Calls `take` with each piece of a file.
template <class Take>
Result<void> read_pieces(const fs::path &file, std::optional<mode_t> forbidden, Take take) {
  const Handle handle(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (handle.number() < 0 || fstat(handle.number(), &status) != 0)
    return failure(file, "cannot be read: " + error_text(), "see whether it is there");
  if (!S_ISREG(status.st_mode))
    return failure(file, "is no file", "name a file");
  if (forbidden)
    if (auto checked = check_rights(file, status, *forbidden); !checked)
      return checked;
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

/// A file of as many hexadecimal digits as `to` needs, and the end of a line.
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

/// `flags`: what is to happen if there is such a file.
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

} // namespace

Result<SecretKey> SecretKey::read(const fs::path &file) {
  constexpr const char *remedy = "make one: sartor ld key";
  if (auto started = start_sodium(file); !started)
    return std::unexpected(std::move(started.error()));
  SecretKey key;
  if (auto read = read_digits(file, key.bytes_, S_IRWXG | S_IRWXO, remedy); !read)
    return std::unexpected(std::move(read.error()));
  // To sign with halves that do not belong together would give the secret away.
  SecretKey derived;
  PublicKey unused;
  crypto_sign_ed25519_seed_keypair(unused.data(), derived.bytes_.data(), key.bytes_.data());
  if (sodium_memcmp(derived.bytes_.data(), key.bytes_.data(), key.bytes_.size()) != 0)
    return failure(file, "is damaged", remedy);
  return key;
}

PublicKey SecretKey::public_key() const {
  PublicKey key;
  crypto_sign_ed25519_sk_to_pk(key.data(), bytes_.data());
  return key;
}

Result<void> make_keys(const fs::path &name) {
  if (auto started = start_sodium(name); !started)
    return started;
  PublicKey shown;
  std::array<std::uint8_t, crypto_sign_ed25519_SECRETKEYBYTES> secret;
  crypto_sign_ed25519_keypair(shown.data(), secret.data());
  const fs::path of_secret = name.string() + ".key";
  auto written = write_digits(secret, of_secret, O_EXCL, S_IRUSR | S_IWUSR);
  sodium_memzero(secret.data(), secret.size());
  if (!written)
    return written;
  written =
      write_digits(shown, name.string() + ".pub", O_EXCL, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
  if (!written)
    unlink(of_secret.c_str());
  return written;
}

Result<PublicKey> read_public_key(const fs::path &file) {
  PublicKey key;
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  if (error)
    return failure(file, "cannot be read: " + error.message(), "see where it leads to");
  if (auto checked = check_directory(real.parent_path()); !checked)
    return std::unexpected(std::move(checked.error()));
  if (auto read = read_digits(real, key, others_may_write,
                              "copy the .pub that was made with the secret key");
      !read)
    return std::unexpected(std::move(read.error()));
  return key;
}

Result<std::vector<fs::path>> public_keys_in(const fs::path &directory) {
  if (auto checked = check_directory(directory); !checked)
    return std::unexpected(std::move(checked.error()));
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator each(directory, error), end; !error && each != end;
       each.increment(error))
    if (each->path().extension() == ".pub")
      files.push_back(each->path());
  if (error)
    return failure(directory, "cannot be read: " + error.message(), "see whether it may be read");
  if (files.empty())
    return failure(directory, "has no public key",
                   "put NAME.pub there, which `sartor ld key --output NAME` makes");
  std::ranges::sort(files);
  return files;
}

Result<Signature> read_signature(const fs::path &file) {
  Signature signature;
  if (auto read = read_digits(file, signature, std::nullopt, "sign the file again"); !read)
    return std::unexpected(std::move(read.error()));
  return signature;
}

Result<void> write_signature(const Signature &signature, const fs::path &file) {
  const fs::path temporary = file.string() + "." + std::to_string(getpid());
  if (auto written =
          write_digits(signature, temporary, O_EXCL, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
      !written)
    return written;
  if (rename(temporary.c_str(), file.c_str()) == 0)
    return {};
  const std::string why = error_text();
  unlink(temporary.c_str());
  return failure(file, "cannot be written: " + why, "see what is there");
}

Result<FileDigest> FileDigest::of(const fs::path &file) {
  if (auto started = start_sodium(file); !started)
    return std::unexpected(std::move(started.error()));
  FileDigest digest;
  crypto_sign_ed25519ph_init(&digest.state_);
  auto read = read_pieces(file, std::nullopt, [&](std::span<const std::uint8_t> piece) {
    return crypto_sign_ed25519ph_update(&digest.state_, piece.data(), piece.size()) == 0;
  });
  if (!read)
    return std::unexpected(std::move(read.error()));
  return digest;
}

Signature FileDigest::sign(const SecretKey &key) const {
  Signature signature;
  auto state = state_;
  crypto_sign_ed25519ph_final_create(&state, signature.data(), nullptr, key.bytes_.data());
  return signature;
}

bool FileDigest::fits(const Signature &signature, const PublicKey &key) const {
  auto state = state_;
  return crypto_sign_ed25519ph_final_verify(&state, signature.data(), key.data()) == 0;
}

fs::path signature_beside(const fs::path &file) { return file.string() + ".sig"; }

fs::path signature_in(const fs::path &directory, const fs::path &file) {
  std::string name = file.string();
  std::ranges::replace(name, '/', '%');
  return directory / (name + ".sig");
}

Result<void> check_signature(const fs::path &file, std::span<const fs::path> places,
                             std::span<const PublicKey> keys) {
  std::vector<Signature> signatures;
  std::optional<Failure> damaged;
  for (const fs::path &place : places) {
    std::error_code error;
    if (!fs::exists(fs::symlink_status(place, error)))
      continue;
    if (auto signature = read_signature(place))
      signatures.push_back(*signature);
    else if (!damaged)
      damaged = std::move(signature.error());
  }
  if (signatures.empty() && damaged)
    return std::unexpected(std::move(*damaged));
  if (signatures.empty()) {
    std::string searched;
    for (const fs::path &place : places)
      searched += (searched.empty() ? "" : " nor ") + place.string();
    return failure(file, "is not signed: there is no " + searched,
                   "if it is as it should be, sign it: sartor ld sign");
  }
  const auto digest = FileDigest::of(file);
  if (!digest)
    return std::unexpected(digest.error());
  for (const Signature &signature : signatures)
    for (const PublicKey &key : keys)
      if (digest->fits(signature, key))
        return {};
  return failure(file, "has been changed, or signed with another key",
                 "install it again; if it is as it should be, sign it: sartor ld sign");
}

} // namespace sartor::load
