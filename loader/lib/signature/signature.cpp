// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/signature/signature.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/digits_file.h"

namespace sartor::loader {

namespace fs = std::filesystem;

Result<Signature> read_signature(const fs::path &file) {
  Signature signature;
  if (auto read = base::read_digits(file, signature, std::nullopt, "sign the file again"); !read)
    return std::unexpected(std::move(read.error()));
  return signature;
}

Result<void> write_signature(const Signature &signature, const fs::path &file) {
  const fs::path temporary = file.string() + "." + std::to_string(getpid());
  if (auto written =
          base::write_digits(signature, temporary, O_EXCL, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
      !written)
    return written;
  if (rename(temporary.c_str(), file.c_str()) == 0)
    return {};
  const std::string why = std::generic_category().message(errno);
  unlink(temporary.c_str());
  return base::failure(file, "cannot be written: " + why,
                       "check the directory and its permissions");
}

Result<FileDigest> FileDigest::of(const fs::path &file) {
  if (auto started = base::start_sodium(file); !started)
    return std::unexpected(std::move(started.error()));
  FileDigest digest;
  crypto_sign_ed25519ph_init(&digest.state_);
  auto read = base::read_pieces(file, std::nullopt, [&](std::span<const std::uint8_t> piece) {
    return crypto_sign_ed25519ph_update(&digest.state_, piece.data(), piece.size()) == 0;
  });
  if (!read)
    return std::unexpected(std::move(read.error()));
  return digest;
}

Signature FileDigest::sign(const SecretKey &key) const { return key.sign(state_); }

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

Result<void> check_signature(const fs::path &file, const fs::path &content,
                             std::span<const fs::path> places, std::span<const PublicKey> keys) {
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
    return base::failure(file, "is not signed: there is no " + searched,
                         "if it is as it should be, sign it: sartor ld sign");
  }
  const auto digest = FileDigest::of(content);
  if (!digest)
    return std::unexpected(digest.error());
  for (const Signature &signature : signatures)
    for (const PublicKey &key : keys)
      if (digest->fits(signature, key))
        return {};
  return base::failure(file, "has been changed, or signed with another key",
                       "install it again; if it is as it should be, sign it: sartor ld sign");
}

} // namespace sartor::loader
