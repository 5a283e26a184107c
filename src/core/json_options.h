// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_JSON_OPTIONS_H
#define SARTOR_CORE_JSON_OPTIONS_H

#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sartor/value.hpp>

#include "base/result.h"
#include "base/text/json.h"

namespace sartor::core {

/// Allowed values of a number; of a duration, in seconds.
struct Range {
  double above = -std::numeric_limits<double>::infinity();
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  double below = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool contains(double value) const {
    return value > above && value >= least && value <= most && value < below;
  }
  /// Returns e.g. `above 0 and at most 1`.
  [[nodiscard]] std::string text() const;
};

/// Message and remedy for a value that is not what an option takes.
struct WrongValue {
  std::string message;
  std::string remedy;
};
using Taken = std::expected<void, WrongValue>;

// Readers of values by their kind; durations are in seconds.

Taken take(const nlohmann::ordered_json &json, bool &flag);
Taken take(const nlohmann::ordered_json &json, double &number);
Taken take(const nlohmann::ordered_json &json, std::string &text);
Taken take(const nlohmann::ordered_json &json, std::filesystem::path &path);
Taken take(const nlohmann::ordered_json &json, std::set<std::string> &labels);
Taken take(const nlohmann::ordered_json &json, std::map<std::string, std::vector<Value>> &choices);

Taken take(const nlohmann::ordered_json &json, std::unsigned_integral auto &count) {
  using Count = std::remove_reference_t<decltype(count)>;
  if (!json.is_number_unsigned() || !std::in_range<Count>(json.get<std::uint64_t>()))
    return std::unexpected(
        WrongValue{dump(json) + " is no count", "give a whole number, not negative"});
  count = json.get<Count>();
  return {};
}

template <class Period>
Taken take(const nlohmann::ordered_json &json,
           std::chrono::duration<std::int64_t, Period> &duration) {
  // A year is more than any useful duration, and well within the range of the types.
  if (!json.is_number() || !(std::fabs(json.get<double>()) < 3.2e7))
    return std::unexpected(WrongValue{dump(json) + " is no duration", "give it in seconds"});
  using Duration = std::chrono::duration<std::int64_t, Period>;
  duration =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(json.get<double>()));
  return {};
}

template <class Member>
Taken take(const nlohmann::ordered_json &json, std::optional<Member> &member) {
  return json.is_null() ? Taken() : take(json, member.emplace());
}

/// An option that JSON gives by its name.
struct JsonOption {
  std::string name;
  std::function<Taken(const nlohmann::ordered_json &)> take_value;

  /// An option that is one member, whose type determines the values. `range` limits a number.
  template <class Member>
  JsonOption(std::string_view of, Member &member, Range range = {})
      : name(of), take_value([&member, range](const nlohmann::ordered_json &json) {
          Taken taken = take(json, member);
          if (taken && json.is_number() && !range.contains(json.get<double>()))
            taken = std::unexpected(
                WrongValue{dump(json) + " is not " + range.text(), "give one that is"});
          return taken;
        }) {}

  /// An option with a format of its own: `read` returns false for another.
  /// `remedy` describes the format.
  template <std::predicate<const nlohmann::ordered_json &> Read>
  JsonOption(std::string_view of, Read &&read, std::string_view remedy)
      : name(of), take_value([read = std::forward<Read>(read), remedy = std::string(remedy)](
                                 const nlohmann::ordered_json &json) -> Taken {
          if (read(json))
            return {};
          return std::unexpected(WrongValue{dump(json) + " is not what this option takes", remedy});
        }) {}
};

/// Reads an object of options; those that are not named keep their values. Fails with bad_json,
/// which names the option; for an unknown one, the message is `unknown`, and the remedy has the
/// nearest names.
Result<void> read_options(const nlohmann::ordered_json &object,
                          const std::vector<JsonOption> &options, std::string_view unknown);

} // namespace sartor::core

#endif
