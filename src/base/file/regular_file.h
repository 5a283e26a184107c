// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_FILE_REGULAR_FILE_H
#define SARTOR_BASE_FILE_REGULAR_FILE_H

#include <expected>
#include <filesystem>
#include <string>

namespace sartor::base {

/// Reads a file that a user has named. Fails with a reason if it is not a regular file, because
/// reading a pipe or a device may not end, or if it has more than 4 GiB.
std::expected<std::string, std::string> read_regular_file(const std::filesystem::path &path);

} // namespace sartor::base

#endif
