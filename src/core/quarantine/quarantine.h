// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_QUARANTINE_QUARANTINE_H
#define SARTOR_CORE_QUARANTINE_QUARANTINE_H

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/cache/cache_files.h"
#include "core/quarantine/quarantine_entry.h"

namespace sartor::core {

/// The directory that a runtime uses if Options::state_directory is `chosen`: that one, or
/// $XDG_STATE_HOME/sartor, or ~/.local/state/sartor. Empty if none is chosen and there is no home
/// directory, or the program runs with raised rights, which ignores the environment.
std::filesystem::path state_directory(const std::filesystem::path &chosen);

/// The folder of entries in a state directory.
constexpr const char *kQuarantineFolder = "quarantine";
/// The beginning of the name of a crash marker: `crashed.<process>.<key>`. It contains an entry.
constexpr std::string_view kMarkerPrefix = "crashed.";

/// The requests whose variants are not activated on this machine: a file for each in
/// `<state>/quarantine`, which all processes of a user share. It is checked who can write there,
/// because an entry that somebody removes activates wrong code. Doubt quarantines: while another
/// user can write there, everything is; a file that cannot be read still quarantines its key.
///
/// A request of this process is quarantined for it even if it could not be written. Thread-safe.
class Quarantine {
public:
  /// `state` as of state_directory(). If it is empty, nothing is written or read.
  explicit Quarantine(std::filesystem::path state, const char *folder = kQuarantineFolder);

  /// True if variants of the request must not be activated: one of them has differed, or one of
  /// its family has crashed a process. Costs a system call or two, and two more each second; none
  /// of the first while the folder does not exist.
  [[nodiscard]] bool contains(const QuarantineKey &key) {
    return contains(key.hash) || (key.family != key.hash && contains(key.family));
  }
  /// True if there is an entry for this key.
  [[nodiscard]] bool contains(const base::ContentKey &key);
  /// The entry in the file of the key; nothing if there is none that can be read.
  [[nodiscard]] std::optional<QuarantineEntry> find(const base::ContentKey &key) const;
  /// The error for such a request: quarantined, or file_error if all are because of the folder.
  [[nodiscard]] Failure refusal(const QuarantineKey &key, const std::string &variant);

  /// Adds an entry, or updates the one of that key. A process is counted once for each key. Fails
  /// with file_error.
  Result<void> add(QuarantineEntry entry);
  /// Turns the crash markers of processes that have ended into entries. Fails with file_error.
  Result<std::vector<QuarantineEntry>> take_crashes();

  /// All entries, the newest first, also of other builds. Fails with file_error.
  [[nodiscard]] Result<std::vector<QuarantineEntry>> list() const;
  /// Removes an entry and its crash markers. Returns false if there is none. A running process that
  /// has added it keeps it. Fails with file_error.
  [[nodiscard]] Result<bool> remove(const std::string &key) const;
  /// Removes all files. Returns the number of requests that were quarantined. Fails with
  /// file_error.
  [[nodiscard]] Result<std::size_t> clear() const;

  [[nodiscard]] const std::filesystem::path &folder() const { return folder_; }

private:
  using Clock = std::chrono::steady_clock;

  /// Whether there is a folder. Fails with file_error if others can write to it.
  [[nodiscard]] Result<bool> look() const;
  /// The same, at most once a second.
  Result<bool> look_sometimes() SARTOR_REQUIRES(mutex_);
  /// Opens the folder. The handle is negative if there is none.
  [[nodiscard]] Result<FileHandle> open(bool make) const;
  [[nodiscard]] QuarantineEntry read(const FileHandle &folder, const std::string &key) const;
  Result<void> write(const FileHandle &folder, QuarantineEntry entry, bool counts) const;
  [[nodiscard]] Result<void> make_room(const FileHandle &folder, const std::string &build) const;

  const std::filesystem::path state_;
  const std::filesystem::path folder_;
  base::Mutex mutex_; ///< Guards the following members.
  std::set<std::string> added_;
  std::optional<Result<bool>> seen_; ///< The last result of look().
  Clock::time_point looked_;
};

} // namespace sartor::core

#endif
