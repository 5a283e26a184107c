// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/crash_marker.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <initializer_list>
#include <map>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/environment.h"
#include "core/quarantine/quarantine.h"
#include "runtime/signals/fault_handlers.h"

namespace sartor::runtime {

namespace {

constexpr std::array<int, 5> kSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

/// Text on the stack of a signal handler, which may be small. Text that does not fit is left out.
template <std::size_t kMost> class Text {
public:
  Text &operator<<(std::string_view text) {
    for (const char each : text)
      if (size_ < kMost)
        bytes_[size_++] = each;
    return *this;
  }
  Text &operator<<(std::int64_t number) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }
  [[nodiscard]] const char *c_str() {
    bytes_[size_] = '\0';
    return bytes_;
  }
  [[nodiscard]] std::size_t size() const { return size_; }

private:
  char bytes_[kMost + 1];
  std::size_t size_ = 0;
};

// The functions from here to look() run in the signal handler: no memory is allocated there.

/// Opens the folder, which is created if it is missing. Negative if that fails, or if another user
/// can write to it.
int open_folder(const MarkerFolder &folder) {
  const auto open_it = [&] {
    return open(folder.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  };
  int opened = open_it();
  if (opened < 0 && errno == ENOENT) {
    for (const std::string &each : folder.directories)
      mkdir(each.c_str(), S_IRWXU);
    opened = open_it();
  }
  struct stat status;
  if (opened < 0 || (fstat(opened, &status) == 0 && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
                     (status.st_uid == geteuid() || status.st_uid == 0)))
    return opened;
  close(opened);
  return -1;
}

/// Writes the file under another name first, because a process may be reading markers now. On a
/// full disk it is empty, which suffices.
void write_marker(int folder, const Marker &marker, int signal) {
  constexpr std::size_t kMostName = 128;
  Text<kMostName> name, temporary;
  name << core::kMarkerPrefix << std::int64_t{getpid()} << "." << marker.key;
  temporary << "." << name.c_str() << ".tmp";
  unlinkat(folder, temporary.c_str(), 0); // of an earlier process with this number
  const int file = openat(folder, temporary.c_str(),
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0)
    return;
  const std::int64_t now = time(nullptr);
  Text<kMostName> head;
  head << R"({"signal":)" << std::int64_t{signal} << R"(,"first":)" << now << R"(,"last":)" << now
       << ",";
  const std::array<iovec, 2> parts{
      iovec{const_cast<char *>(head.c_str()), head.size()},
      iovec{const_cast<char *>(marker.text.data()), marker.text.size()}};
  (void)!writev(file, parts.data(), static_cast<int>(parts.size()));
  close(file);
  renameat(folder, temporary.c_str(), folder, name.c_str());
}

/// The address of the instruction that caused a signal; 0 if none did.
std::uintptr_t cause_of(int signal, const siginfo_t &info, const ucontext_t &context) {
  const auto next = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
  const bool is_memory_error = // of the hardware
      signal == SIGBUS && (info.si_code == BUS_MCEERR_AR || info.si_code == BUS_MCEERR_AO);
  if (info.si_code <= 0 || is_memory_error) // sent by a process
    return 0;
  if (signal != SIGTRAP)
    return next;
  // int3, whose end is reported. Debuggers cause the signal otherwise.
  return info.si_code == SI_KERNEL || info.si_code == TRAP_BRKPT ? next - 1 : 0;
}

bool look(int signal, const siginfo_t *info, void *context) {
  const std::uintptr_t cause = cause_of(signal, *info, *static_cast<ucontext_t *>(context));
  const Marker *const marker = cause == 0 ? nullptr : CoveredCode::instance().find(cause);
  if (!marker)
    return false;
  if (const int folder = open_folder(*marker->folder); folder >= 0) {
    write_marker(folder, *marker, signal);
    close(folder);
  }
  return false;
}

void install_handlers() {
  for (const int signal : kSignals)
    (void)FaultHandlers::install(signal, FaultHandlers::Place::crashes, look);
}

/// Never freed: markers refer to it.
const MarkerFolder &folder_of(const std::filesystem::path &state) {
  static base::Mutex &mutex = *new base::Mutex;
  static auto &all = *new std::map<std::string, MarkerFolder>;
  std::error_code error;
  std::filesystem::path path = std::filesystem::absolute(state, error) / core::kQuarantineFolder;
  const base::MutexLock lock(mutex);
  const auto [found, is_new] = all.try_emplace(path.string());
  if (is_new) {
    found->second.path = path.string();
    std::filesystem::path prefix;
    for (const std::filesystem::path &part : path) {
      prefix /= part;
      found->second.directories.push_back(prefix.string());
    }
  }
  return found->second;
}

} // namespace

std::optional<CrashMarker> CrashMarker::install(const std::filesystem::path &state) {
  if (state.empty() || base::are_raised())
    return std::nullopt;
  (void)CoveredCode::instance(); // made here, not in a signal handler
  const CrashMarker marker(folder_of(state));
  install_handlers();
  return marker;
}

void CrashMarker::cover(const void *begin, std::size_t bytes, const core::QuarantineKey &key,
                        std::string_view name) const {
  // Of the family: words that depend on the run may keep other processes from recognizing objects,
  // and the next crash would be in service again.
  core::QuarantineEntry entry =
      quarantine_entry(key, std::string(name), core::QuarantineReason::crashed);
  entry.key = base::to_text(key.family);
  auto json = to_json(entry);
  for (const char *at_crash : {"signal", "first", "last"})
    json.erase(at_crash);
  CoveredCode::instance().add(reinterpret_cast<std::uintptr_t>(begin), bytes,
                              {folder_, entry.key, dump(json).substr(1)});
  install_handlers();
}

void CrashMarker::uncover(const void *begin) {
  CoveredCode::instance().remove(reinterpret_cast<std::uintptr_t>(begin));
}

} // namespace sartor::runtime
