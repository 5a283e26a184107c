// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATMUL_PROCESS_H
#define MATMUL_PROCESS_H

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace matmul {

/// A child process. It ends with this object, and with this process however that ends. It has its
/// own process group: Ctrl-C reaches it only through its owner.
class Process {
public:
  /// Starts the program `command[0]`, searched in PATH if it is not a path; its standard output
  /// goes to a new file `output`. Throws std::system_error. A program that cannot be executed ends
  /// with status 127.
  Process(const std::vector<std::string> &command, const std::filesystem::path &output);
  /// Sends SIGTERM, and kills the process if it has not ended after five seconds.
  ~Process();
  Process(const Process &) = delete;
  Process &operator=(const Process &) = delete;

  [[nodiscard]] pid_t id() const { return id_; }
  /// The exit status, or 128 + the signal's number; empty while the process runs.
  std::optional<int> status();
  /// Sends SIGTERM and waits as the destructor does.
  void end();

private:
  bool ended_within(std::chrono::milliseconds time);

  pid_t id_ = -1;
  std::optional<int> status_;
};

} // namespace matmul

#endif
