// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_DEVICE_MODULES_H
#define SARTOR_REMOTE_SERVER_DEVICE_MODULES_H

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace sartor::server {

/// Handler modules of devices, which cannot send theirs: bitcode by its hash (text).
struct DeviceModules {
  std::map<std::string, std::shared_ptr<const std::string>, std::less<>> by_hash;
  std::vector<std::string> skipped; ///< Files that are not modules, each with the reason.

  /// Reads the files NAME.module of a directory. Symbolic links, FIFOs and devices are skipped.
  /// Fails with file_error if the directory or a file can be changed by users other than this one
  /// and root, cannot be read, or has more than `most_bytes`.
  static Result<DeviceModules> read(const std::filesystem::path &directory, std::size_t most_bytes);
};

} // namespace sartor::server

#endif
