// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_TRUST_H
#define SARTOR_BASE_TRUST_H

#include <filesystem>
#include <optional>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

namespace sartor::base {

/// The reason why a file is not trusted, and a remedy.
struct Distrust {
  std::string what;
  std::string remedy;
};

/// Nothing if the file belongs to this user or to root, and no other user has a right in
/// `forbidden` (S_IWOTH, ...).
inline std::optional<Distrust> distrust(const std::filesystem::path &path,
                                        const struct stat &status, mode_t forbidden) {
  if (status.st_uid != 0 && status.st_uid != geteuid())
    return Distrust{"belongs to another user (" + std::to_string(status.st_uid) + ")",
                    "chown it to root or to yourself"};
  if ((status.st_mode & forbidden) == 0)
    return std::nullopt;
  if ((forbidden & S_IROTH) != 0)
    return Distrust{"can be read or written by others", "chmod 600 " + path.string()};
  return Distrust{"can be written by others",
                  ((forbidden & S_IWGRP) != 0 ? "chmod go-w " : "chmod o-w ") + path.string()};
}

} // namespace sartor::base

#endif
