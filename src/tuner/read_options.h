// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_READ_OPTIONS_H
#define SARTOR_TUNER_READ_OPTIONS_H

#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <sartor/value.hpp>

#include "base/result.h"
#include "base/text/json.h"

namespace sartor {

// Options that are given by their names, in JSON. All functions fail with bad_json, which names the
// option.

std::unexpected<Failure> bad_option(const std::string &option, std::string message,
                                    std::string remedy);

Result<void> read(const std::string &option, const nlohmann::ordered_json &json, double &number);
Result<void> read(const std::string &option, const nlohmann::ordered_json &json,
                  std::filesystem::path &path);
Result<void> read(const std::string &option, const nlohmann::ordered_json &json,
                  std::optional<std::chrono::microseconds> &duration);
Result<void> read(const std::string &option, const nlohmann::ordered_json &json,
                  std::map<std::string, std::vector<Value>> &choices);
Result<void> read(const std::string &option, const nlohmann::ordered_json &json,
                  std::set<std::string> &labels);
Result<void> read(const std::string &option, const nlohmann::ordered_json &json, bool &flag);
Result<void> read(const std::string &option, const nlohmann::ordered_json &json, std::string &text);

Result<void> read(const std::string &option, const nlohmann::ordered_json &json,
                  std::unsigned_integral auto &count) {
  if (!json.is_number_unsigned())
    return bad_option(option, dump(json) + " is no count", "give a whole number, not negative");
  count = json.get<std::uint64_t>();
  return {};
}

template <class Period>
Result<void> read(const std::string &option, const nlohmann::ordered_json &json,
                  std::chrono::duration<std::int64_t, Period> &duration) {
  // A year is more than any useful duration, and well within the range of the types.
  if (!json.is_number() || !(std::fabs(json.get<double>()) < 3.2e7))
    return bad_option(option, dump(json) + " is no duration", "give it in seconds");
  using Duration = std::chrono::duration<std::int64_t, Period>;
  duration =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(json.get<double>()));
  return {};
}

/// An option of a text, with its name and the function that reads it.
struct Option {
  std::string name;
  std::function<Result<void>(const std::string &, const nlohmann::ordered_json &)> take;

  template <class Target>
  Option(std::string_view of, Target &target)
      : name(of), take([&target](const std::string &option, const nlohmann::ordered_json &json) {
          return read(option, json, target);
        }) {}
};

Result<void> read_all(std::string_view text, const std::vector<Option> &options);

} // namespace sartor

#endif
