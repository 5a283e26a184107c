// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/ld_sign.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "loader/lib/signature/signature.h"
#include "loader/lib/stock/stock_loader.h"

namespace sartor::cli {

namespace {

namespace fs = std::filesystem;

/// Adds a file once, under the name that signatures use.
Result<void> add(const fs::path &path, std::vector<fs::path> &files) {
  std::error_code error;
  fs::path file = fs::canonical(path, error);
  if (error)
    return std::unexpected(Failure{ErrorCode::file_error, path.string(),
                                   "cannot be found: " + error.message(), "name a file"});
  if (std::ranges::find(files, file) == files.end())
    files.push_back(std::move(file));
  return {};
}

Result<void> add_libraries(const fs::path &program, std::vector<fs::path> &files) {
  const auto list = loader::list_libraries(program);
  if (!list)
    return std::unexpected(list.error());
  if (!list->missing.empty())
    return std::unexpected(Failure{ErrorCode::file_error, program.string(),
                                   "the stock loader does not find " + list->missing.front(),
                                   "install it, or name its directory in LD_LIBRARY_PATH"});
  for (const fs::path &library : list->found)
    if (auto added = add(library, files); !added)
      return added;
  return {};
}

Result<void> sign(const fs::path &file, const fs::path &to, const base::SecretKey &key) {
  const auto digest = loader::FileDigest::of(file);
  if (!digest)
    return std::unexpected(digest.error());
  const auto there = loader::read_signature(to);
  const bool is_signed = there && digest->fits(*there, key.public_key());
  if (!is_signed)
    if (auto written = loader::write_signature(digest->sign(key), to); !written)
      return written;
  std::cout << to.string() << (is_signed ? ": as it was\n" : ": written\n");
  return {};
}

} // namespace

LdSignCommand::LdSignCommand(CLI::App &ld)
    : command_(ld.add_subcommand("sign", "Sign programs and libraries for the pass `verify`.")) {
  command_->add_option("--key", key_, "What signs, as `sartor key` made it")->required();
  command_->add_option("--signatures", signatures_,
                       "The directory that signatures go to (default: each beside its file)");
  command_->add_flag("--with-libraries", with_libraries_,
                     "Sign the libraries that each program starts with, too");
  command_->add_option("FILE", files_, "Programs and libraries")->required();
}

Result<void> LdSignCommand::run() const {
  const auto key = base::SecretKey::read(key_);
  if (!key)
    return std::unexpected(key.error());
  std::vector<fs::path> files;
  for (const std::string &file : files_) {
    if (auto added = add(file, files); !added)
      return added;
    if (with_libraries_)
      if (auto added = add_libraries(file, files); !added)
        return added;
  }
  for (const fs::path &file : files) {
    const fs::path to = signatures_.empty() ? loader::signature_beside(file)
                                            : loader::signature_in(signatures_, file);
    if (auto done = sign(file, to, *key); !done)
      return done;
  }
  return {};
}

} // namespace sartor::cli
