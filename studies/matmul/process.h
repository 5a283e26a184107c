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

/// A program that this one started. It ends with this object, and with this process however that
/// ends. It has a process group of its own: Ctrl-C reaches it only through its owner.
class Process {
public:
  /// Starts the program `command[0]`, looked for in PATH if it is no path; its standard output goes
  /// to a new file `output`. Throws std::system_error. A program that cannot be executed ends with
  /// status 127.
  Process(const std::vector<std::string> &command, const std::filesystem::path &output);
  /// Asks it to end, and ends it if it has not after five seconds.
  ~Process();
  Process(const Process &) = delete;
  Process &operator=(const Process &) = delete;

  /// What it ended with: its exit status, or 128 + the signal's number; nothing while it runs.
  std::optional<int> status();
  /// Asks it to end (SIGTERM), and waits for that as the destructor does.
  void end();

private:
  bool ended_within(std::chrono::milliseconds time);

  pid_t id_ = -1;
  std::optional<int> status_;
};

} // namespace matmul

#endif
