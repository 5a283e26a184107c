// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PROFILE_HPP
#define SARTOR_PROFILE_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sartor/error.hpp>
#include <sartor/space.hpp>
#include <sartor/value.hpp>

namespace sartor {

/// An input of a point, and how often it was seen.
struct ProfileEntry {
  /// The value, or a call's arguments. Pointers are the names of symbols if these are known, else
  /// addresses.
  std::vector<Value> inputs = {};
  std::uint64_t count = 0;
  /// For a call: its last result. Empty if threads disagree about it.
  std::optional<Value> result = {};
  /// For a versioned fast path: the version at which it had that result.
  std::optional<std::uint64_t> version = {};

  bool operator==(const ProfileEntry &) const = default;
};

/// The profile of one point. If the point is sampled, counts are multiplied by the sampling
/// distance: they estimate the true ones. Enumerations and ranges of up to 4096 values are counted
/// individually, and `error_bound` is zero; for other points the most frequent values are known
/// (for a sampled one, the error bound is that of the estimates).
struct PointProfile {
  PointKind kind = PointKind::generic;
  PointType type = {};                   ///< Type of the value, or of a call's result.
  std::vector<PointType> arguments = {}; ///< For a call.
  std::uint64_t count = 0;               ///< Number of executions of the point.
  /// Most frequent first. The true count of an entry is in [count, count + error_bound].
  std::vector<ProfileEntry> entries = {};
  std::uint64_t other = 0; ///< Part of `count` that is not in the entries.
  /// Upper bound of the count of any input that is not in `entries` (if the point is counted
  /// individually: of any input in its range).
  std::uint64_t error_bound = 0;

  /// Lower bound of the share of all executions that have one of the `top` most frequent inputs: 0
  /// to 1.
  [[nodiscard]] double share(std::size_t top) const;
  bool operator==(const PointProfile &) const = default;
};

/// Result of instrumentation, by label. A value type.
class Profile {
public:
  using Points = std::map<std::string, PointProfile, std::less<>>;

  Profile() = default;
  /// `program` identifies the handler modules.
  explicit Profile(std::string program, Points points = {});

  [[nodiscard]] const std::string &program() const noexcept { return program_; }
  [[nodiscard]] const Points &points() const noexcept { return points_; }
  /// Null if there is no such label.
  [[nodiscard]] const PointProfile *find(std::string_view label) const;

  /// Adds another profile of the same program. Counts and error bounds add up; with more than 4096
  /// entries a point keeps the more frequent half and increases its error bound (D. Anderson et
  /// al., IMC 2017, section 3). Throws wrong_profile, having changed nothing.
  void merge(const Profile &other);

  [[nodiscard]] std::string json() const;
  /// Throws bad_json.
  static Profile from_json(std::string_view text);

  bool operator==(const Profile &) const = default;

private:
  std::string program_;
  Points points_;
};

} // namespace sartor

#endif
