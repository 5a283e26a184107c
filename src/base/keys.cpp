// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/keys.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/file/digits_file.h"

namespace sartor::base {

namespace fs = std::filesystem;

Result<SecretKey> SecretKey::read(const fs::path &file) {
  constexpr const char *remedy = "make one: sartor key";
  if (auto started = start_sodium(file); !started)
    return std::unexpected(std::move(started.error()));
  SecretKey key;
  if (auto read = read_digits(file, key.bytes_, S_IRWXG | S_IRWXO, remedy); !read)
    return std::unexpected(std::move(read.error()));
  // Signing with halves that do not belong together would reveal the secret.
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

Signature SecretKey::sign(std::string_view message) const {
  Signature signature;
  crypto_sign_ed25519_detached(signature.data(), nullptr,
                               reinterpret_cast<const std::uint8_t *>(message.data()),
                               message.size(), bytes_.data());
  return signature;
}

Signature SecretKey::sign(crypto_sign_ed25519ph_state hashed) const {
  Signature signature;
  crypto_sign_ed25519ph_final_create(&hashed, signature.data(), nullptr, bytes_.data());
  return signature;
}

SecretKey::Seed SecretKey::seed() const {
  Seed seed;
  crypto_sign_ed25519_sk_to_seed(seed.data(), bytes_.data());
  return seed;
}

bool is_signed(std::string_view message, const Signature &signature, const PublicKey &key) {
  return crypto_sign_ed25519_verify_detached(signature.data(),
                                             reinterpret_cast<const std::uint8_t *>(message.data()),
                                             message.size(), key.data()) == 0;
}

std::string key_text(const PublicKey &key) {
  std::string text(2 * key.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), key.data(), key.size());
  text.pop_back();
  return text;
}

std::string fingerprint(const PublicKey &key) { return key_text(key).substr(0, 16); }

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
  if (auto read = read_digits(real, key, kOthersMayWrite,
                              "copy the .pub that was made with the secret key");
      !read)
    return std::unexpected(std::move(read.error()));
  return key;
}

Result<std::vector<fs::path>> key_files_in(const fs::path &directory) {
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
  std::ranges::sort(files);
  return files;
}

Result<std::vector<fs::path>> public_keys_in(const fs::path &directory) {
  auto files = key_files_in(directory);
  if (files && files->empty())
    return failure(directory, "has no public key",
                   "put NAME.pub there, which `sartor key --output NAME` makes");
  return files;
}

Result<std::vector<PublicKey>> read_public_keys(const fs::path &file_or_directory) {
  std::vector<fs::path> files{file_or_directory};
  std::error_code ignored;
  if (fs::is_directory(file_or_directory, ignored)) {
    auto found = public_keys_in(file_or_directory);
    if (!found)
      return std::unexpected(std::move(found.error()));
    files = std::move(*found);
  }
  std::vector<PublicKey> keys;
  for (const fs::path &file : files) {
    const auto key = read_public_key(file);
    if (!key)
      return std::unexpected(key.error());
    keys.push_back(*key);
  }
  return keys;
}

} // namespace sartor::base
