// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "observe/event_log.h"

#include <array>
#include <charconv>
#include <string>
#include <unistd.h>

#include "observe/default_floats.h"
#include "observe/json.h"
#include "observe/no_cancel.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

std::string seconds_text(std::chrono::steady_clock::duration since_opened) {
  std::array<char, 48> buffer;
  const double seconds = std::chrono::duration<double>(since_opened).count();
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), seconds,
                                 std::chars_format::fixed, 6)
                       .ptr;
  return {buffer.data(), end};
}

// No memory for a line is as good as a full disk.
template <class Write> bool tried(Write write) noexcept {
  const observe::NoCancel no_cancel;
  try {
    return write();
  } catch (...) {
    return false;
  }
}

} // namespace

Result<std::unique_ptr<EventLog>> EventLog::open(const std::filesystem::path &path) {
  auto file = rights::open_to_append(path, rights::Devices::allowed);
  if (!file)
    return std::unexpected(Failure{ErrorCode::file_error, path.string(), std::move(file.error()),
                                   "name an event log that can be written"});
  return std::unique_ptr<EventLog>(new EventLog(std::move(*file)));
}

void EventLog::append(std::string_view event, const Json &fields) noexcept {
  if (!tried([&] { return write_line(event, fields); }))
    ++dropped_;
}

void EventLog::append_text(std::string_view event, std::string_view fields) noexcept {
  if (!tried([&] {
        const auto read = parse_json(fields);
        return read && write_line(event, *read);
      }))
    ++dropped_;
}

void EventLog::failure(std::string_view event, const Failure &failure) noexcept {
  if (!tried([&] { return write_line(event, to_json(failure)); }))
    ++dropped_;
}

bool EventLog::write_line(std::string_view event, const Json &fields) {
  if (!fields.is_object())
    return false;
  const observe::DefaultFloats floats;
  std::string line = "{\"t\":" + seconds_text(std::chrono::steady_clock::now() - opened_);
  line += ",\"event\":" + dump(event);
  if (const pid_t process = getpid(); process != process_)
    line += ",\"pid\":" + std::to_string(process);
  line += fields.empty() ? "" : ",";
  line.append(dump(fields), 1);
  line += '\n';
  if (torn_.exchange(false))
    line.insert(line.begin(), '\n');
  // With O_APPEND, one write is one line also among threads and processes.
  const ssize_t count = ::write(file_.get(), line.data(), line.size());
  if (count == static_cast<ssize_t>(line.size()))
    return true;
  if (count > 0)
    torn_ = true;
  return false;
}

} // namespace sartor
