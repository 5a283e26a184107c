// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_DIGITS_FILE_H
#define SARTOR_BASE_DIGITS_FILE_H

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include <sys/stat.h>

#include "base/result.h"

/// Files of hexadecimal digits, and whom they are believed from. All that is here fails with
/// file_error.
namespace sartor::base {

constexpr mode_t kOthersMayWrite = S_IWGRP | S_IWOTH;

std::unexpected<Failure> failure(const std::filesystem::path &file, std::string what,
                                 std::string remedy);

/// Whatever makes keys and signatures is ready after this. `file`: what for.
Result<void> start_sodium(const std::filesystem::path &file);

/// That only this user and root can change it.
Result<void> check_directory(const std::filesystem::path &directory);

/// Calls `take` with each piece of a file, until it returns false. `forbidden`: what nobody but
/// the owner, who must be this user or root, may do with it. Nothing: anybody may.
Result<void> read_pieces(const std::filesystem::path &file, std::optional<mode_t> forbidden,
                         const std::function<bool(std::span<const std::uint8_t>)> &take);

/// A file of as many hexadecimal digits as `to` needs, and the end of a line.
Result<void> read_digits(const std::filesystem::path &file, std::span<std::uint8_t> to,
                         std::optional<mode_t> forbidden, const char *remedy);

/// `flags`: what is to happen if there is such a file.
Result<void> write_digits(std::span<const std::uint8_t> bytes, const std::filesystem::path &file,
                          int flags, mode_t mode);

} // namespace sartor::base

#endif
