// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/event_log.h"

#include <array>
#include <charconv>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "base/default_floats.h"
#include "base/environment.h"
#include "base/no_pipe_signal.h"
#include "base/text/json.h"
#include "base/thread/no_cancel.h"

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

/// True if the disk was full when an earlier run wrote the last line.
bool ends_within_line(const base::FileHandle &file, const std::filesystem::path &path) {
  struct stat status;
  if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
    return false;
  const base::FileHandle same(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  char last = '\n';
  return same.identity() == file.identity() &&
         pread(same.get(), &last, 1, status.st_size - 1) == 1 && last != '\n';
}

// Treats exhausted memory like a full disk.
template <class Write> bool tried(Write write) noexcept {
  const base::NoCancel no_cancel;
  try {
    return write();
  } catch (...) {
    return false;
  }
}

} // namespace

Result<std::unique_ptr<EventLog>> EventLog::open(const std::filesystem::path &path) {
  auto file = base::open_to_append(path, base::Devices::allowed);
  if (!file)
    return std::unexpected(Failure{ErrorCode::file_error, path.string(), std::move(file.error()),
                                   "name an event log that can be written"});
  const bool is_torn = ends_within_line(*file, path);
  std::error_code error; // for a deleted directory
  auto absolute = std::filesystem::absolute(path, error);
  std::unique_ptr<EventLog> log(new EventLog(error ? path : absolute, std::move(*file)));
  log->torn_ = is_torn;
  return log;
}

std::unique_ptr<EventLog> EventLog::in_memory() { return std::unique_ptr<EventLog>(new EventLog); }

EventLog::EventLog() : file_(nullptr), process_(getpid()) {}

EventLog::EventLog(std::filesystem::path path, base::FileHandle file)
    : path_(std::move(path)), file_(new File{std::move(file), nullptr}), process_(getpid()) {}

EventLog::~EventLog() { delete file_.load(); }

// A link such as /dev/stderr may by now refer to a file of the program.
EventLog::File *EventLog::file() {
  File *const lost = file_.load();
  if (lost->handle.is_still_ours())
    return lost;
  auto opened = base::open_to_append(path_, base::Devices::allowed);
  if (!opened || (path_.parent_path() == "/dev" && opened->identity() != lost->handle.identity())) {
    // Standard error may be a file of the program by now, too.
    if (base::FileIdentity(STDERR_FILENO) == standard_error_)
      base::complain(path_.string() +
                     ": the program has closed the event log, which cannot be opened again" +
                     (opened ? "" : ": " + opened.error()));
    return nullptr;
  }
  auto own = std::make_unique<File>(std::move(*opened), nullptr);
  File *now = lost;
  if (!file_.compare_exchange_strong(now, own.get()))
    return now; // another thread was faster
  File *const made = own.release();
  made->before.reset(lost);
  const Failure failure{ErrorCode::file_error, path_.string(),
                        "the program has closed the event log, which is opened again by its path",
                        "close only what the program has opened itself"};
  if (!write_to(made->handle, line_of("descriptor_lost", to_json(failure))))
    ++dropped_;
  return made;
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
  const base::DefaultFloats floats;
  std::string line = line_of(event, fields);
  if (ring_)
    ring_->append(event, line);
  if (path_.empty())
    return true;
  const File *to = file();
  return to && write_to(to->handle, std::move(line));
}

std::string EventLog::line_of(std::string_view event, const Json &fields) const {
  std::string line = "{\"t\":" + seconds_text(std::chrono::steady_clock::now() - opened_);
  line += ",\"event\":" + dump(event);
  if (const pid_t process = getpid(); process != process_)
    line += ",\"pid\":" + std::to_string(process);
  line += fields.empty() ? "" : ",";
  line.append(dump(fields), 1);
  return line;
}

bool EventLog::write_to(const base::FileHandle &file, std::string line) {
  line += '\n';
  const bool was_torn = torn_.exchange(false);
  if (was_torn)
    line.insert(line.begin(), '\n');
  const base::NoPipeSignal no_signal; // the reader of standard error may have ended
  // With O_APPEND, a line written by one call stays whole among threads and processes.
  const ssize_t count = ::write(file.get(), line.data(), line.size());
  if (count == static_cast<ssize_t>(line.size()))
    return true;
  if (count > 0 || was_torn)
    torn_ = true;
  return false;
}

} // namespace sartor
