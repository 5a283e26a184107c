// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_OBSERVE_EVENT_LOG_H
#define SARTOR_OBSERVE_EVENT_LOG_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include <unistd.h>

#include "observe/result.h"

namespace sartor {

/// Events as JSON lines, appended to a file: `{"t":1.234567,"event":"switch",...}`, `t` in seconds
/// since the log was opened. Lines of a child process have its `pid`. All members may be called
/// from any thread.
class EventLog {
public:
  /// file_error if the file cannot be opened or is neither a regular file nor a terminal or the
  /// like: to write to a pipe nobody reads would kill the program.
  static Result<std::unique_ptr<EventLog>> open(const std::filesystem::path &path);
  ~EventLog();
  EventLog(const EventLog &) = delete;
  EventLog &operator=(const EventLog &) = delete;

  /// `fields` is a JSON object's text. A line that cannot be written, because the disk is full or
  /// `fields` is no JSON object, is counted as dropped and otherwise forgotten.
  void append(std::string_view event, std::string_view fields) noexcept;

  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

private:
  explicit EventLog(int file) : file_(file), process_(getpid()) {}
  [[nodiscard]] bool write_line(std::string_view event, std::string_view fields);

  const int file_;
  const pid_t process_; ///< Which has opened it.
  const std::chrono::steady_clock::time_point opened_ = std::chrono::steady_clock::now();
  std::atomic<std::uint64_t> dropped_ = 0;
  std::atomic<bool> torn_ = false; ///< The file ends in a part of a line.
};

} // namespace sartor

#endif
