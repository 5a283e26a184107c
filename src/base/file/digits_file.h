// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_FILE_DIGITS_FILE_H
#define SARTOR_BASE_FILE_DIGITS_FILE_H

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include <sys/stat.h>

#include "base/result.h"

/// Files of hexadecimal digits, and checks of who may have written them. All functions fail with
/// file_error.
namespace sartor::base {

constexpr mode_t kOthersMayWrite = S_IWGRP | S_IWOTH;

std::unexpected<Failure> failure(const std::filesystem::path &file, std::string what,
                                 std::string remedy);

/// Initializes libsodium, which makes keys and signatures. `file` is the subject of an error.
Result<void> start_sodium(const std::filesystem::path &file);

/// Checks that only this user and root can change it.
Result<void> check_directory(const std::filesystem::path &directory);

/// Calls `take` with each piece of a file, until it returns false. `forbidden`: rights that only
/// the owner, who must be this user or root, may have. Empty: no check.
Result<void> read_pieces(const std::filesystem::path &file, std::optional<mode_t> forbidden,
                         const std::function<bool(std::span<const std::uint8_t>)> &take);

/// Reads a file of exactly the hexadecimal digits that fill `to`, and a newline.
Result<void> read_digits(const std::filesystem::path &file, std::span<std::uint8_t> to,
                         std::optional<mode_t> forbidden, const char *remedy);

/// `flags` determines the behavior if the file exists.
Result<void> write_digits(std::span<const std::uint8_t> bytes, const std::filesystem::path &file,
                          int flags, mode_t mode);

} // namespace sartor::base

#endif
