// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "observe/event_log.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace sartor {

namespace {

std::unexpected<Failure> cannot_open(const std::filesystem::path &path, std::string message) {
  return std::unexpected(Failure{ErrorCode::file_error, path.string(), std::move(message),
                                 "name an event log that can be written"});
}

std::string seconds_text(std::chrono::steady_clock::duration since_opened) {
  std::array<char, 48> buffer;
  const double seconds = std::chrono::duration<double>(since_opened).count();
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), seconds,
                                 std::chars_format::fixed, 6)
                       .ptr;
  return {buffer.data(), end};
}

} // namespace

Result<std::unique_ptr<EventLog>> EventLog::open(const std::filesystem::path &path) {
  // O_NONBLOCK: opening a pipe must not wait for its reader.
  const int file =
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file < 0)
    return cannot_open(path, std::generic_category().message(errno));
  std::unique_ptr<EventLog> log(new EventLog(file));
  struct stat status;
  if (fstat(file, &status) != 0 || !(S_ISREG(status.st_mode) || S_ISCHR(status.st_mode)))
    return cannot_open(path, "is not a regular file");
  return log;
}

EventLog::~EventLog() { close(file_); }

void EventLog::append(std::string_view event, std::string_view fields) noexcept {
  bool written = false;
  try {
    written = write_line(event, fields);
  } catch (...) { // No memory for the line: as good as a full disk.
  }
  if (!written)
    ++dropped_;
}

bool EventLog::write_line(std::string_view event, std::string_view fields) {
  const auto given = nlohmann::ordered_json::parse(fields, nullptr, /*allow_exceptions=*/false);
  if (!given.is_object())
    return false;
  std::string line = "{\"t\":" + seconds_text(std::chrono::steady_clock::now() - opened_);
  line += ",\"event\":";
  constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
  line += nlohmann::ordered_json(event).dump(-1, ' ', false, replace);
  const std::string rest = given.dump(-1, ' ', false, replace);
  if (const pid_t process = getpid(); process != process_)
    line += ",\"pid\":" + std::to_string(process);
  line += given.empty() ? "" : ",";
  line.append(rest, 1);
  line += '\n';
  if (torn_.exchange(false))
    line.insert(line.begin(), '\n');
  // With O_APPEND, one write is one line also among threads and processes.
  const ssize_t count = ::write(file_, line.data(), line.size());
  if (count == static_cast<ssize_t>(line.size()))
    return true;
  if (count > 0)
    torn_ = true;
  return false;
}

} // namespace sartor
