// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_EVENT_LOG_H
#define SARTOR_BASE_EVENT_LOG_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include <nlohmann/json_fwd.hpp>

#include "base/control/event_ring.h"
#include "base/file/private_file.h"
#include "base/result.h"

namespace sartor {

/// Events as JSON lines, appended to a file, or kept in memory, or both:
/// `{"t":1.234567,"event":"switch",...}`, `t` in seconds since the log was opened. Lines of a child
/// process have its `pid`. All members may be called from any thread. A line that cannot be
/// written, because the disk is full or the fields are no object, is counted as dropped and
/// otherwise ignored. If the program has closed the log's descriptor, the file is reopened by its
/// path, and the next line is `descriptor_lost`.
class EventLog {
public:
  /// Creates the file for this user alone. Fails with file_error if it cannot be opened, is neither
  /// a plain file of this user nor a terminal or the like (writing to a pipe without a reader would
  /// kill the program), is a link, or has several names.
  static Result<std::unique_ptr<EventLog>> open(const std::filesystem::path &path);
  /// A log without a file.
  static std::unique_ptr<EventLog> in_memory();
  /// Keeps events in `ring`, too. To be called before the first event.
  void keep(std::shared_ptr<base::EventRing> ring) { ring_ = std::move(ring); }

  void append(std::string_view event, const nlohmann::ordered_json &fields) noexcept;
  /// The same with the text of a JSON object, for external input.
  void append_text(std::string_view event, std::string_view fields) noexcept;
  /// Appends code, subject and message of a failure.
  void failure(std::string_view event, const Failure &failure) noexcept;

  ~EventLog();
  EventLog(const EventLog &) = delete;
  EventLog &operator=(const EventLog &) = delete;

  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

private:
  struct File {
    base::FileHandle handle;
    std::unique_ptr<File> before; ///< Lost. Other threads may still use it, so it is kept.
  };

  EventLog();
  EventLog(std::filesystem::path path, base::FileHandle file);
  [[nodiscard]] std::string line_of(std::string_view event,
                                    const nlohmann::ordered_json &fields) const;
  [[nodiscard]] bool write_line(std::string_view event, const nlohmann::ordered_json &fields);
  /// Null if it was lost and cannot be opened again.
  [[nodiscard]] File *file();
  [[nodiscard]] bool write_to(const base::FileHandle &file, std::string line);

  const std::filesystem::path path_; ///< Absolute; empty if there is no file.
  std::atomic<File *> file_;         ///< Atomic instead of locked: a forking thread need not wait.
  std::shared_ptr<base::EventRing> ring_; ///< Null if events are not kept.
  const pid_t process_;                   ///< The process that has opened it.
  const base::FileIdentity standard_error_{STDERR_FILENO};
  const std::chrono::steady_clock::time_point opened_ = std::chrono::steady_clock::now();
  std::atomic<std::uint64_t> dropped_ = 0;
  std::atomic<bool> torn_ = false; ///< The file ends in a partial line.
};

} // namespace sartor

#endif
