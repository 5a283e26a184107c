// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_FUSED_H
#define READ_FUSED_H

#include <filesystem>
#include <string>

#include <sys/types.h>

namespace files {

/// Why nothing can be mounted here; empty if it can.
std::string why_not_fused();

/// An image that is mounted on a folder, by read_fuse, for as long as this lives.
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

/// Runs a command of the shell's; returns how many seconds it took. Throws std::runtime_error if it
/// fails.
double run_command(const std::string &command);

} // namespace files

#endif
