// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_LOG_H
#define SARTOR_REMOTE_SERVER_LOG_H

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/result.h"

namespace sartor::server {

enum class Level : unsigned char { info, warning, error };
enum class LogFormat : unsigned char { text, json };

/// The server's log, one line for each record: time, level, event, message, and fields. As text, a
/// record that has a message shows that, otherwise its fields; as JSON it shows all. Control
/// characters in messages and fields, which may come from a peer, are escaped. Used on the loop's
/// thread.
class Log {
public:
  using Fields = nlohmann::ordered_json;
  using Clock = std::chrono::steady_clock;

  explicit Log(LogFormat format, int file = STDERR_FILENO) : format_(format), file_(file) {}

  void write(Level level, std::string_view event, std::string_view message,
             Fields fields = Fields::object());
  void failure(Level level, std::string_view event, const Failure &failure);

  /// For events that a peer can cause at any rate: of records with the same event and the same
  /// `about`, a few are written in each period; the others are counted.
  void write_some(Level level, std::string_view event, const std::string &about, Fields fields,
                  Clock::time_point now = Clock::now());
  /// Writes the number of records that were left out. Must be called from time to time.
  void report_left_out(Clock::time_point now = Clock::now());

private:
  struct Window {
    Clock::time_point begin;
    unsigned written = 0;
    std::uint64_t left_out = 0;
  };

  LogFormat format_;
  int file_;
  std::map<std::string, Window> windows_; ///< Keyed by event and `about`.
};

} // namespace sartor::server

#endif
