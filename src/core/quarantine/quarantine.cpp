// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/quarantine/quarantine.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/life.h"
#include "base/trust.h"

namespace sartor::core {

namespace {

constexpr std::string_view kSuffix = ".json";
constexpr std::string_view kTemporarySuffix = ".tmp";
constexpr const char *kLockFile = ".lock";
constexpr std::size_t kKeyDigits = 2 * sizeof(base::ContentKey);
constexpr std::uint64_t kMostBytes = 128 << 10;
constexpr std::size_t kMostEntries = 1000;
/// How often the lock is tried, and the pause between. Its owner may be stopped or hang.
constexpr unsigned kTries = 100;
constexpr std::chrono::milliseconds kPause{5};
constexpr std::chrono::seconds kLooksEvery{1};

std::unexpected<Failure> failed(const std::filesystem::path &path, std::string what,
                                std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::file_error, path.string(), std::move(what), std::move(remedy)});
}

std::unexpected<Failure> failed(const std::filesystem::path &path, std::string_view what,
                                int error) {
  return failed(path, std::string(what) + ": " + std::generic_category().message(error),
                "make it usable, or name another directory with SARTOR_STATE_DIR");
}

bool is_key(std::string_view text) {
  return text.size() == kKeyDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The key that an entry's file is named by; empty for another file.
std::string_view key_of_entry(std::string_view name) {
  return name.ends_with(kSuffix) && is_key(name.substr(0, name.size() - kSuffix.size()))
             ? name.substr(0, name.size() - kSuffix.size())
             : std::string_view();
}

std::string_view key_of_marker(std::string_view name) {
  if (!name.starts_with(kMarkerPrefix))
    return {};
  const std::size_t dot = name.find('.', kMarkerPrefix.size());
  return dot != std::string_view::npos && is_key(name.substr(dot + 1)) ? name.substr(dot + 1)
                                                                       : std::string_view();
}

/// An unfinished file of a process that may have ended.
bool is_temporary(std::string_view name) {
  return name.starts_with('.') && name.ends_with(kTemporarySuffix);
}

std::string file_of(std::string_view key) { return std::string(key) + std::string(kSuffix); }

std::vector<std::string> names_in(const FileHandle &folder) {
  std::vector<std::string> names;
  const int handle = openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR *)> stream(
      handle < 0 ? nullptr : fdopendir(handle),
      [](DIR *open) { return open ? closedir(open) : 0; });
  if (!stream) {
    if (handle >= 0)
      ::close(handle);
    return names;
  }
  while (const dirent *found = readdir(stream.get())) // NOLINT: the stream is ours alone
    names.emplace_back(found->d_name);
  return names;
}

