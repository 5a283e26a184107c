// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CONTROL_METRICS_FILE_H
#define SARTOR_RUNTIME_CONTROL_METRICS_FILE_H

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/result.h"

namespace sartor {

/// The file of a process's metrics, and when to write it. Processes that wrote one file in turns
/// would mix their counters, so a child writes the inherited file only if no other process does:
/// its parent may have ended, as that of a daemon. Not thread-safe.
class MetricsFile {
public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kInterval{10};
  /// No process writes a file that is older.
  static constexpr std::chrono::seconds kAbandoned = 3 * kInterval;

  /// This process writes the file from now on, unless it is the one that a child has inherited.
  void name(std::filesystem::path path);
  [[nodiscard]] bool is_named() const { return !path_.empty(); }
  /// When due() is to be called next.
  [[nodiscard]] Clock::time_point next() const { return next_; }
  /// Returns the path if the file is to be written now.
  std::optional<std::filesystem::path> due(Clock::time_point now);
  /// Called in a child process.
  void forked(Clock::time_point now);

  /// The file that a process has written: device, inode, and time of the last change.
  using Written = std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::int64_t>;
  /// Replaces the file, of which readers never see a part. Fails with file_error.
  static Result<Written> replace(const std::filesystem::path &path, std::string_view text);
  /// replace() has succeeded.
  void set_written(const Written &written) { written_ = written; }

private:
  [[nodiscard]] bool is_written_by_another() const;

  std::filesystem::path path_;
  bool is_inherited_ = false;
  Clock::time_point next_{};
  std::optional<Written> written_;
};

} // namespace sartor

#endif
