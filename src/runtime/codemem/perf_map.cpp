// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/perf_map.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <mutex>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/reports.h"

namespace sartor::runtime {

namespace {

void append_hex(std::string &text, std::uint64_t number) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  text.append(digits.data(), end);
  text += ' ';
}

std::string line_of(const PerfMap::Function &function) {
  std::string line;
  append_hex(line, function.address);
  append_hex(line, function.bytes);
  line += function.name;
  std::ranges::replace(line, '\n', ' ');
  return line + '\n';
}

} // namespace

PerfMap &PerfMap::instance() {
  // Never destroyed: code may still be linked while the process exits.
  static auto *map = new PerfMap("/tmp");
  return *map;
}

void PerfMap::add(const std::vector<Function> &functions) {
  const std::lock_guard lock(mutex_);
  const bool is_open = open();
  for (const Function &function : functions)
    forget(function.address, function.address + function.bytes);
  std::vector<Line *> fresh;
  for (const Function &function : functions)
    fresh.push_back(
        &lines_.insert_or_assign(function.address, Line{function.bytes, line_of(function)})
             .first->second);
  if (is_open)
    for (Line *line : fresh)
      if (line->begin < 0)
        write(*line);
}

// A file of another process, or one that was removed, is not written to.
bool PerfMap::open() {
  struct stat status;
  const bool is_new_process = std::exchange(process_, getpid()) != getpid();
  const bool is_lost = !is_new_process && file_.get() >= 0 && !file_.is_still_ours();
  if (!is_new_process && refused_)
    return false;
  if (!is_new_process && !is_lost && fstat(file_.get(), &status) == 0 && status.st_nlink > 0)
    return true;
  const auto path = directory_ / ("perf-" + std::to_string(process_) + ".map");
  const base::FileIdentity before = file_.identity();
  if (is_lost) {
    base::report_descriptor_lost(ErrorCode::file_error, path.string(),
                                 "and the file is opened again");
    file_.forget();
  }
  auto file = base::open_to_append(path, base::Devices::refused);
  refused_ = !file;
  if (refused_) {
    if (!is_lost) // standard error may by now be a file of the program's, too
      base::complain(path.string() + " is not written: " + file.error());
    return false;
  }
  file_ = std::move(*file);
  if (!is_new_process && file_.identity() == before)
    return true; // all lines are in the file
  for (auto &[address, line] : lines_)
    write(line);
  return true;
}

void PerfMap::write(Line &line) {
  const auto size = static_cast<ssize_t>(line.text.size());
  const bool written =
      file_.is_still_ours() && ::write(file_.get(), line.text.data(), line.text.size()) == size;
  // Appended: the position is then the end of the written line.
  line.begin = written ? lseek(file_.get(), 0, SEEK_CUR) - size : -1;
}

// perf skips empty lines. A file that is open for appending cannot be written at other positions.
void PerfMap::blank(const Line &line) {
  if (line.begin < 0 || process_ != getpid() || !file_.is_still_ours())
    return;
  const std::string nothing(line.text.size(), '\n');
  const int flags = fcntl(file_.get(), F_GETFL);
  fcntl(file_.get(), F_SETFL, flags & ~O_APPEND);
  (void)!pwrite(file_.get(), nothing.data(), nothing.size(), line.begin);
  fcntl(file_.get(), F_SETFL, flags);
}

void PerfMap::forget(std::uint64_t begin, std::uint64_t end) {
  auto line = lines_.lower_bound(begin);
  if (line != lines_.begin() && std::prev(line)->first + std::prev(line)->second.bytes > begin)
    --line;
  while (line != lines_.end() && line->first < end) {
    blank(line->second);
    line = lines_.erase(line);
  }
}

} // namespace sartor::runtime