/// Excludes other processes, unless one holds the lock for long: then a count may be too small.
FileHandle lock(const FileHandle &folder) {
  FileHandle file(openat(folder.get(), kLockFile,
                         O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  for (unsigned i = 0; i < kTries && file.get() >= 0; ++i) {
    if (flock(file.get(), LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR))
      break;
    std::this_thread::sleep_for(kPause);
  }
  return file;
}

/// Whether this is the first time that this process, or its child after a fork, counts for a file.
bool is_first(const std::filesystem::path &file) {
  static auto &mutex = *new base::Mutex; // both are used by threads at exit
  static auto &seen = *new std::set<std::string>;
  static unsigned generation = base::generation();
  const base::MutexLock held(mutex);
  if (std::exchange(generation, base::generation()) != base::generation())
    seen.clear();
  return seen.insert(file.string()).second;
}

/// Whether a folder exists. Another user who can write to `path`, or replace it, could change what
/// is in it. A folder that everybody can write to may be the parent of one that no other user can
/// replace if it is sticky, like /tmp.
Result<bool> is_folder(const std::filesystem::path &path, bool may_be_sticky) {
  struct stat status;
  const int flags = may_be_sticky ? 0 : AT_SYMLINK_NOFOLLOW;
  if (fstatat(AT_FDCWD, path.c_str(), &status, flags) != 0) {
    // No process of this user has written a directory that this user cannot reach.
    if (errno == ENOENT || errno == ENOTDIR || errno == EACCES)
      return false;
    return failed(path, "cannot be examined", errno);
  }
  if (!S_ISDIR(status.st_mode))
    return failed(path, "is not a directory", "remove it");
  const bool is_sticky = may_be_sticky && (status.st_mode & S_ISVTX) != 0;
  if (auto why = base::distrust(path, status, is_sticky ? 0 : S_IWGRP | S_IWOTH))
    return failed(path, std::move(why->what),
                  std::move(why->remedy) + ", or name another directory with SARTOR_STATE_DIR");
  return true;
}

/// Passes on what was opened. If that is no folder, fails if there may be one, although this user
/// cannot reach it. No process of this user has written there, so that only the commands that show
/// or remove entries need this.
Result<FileHandle> or_absent(Result<FileHandle> opened, const std::filesystem::path &folder) {
  struct stat status;
  if (!opened || opened->get() >= 0 || folder.empty() ||
      fstatat(AT_FDCWD, folder.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 || errno == ENOENT)
    return opened;
  return failed(folder, "cannot be examined", errno);
}

} // namespace

std::filesystem::path state_directory(const std::filesystem::path &chosen) {
  if (!chosen.empty())
    return chosen;
  // Both are hidden from a program that runs with raised rights.
  if (const char *state = secure_getenv("XDG_STATE_HOME"); state && *state == '/')
    return std::filesystem::path(state) / "sartor";
  const char *home = secure_getenv("HOME");
  return home && *home == '/' ? std::filesystem::path(home) / ".local/state/sartor"
                              : std::filesystem::path();
}

Quarantine::Quarantine(std::filesystem::path state, const char *folder)
    : state_(std::move(state)),
      folder_(state_.empty() ? std::filesystem::path() : state_ / folder) {}

Result<bool> Quarantine::look() const {
  if (state_.empty())
    return false;
  const auto outer = is_folder(state_, /*may_be_sticky=*/true);
  if (outer && !*outer)
    return false;
  const auto inner = is_folder(folder_, /*may_be_sticky=*/false);
  return inner && *inner && !outer ? outer : inner;
}

Result<bool> Quarantine::look_sometimes() {
  const auto now = Clock::now();
  if (!seen_ || now - looked_ >= kLooksEvery) {
    seen_ = look();
    looked_ = now;
  }
  return *seen_;
}

bool Quarantine::contains(const base::ContentKey &key) {
  const std::string text = base::to_text(key);
  {
    const base::MutexLock held(mutex_);
    if (added_.contains(text))
      return true;
    const auto exists = look_sometimes();
    if (!exists || !*exists)
      return !exists;
  }
  struct stat status;
  return fstatat(AT_FDCWD, (folder_ / file_of(text)).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 ||
         errno != ENOENT;
}

std::optional<QuarantineEntry> Quarantine::find(const base::ContentKey &key) const {
  const auto folder = open(/*make=*/false);
  auto entry = folder && folder->get() >= 0 ? read(*folder, base::to_text(key)) : QuarantineEntry();
  return entry.key.empty() || !entry.damage.empty() ? std::nullopt
                                                    : std::optional(std::move(entry));
}

Failure Quarantine::refusal(const QuarantineKey &key, const std::string &variant) {
  const std::string text = base::to_text(contains(key.hash) ? key.hash : key.family);
  const auto folder = open(/*make=*/false);
  if (!folder)
    return folder.error();
  const QuarantineEntry entry = folder->get() < 0 ? QuarantineEntry() : read(*folder, text);
  const std::string why = entry.key.empty() ? "is quarantined since this process has seen it fail"
                          : !entry.damage.empty() ? "is quarantined; the entry " + entry.damage
                                                  : "is quarantined (" + text_of(entry) + ")";
  return {ErrorCode::quarantined, variant, why,
          "see details with sartor quarantine show " + text.substr(0, 12) +
              "; allow it again with sartor quarantine remove " + text.substr(0, 12)};
}

Result<FileHandle> Quarantine::open(bool make) const {
  const auto exists = look();
  if (!exists)
    return std::unexpected(exists.error());
  if (!*exists && !make)
    return FileHandle(-1);
  if (state_.empty())
    return failed("state directory", "is not known",
                  "set HOME, SARTOR_STATE_DIR or Options::state_directory");
  if (!*exists)
    if (auto outer = open_directory(state_, /*make=*/true); !outer)
      return outer;
  auto folder = open_directory(folder_, make);
  if (const auto still = look(); !still)
    return std::unexpected(still.error());
  return folder;
}

QuarantineEntry Quarantine::read(const FileHandle &folder, const std::string &key) const {
  const auto damaged = [&](std::string why) {
    QuarantineEntry entry;
    entry.key = key;
    entry.damage = std::move(why);
    return entry;
  };
  const auto found = read_file(folder, file_of(key), /*mark_used=*/false, kMostBytes);
  if (!found && found.error() == ENOENT)
    return {};
  if (!found)
    return damaged("cannot be read: " + std::generic_category().message(found.error()));
  if (auto why = why_not_trusted(found->status); !why.empty())
    return damaged(std::move(why));
  auto entry = read_quarantine_entry(found->bytes);
  if (!entry)
    return damaged(std::move(entry.error().message));
  if (entry->key != key)
    return damaged("holds the entry of another key");
  return std::move(*entry);
}

Result<void> Quarantine::make_room(const FileHandle &folder, const std::string &build) const {
  std::vector<QuarantineEntry> others;
  std::size_t count = 0;
  for (const std::string &name : names_in(folder)) {
    const std::string key(key_of_entry(name));
    if (!key.empty() && ++count >= kMostEntries)
      break;
  }
  if (count < kMostEntries)
    return {};
  // Entries of another build are not used any more; those of failed compiles only save time.
  for (const std::string &name : names_in(folder))
    if (const std::string key(key_of_entry(name)); !key.empty())
      if (QuarantineEntry entry = read(folder, key);
          entry.damage.empty() && (entry.build != build || is_of_compile(entry.reason)))
        others.push_back(std::move(entry));
  const auto oldest = std::ranges::min_element(others, {}, &QuarantineEntry::last);
  if (oldest != others.end() && unlinkat(folder.get(), file_of(oldest->key).c_str(), 0) == 0)
    return {};
  return failed(folder_, "has " + std::to_string(kMostEntries) + " entries",
                "sartor quarantine clear");
}

Result<void> Quarantine::write(const FileHandle &folder, QuarantineEntry entry, bool counts) const {
  const QuarantineEntry before = read(folder, entry.key);
  if (before.key.empty()) {
    if (auto room = make_room(folder, entry.build); !room)
      return room;
  } else if (before.damage.empty()) {
    entry.first = std::min(before.first, entry.first);
    if (before.last <= std::time(nullptr)) // otherwise the clock was set back since
      entry.last = std::max(before.last, entry.last);
    entry.processes = before.processes + (counts ? 1 : 0);
    if (entry.reproducer.empty())
      entry.reproducer = before.reproducer;
  }
  static std::atomic<unsigned> number = 0;
  const std::string temporary = "." + entry.key + "." + std::to_string(getpid()) + "." +
                                std::to_string(number++) + std::string(kTemporarySuffix);
  const std::string text = dump(to_json(entry)) + "\n";
  auto written = write_file(folder, file_of(entry.key), temporary, text);
  // Left by a process with this number that was killed. Each container has a first process.
  if (!written && written.error() == EEXIST && unlinkat(folder.get(), temporary.c_str(), 0) == 0)
    written = write_file(folder, file_of(entry.key), temporary, text);
  if (!written)
    return failed(folder_ / file_of(entry.key), "cannot be written", written.error());
  return {};
}

Result<void> Quarantine::add(QuarantineEntry entry) {
  if (!is_key(entry.key))
    return failed(entry.key, "is not a key", "use quarantine_key()");
  {
    const base::MutexLock held(mutex_);
    added_.insert(entry.key);
  }
  if (state_.empty())
    return {};
  const auto folder = open(/*make=*/true);
  if (!folder)
    return std::unexpected(folder.error());
  const FileHandle locked = lock(*folder);
  const bool counts = is_first(folder_ / entry.key);
  return write(*folder, std::move(entry), counts);
}

Result<std::vector<QuarantineEntry>> Quarantine::take_crashes() {
  std::vector<QuarantineEntry> crashes;
  const auto folder = open(/*make=*/false);
  if (!folder)
    return std::unexpected(folder.error());
  if (folder->get() < 0)
    return crashes;
  const auto is_marker = [](const std::string &name) { return !key_of_marker(name).empty(); };
  if (std::ranges::none_of(names_in(*folder), is_marker))
    return crashes;
  const FileHandle locked = lock(*folder);
  std::optional<Failure> problem;
  for (const std::string &name : names_in(*folder)) {
    const std::string key(key_of_marker(name));
    if (key.empty())
      continue;
    // The name alone quarantines the key: the disk may have been full.
    const auto found = read_file(*folder, name, /*mark_used=*/false, kMostBytes);
    auto entry = found ? read_quarantine_entry(found->bytes)
                       : Result<QuarantineEntry>(std::unexpected(Failure()));
    if (!entry || entry->key != key) {
      entry = quarantine_entry({}, "", QuarantineReason::crashed);
      entry->key = key;
    }
    entry->reason = QuarantineReason::crashed;
    entry->processes = 1;
    if (auto written = write(*folder, *entry, /*counts=*/true); !written) {
      problem = std::move(written.error());
      const base::MutexLock held(mutex_);
      added_.insert(key);
    } else {
      unlinkat(folder->get(), name.c_str(), 0);
    }
    crashes.push_back(std::move(*entry));
  }
  if (problem)
    return std::unexpected(std::move(*problem));
  return crashes;
}

Result<std::vector<QuarantineEntry>> Quarantine::list() const {
  std::vector<QuarantineEntry> entries;
  const auto folder = or_absent(open(/*make=*/false), folder_);
  if (!folder)
    return std::unexpected(folder.error());
  if (folder->get() < 0)
    return entries;
  for (const std::string &name : names_in(*folder))
    if (const std::string key(key_of_entry(name)); !key.empty())
      if (QuarantineEntry entry = read(*folder, key); !entry.key.empty())
        entries.push_back(std::move(entry));
  std::ranges::sort(entries, std::ranges::greater(),
                    [](const QuarantineEntry &entry) { return std::pair(entry.last, entry.key); });
  return entries;
}

namespace {

/// Removes the files that `is_meant` accepts. Returns the number of requests that they quarantine.
Result<std::size_t> remove_files(const std::filesystem::path &path, const FileHandle &folder,
                                 const std::function<bool(std::string_view)> &is_meant) {
  std::set<std::string> removed; // a request may have an entry and markers
  for (const std::string &name : names_in(folder)) {
    if (!is_meant(name))
      continue;
    if (unlinkat(folder.get(), name.c_str(), 0) != 0 && errno != ENOENT)
      return failed(path / name, "cannot be removed", errno);
    for (const std::string_view key : {key_of_entry(name), key_of_marker(name)})
      if (!key.empty())
        removed.emplace(key);
  }
  return removed.size();
}

} // namespace

Result<bool> Quarantine::remove(const std::string &key) const {
  const auto folder = or_absent(open(/*make=*/false), folder_);
  if (!folder)
    return std::unexpected(folder.error());
  if (folder->get() < 0)
    return false;
  const FileHandle locked = lock(*folder);
  const auto removed = remove_files(folder_, *folder, [&](std::string_view name) {
    return key_of_entry(name) == key || key_of_marker(name) == key;
  });
  if (!removed)
    return std::unexpected(removed.error());
  return *removed != 0;
}

Result<std::size_t> Quarantine::clear() const {
  const auto folder = or_absent(open(/*make=*/false), folder_);
  if (!folder)
    return std::unexpected(folder.error());
  if (folder->get() < 0)
    return 0;
  const FileHandle locked = lock(*folder);
  return remove_files(folder_, *folder, [](std::string_view name) {
    return !key_of_entry(name).empty() || !key_of_marker(name).empty() || is_temporary(name);
  });
}

} // namespace sartor::core
