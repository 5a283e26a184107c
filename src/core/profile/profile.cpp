// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/profile.hpp>

#include <algorithm>

#include "base/result.h"
#include "core/profile/order.h"

namespace sartor {

namespace {

constexpr std::size_t kMostEntries = 4096;

std::string call_text(const PointProfile &point) {
  std::string text(to_string(point.kind));
  text += " of type " + point.type.text();
  for (std::size_t i = 0; i < point.arguments.size(); ++i)
    text += (i == 0 ? " of (" : ", ") + point.arguments[i].text();
  return point.arguments.empty() ? text : text + ')';
}

/// Nothing if the labels in both profiles are the same points. `may_lack`: they need not be in
/// both.
std::optional<Failure> difference(const Profile &mine, const Profile &other, bool may_lack) {
  for (const auto &[label, theirs] : other.points()) {
    const PointProfile *known = mine.find(label);
    if (known ? call_text(*known) != call_text(theirs) : !may_lack)
      return Failure{ErrorCode::wrong_profile, label,
                     "is a " + call_text(theirs) + " in the profile, and " +
                         (known ? "a " + call_text(*known) : "unknown") + " to this program",
                     "load a profile of this program"};
  }
  return std::nullopt;
}

std::optional<Failure> cannot_merge(const Profile &mine, const Profile &other) {
  const bool is_same_program = mine.program() == other.program();
  // A text that was changed may have the name of this program.
  if (auto failure = difference(mine, other, /*may_lack=*/is_same_program);
      failure || is_same_program)
    return failure;
  for (const auto &[label, point] : mine.points())
    if (!other.find(label))
      return Failure{ErrorCode::wrong_profile, label, "is unknown to the profile",
                     "load a profile of this program"};
  return Failure{ErrorCode::wrong_profile, other.program(),
                 "is the profile of a program with the same points but other handlers",
                 "make the profile anew with this program"};
}

void merge_results(ProfileEntry &into, const ProfileEntry &from) {
  if (into.result == from.result && into.version == from.version)
    return;
  const auto newer =
      into.version && from.version ? static_cast<std::int64_t>(*from.version - *into.version) : 0;
  if (newer > 0) {
    into.result = from.result;
    into.version = from.version;
  } else if (newer == 0) {
    into.result.reset();
  }
}

void purge(PointProfile &point) {
  while (point.entries.size() > kMostEntries) {
    const std::uint64_t median = point.entries[point.entries.size() / 2].count; // sorted by count
    point.error_bound += median;
    for (ProfileEntry &entry : point.entries) {
      const std::uint64_t amount = std::min(entry.count, median);
      entry.count -= amount;
      point.other += amount;
    }
    std::erase_if(point.entries, [](const ProfileEntry &entry) { return entry.count == 0; });
  }
}

void merge_point(PointProfile &into, const PointProfile &from) {
  into.count += from.count;
  into.other += from.other;
  into.error_bound += from.error_bound;
  std::vector<ProfileEntry> all = into.entries; // may be those of `from`
  all.insert(all.end(), from.entries.begin(), from.entries.end());
  std::ranges::sort(all, before, &ProfileEntry::inputs);
  into.entries.clear();
  for (ProfileEntry &entry : all) {
    if (into.entries.empty() || before(into.entries.back().inputs, entry.inputs)) {
      into.entries.push_back(std::move(entry));
    } else {
      into.entries.back().count += entry.count;
      merge_results(into.entries.back(), entry);
    }
  }
  most_frequent_first(into.entries);
  purge(into);
}

} // namespace

double PointProfile::share(std::size_t top) const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < std::min(top, entries.size()); ++i)
    sum += entries[i].count;
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

Profile::Profile(std::string program, Points points)
    : program_(std::move(program)), points_(std::move(points)) {}

const PointProfile *Profile::find(std::string_view label) const {
  const auto it = points_.find(label);
  return it == points_.end() ? nullptr : &it->second;
}

void Profile::merge(const Profile &other) {
  if (auto failure = cannot_merge(*this, other))
    throw Error(std::move(*failure));
  for (const auto &[label, point] : other.points_)
    if (const auto [mine, is_new] = points_.try_emplace(label, point); !is_new)
      merge_point(mine->second, point);
}

} // namespace sartor
