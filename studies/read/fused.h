// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_FUSED_H
#define READ_FUSED_H

#include <filesystem>
#include <string>

#include <sys/types.h>

namespace files {

/// The reason why nothing can be mounted here; empty if mounting works.
std::string why_not_fused();

/// An image that read_fuse mounts on a folder while this object exists.
class Fused {
public:
  /// Makes the folder. Throws std::runtime_error if it is not mounted within seconds.
  Fused(const std::filesystem::path &image, std::filesystem::path folder, const char *kind);
  ~Fused();
  Fused(const Fused &) = delete;
  Fused &operator=(const Fused &) = delete;

  [[nodiscard]] const std::filesystem::path &folder() const { return folder_; }

private:
  std::filesystem::path folder_;
  pid_t child_ = -1;
};

/// Runs a shell command; returns its duration in seconds. Throws std::runtime_error if it fails.
double run_command(const std::string &command);

} // namespace files

#endif
