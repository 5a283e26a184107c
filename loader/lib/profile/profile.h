// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_PROFILE_PROFILE_H
#define SARTOR_LOADER_LIB_PROFILE_PROFILE_H

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace sartor::loader {

/// An address in a library, independent of where the library's file is.
struct ProfiledPlace {
  std::string build_id;  ///< Hexadecimal.
  std::uint64_t address; ///< Address in the file, usually a function's.

  auto operator<=>(const ProfiledPlace &) const = default;
};

/// Counts of samples in functions and of calls between them. The text form is
///
///     sartor-profile 1
///     library BUILDID NAME
///     function BUILDID ADDRESS COUNT
///     call BUILDID ADDRESS BUILDID ADDRESS COUNT
///
/// with hexadecimal addresses, in any order, with empty lines and comments (#).
class Profile {
public:
  /// Parses a profile. `source` is used in errors. Fails with bad_settings, whose subject is
  /// SOURCE:LINE.
  static Result<Profile> parse(std::string_view text, const std::string &source);
  /// Fails with bad_settings, and with file_error if the file is no readable file of less than
  /// 64 MiB.
  static Result<Profile> read(const std::filesystem::path &path);
  /// True if a text is a profile's, damaged or not.
  static bool is_profile(std::string_view text);

  void name(const std::string &build_id, const std::string &name) { names_[build_id] = name; }
  /// Adds counts; they stay at the largest number.
  void count(const ProfiledPlace &function, std::uint64_t count);
  void count(const ProfiledPlace &caller, const ProfiledPlace &callee, std::uint64_t count);
  void add(const Profile &other);

  [[nodiscard]] const std::map<std::string, std::string> &names() const { return names_; }
  [[nodiscard]] const std::map<ProfiledPlace, std::uint64_t> &functions() const {
    return functions_;
  }
  /// Returns the counts of calls, by caller and callee.
  [[nodiscard]] const std::map<std::pair<ProfiledPlace, ProfiledPlace>, std::uint64_t> &
  calls() const {
    return calls_;
  }
  [[nodiscard]] std::string text() const;

private:
  std::map<std::string, std::string> names_; ///< Libraries' names, by build id.
  std::map<ProfiledPlace, std::uint64_t> functions_;
  std::map<std::pair<ProfiledPlace, ProfiledPlace>, std::uint64_t> calls_;
};

/// Adds to a count, which stays at the largest number.
void add_count(std::uint64_t &to, std::uint64_t count);

/// Reads a text file completely. Fails with file_error if it is no regular file, cannot be read, or
/// is larger than `most` bytes.
Result<std::string> read_text(const std::filesystem::path &path, std::uint64_t most);

} // namespace sartor::loader

#endif
