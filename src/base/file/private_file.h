// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_FILE_PRIVATE_FILE_H
#define SARTOR_BASE_FILE_PRIVATE_FILE_H

#include <expected>
#include <filesystem>
#include <string>

#include "base/file/file_handle.h"

namespace sartor::base {

enum class Devices : bool { refused, allowed };

/// Opens a file to append to; creates it, for this user alone, if it does not exist. Fails with a
/// reason if an existing file is not a plain file of this user with one name: a link, another
/// user's file, or a second name of one would redirect the output to a place of another user's
/// choice. Devices are terminals and the like; a link directly below /dev, such as /dev/stderr, is
/// followed, also to a pipe. Writing to it does not wait, and raises SIGPIPE without a reader.
std::expected<FileHandle, std::string> open_to_append(const std::filesystem::path &path,
                                                      Devices devices);

} // namespace sartor::base

#endif
