// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_PRIVATE_FILE_H
#define SARTOR_BASE_PRIVATE_FILE_H

#include <expected>
#include <filesystem>
#include <string>

#include "base/file_handle.h"

namespace sartor::base {

enum class Devices : bool { refused, allowed };

/// Opens a file to append to; makes it, for this user alone, if it is not there. Fails with a
/// reason where what is there is not a plain file of this user's with one name: a link, another's
/// file, or a second name of one would have us write where somebody else wants. Devices are
/// terminals and the like, and what is right below /dev is followed if it is a link, as /dev/stderr
/// is.
std::expected<FileHandle, std::string> open_to_append(const std::filesystem::path &path,
                                                      Devices devices);

} // namespace sartor::base

#endif
