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

/// What a point has seen a number of times.
struct ProfileEntry {
  /// The value, or a call's arguments. Pointers are the names of symbols where they are known,
  /// else addresses.
  std::vector<Value> inputs = {};
  std::uint64_t count = 0;
  /// Of a call: what it gave the last time. Empty where threads disagree about it.
  std::optional<Value> result = {};
  /// Of a versioned fast path: the version at which it gave that.
  std::optional<std::uint64_t> version = {};

  bool operator==(const ProfileEntry &) const = default;
};

/// What one point has seen. Where it is sampled, counts are multiplied by the sampling's distance:
/// estimates of the true ones. Enumerations and ranges of up to 4096 values have been counted one
/// by one, and `error_bound` is zero; of other points the most frequent values are known (of a
/// sampled one, the error bound is that of the estimates).
struct PointProfile {
  PointKind kind = PointKind::generic;
  PointType type = {};                   ///< Of the value, or of a call's result.
  std::vector<PointType> arguments = {}; ///< Of a call.
  std::uint64_t count = 0;               ///< Times that control came by.
  /// Most frequent first. The true count of one lies in [count, count + error_bound].
  std::vector<ProfileEntry> entries = {};
  std::uint64_t other = 0; ///< Of `count`, what the entries do not account for.
  /// What is not in `entries` has been seen this often at most (where the point is counted one by
  /// one: what lies in its range).
  std::uint64_t error_bound = 0;

  /// The part of all times that the `top` most frequent inputs account for, at least: 0 to 1.
  [[nodiscard]] double share(std::size_t top) const;
  bool operator==(const PointProfile &) const = default;
};

/// What instrumentation has seen, by label. A value.
class Profile {
public:
  using Points = std::map<std::string, PointProfile, std::less<>>;

  Profile() = default;
  /// `program` tells handler modules apart.
  explicit Profile(std::string program, Points points = {});

  [[nodiscard]] const std::string &program() const noexcept { return program_; }
  [[nodiscard]] const Points &points() const noexcept { return points_; }
  /// Null if there is no such label.
  [[nodiscard]] const PointProfile *find(std::string_view label) const;

  /// Adds what another one of the same program has seen. Counts and error bounds add up; beyond
  /// 4096 entries a point keeps the frequent half, at the cost of the error bound (D. Anderson et
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
