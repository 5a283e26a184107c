// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/settle.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/readers.h"

namespace sartor::base {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// Number of times that a thread's run time must be seen to have grown. The first growth may be from
// before the start; after the second, the thread may have been stopped at the same instruction by a
// page fault.
constexpr unsigned kGrowths = 3;

/// Used if no information about threads is available.
constexpr auto kLongEnough = 50ms;

constexpr auto kPeriod = 500us;

/// The beginning of a small file, or the error number if it cannot be read.
struct Text {
  std::array<char, 128> bytes{};
  std::size_t size = 0;
  int error = 0;

  [[nodiscard]] std::string_view view() const { return {bytes.data(), size}; }
};

Text read_of(pid_t thread, const char *file) {
  std::array<char, 64> path{};
  (void)std::snprintf(path.data(), path.size(), "/proc/self/task/%d/%s", thread, file);
  Text text;
  const int opened = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) {
    text.error = errno;
    return text;
  }
  const ssize_t count = read(opened, text.bytes.data(), text.bytes.size());
  text.error = count < 0 ? errno : 0;
  text.size = count < 0 ? 0 : static_cast<std::size_t>(count);
  close(opened);
  return text;
}

bool lacks_descriptors(int error) { return error == EMFILE || error == ENFILE; }

// The format is "NUMBER (NAME) STATE ..."; a name may contain parentheses.
bool sleeps(std::string_view stat) {
  const std::size_t end = stat.rfind(") ");
  return end != std::string_view::npos && end + 2 < stat.size() && stat[end + 2] == 'S';
}

/// A thread that is not known to have advanced.
class Stopped {
public:
  explicit Stopped(pid_t thread) : thread_(thread) {}

  bool has_gone_on(bool &lacks) {
    // The number of the system call that it is in; else `running`, or -1 for a fault.
    const Text call = read_of(thread_, "syscall");
    if (call.size > 0 && call.bytes[0] >= '0' && call.bytes[0] <= '9')
      return true;
    // The file belongs to another user, since the process has dropped its privileges; the state is
    // readable by all users.
    if (call.error == EACCES || call.error == EPERM) {
      const Text stat = read_of(thread_, "stat");
      if (sleeps(stat.view()))
        return true;
      lacks = lacks || lacks_descriptors(stat.error);
    }
    // The run time, as recorded by the kernel on the thread's own processor.
    const Text ran = read_of(thread_, "schedstat");
    if (ran.error == ENOENT || ran.error == ESRCH)
      return true; // it has ended
    lacks = lacks || lacks_descriptors(call.error) || lacks_descriptors(ran.error);
    if (ran.size > 0 && ran.view() != ran_.view()) {
      growths_ += ran_.size > 0 ? 1 : 0;
      ran_ = ran;
    }
    return growths_ >= kGrowths;
  }

private:
  pid_t thread_;
  Text ran_;
  unsigned growths_ = 0;
};

/// Nothing if they cannot be listed, with the error's number in errno.
std::optional<std::vector<Stopped>> other_threads() {
  DIR *directory = opendir("/proc/self/task");
  if (!directory)
    return std::nullopt;
  std::vector<Stopped> threads;
  while (const dirent *entry = readdir(directory)) {
    const auto number = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (number > 0 && number != gettid())
      threads.emplace_back(number);
  }
  closedir(directory);
  return threads;
}

} // namespace

Settled settle(std::chrono::nanoseconds at_most) {
  const auto end = Clock::now() + at_most;
  fence_for_all();
  auto threads = other_threads();
  while (!threads && lacks_descriptors(errno) && Clock::now() < end) {
    std::this_thread::sleep_for(kPeriod);
    threads = other_threads();
  }
  if (!threads && lacks_descriptors(errno))
    return Settled::no_descriptors;
  if (!threads) { // /proc is not available
    std::this_thread::sleep_for(kLongEnough);
    return Settled::yes;
  }
  for (bool lacks = false; !threads->empty(); std::this_thread::sleep_for(kPeriod)) {
    std::erase_if(*threads, [&](Stopped &thread) { return thread.has_gone_on(lacks); });
    if (!threads->empty() && Clock::now() >= end)
      return lacks ? Settled::no_descriptors : Settled::too_busy;
  }
  return Settled::yes;
}

} // namespace sartor::base
