// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/options.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "explore/keep/trial_json.h"
#include "space/constraints_json.h"
#include "space/nearest.h"
#include "value/value_json.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

std::unexpected<Failure> bad_option(const std::string &option, std::string message,
                                    std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::bad_json, option, std::move(message), std::move(remedy)});
}

Result<void> read(const std::string &option, const Json &json, double &number) {
  if (!json.is_number())
    return bad_option(option, dump(json) + " is no number", "give one");
  number = json.get<double>();
  return {};
}

Result<void> read(const std::string &option, const Json &json, std::unsigned_integral auto &count) {
  if (!json.is_number_unsigned())
    return bad_option(option, dump(json) + " is no count", "give a whole number, not negative");
  count = json.get<std::uint64_t>();
  return {};
}

template <class Period>
Result<void> read(const std::string &option, const Json &json,
                  std::chrono::duration<std::int64_t, Period> &duration) {
  // A year is beyond anything, and well within what the types hold.
  if (!json.is_number() || !(std::fabs(json.get<double>()) < 3.2e7))
    return bad_option(option, dump(json) + " is no duration", "give it in seconds");
  using Duration = std::chrono::duration<std::int64_t, Period>;
  duration =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(json.get<double>()));
  return {};
}

Result<void> read(const std::string &option, const Json &json, std::filesystem::path &path) {
  if (!json.is_string())
    return bad_option(option, dump(json) + " is no path", "give the name of a file");
  path = json.get<std::string>();
  return {};
}

Result<void> read(const std::string &option, const Json &json,
                  std::optional<std::chrono::microseconds> &duration) {
  if (json.is_null())
    return {};
  std::chrono::microseconds some{};
  if (auto done = read(option, json, some); !done)
    return done;
  duration = some;
  return {};
}

Result<void> read(const std::string &option, const Json &json,
                  std::map<std::string, std::vector<Value>> &choices) {
  if (!json.is_object())
    return bad_option(option, dump(json) + " is no object", R"(write e.g. {"N":[64,256]})");
  for (const auto &[label, values] : json.items()) {
    auto &listed = choices[label];
    for (const Json &one : values) {
      auto value = value_from_json(one);
      if (!values.is_array() || !value)
        return bad_option(option, dump(values) + " is no list of values",
                          R"(write e.g. {"N":[64,256]})");
      listed.push_back(std::move(*value));
    }
  }
  return {};
}

Result<void> read(const std::string &option, const Json &json, std::set<std::string> &labels) {
  const auto is_text = [](const Json &one) { return one.is_string(); };
  if (!json.is_array() || !std::ranges::all_of(json, is_text))
    return bad_option(option, dump(json) + " is no list of labels", R"(write e.g. ["B"])");
  labels = json.get<std::set<std::string>>();
  return {};
}

Result<void> read(const std::string &option, const Json &json, bool &flag) {
  if (!json.is_boolean())
    return bad_option(option, dump(json) + " is neither true nor false", "give one of them");
  flag = json.get<bool>();
  return {};
}

Result<void> read(const std::string &option, const Json &json, std::string &text) {
  if (!json.is_string())
    return bad_option(option, dump(json) + " is no text", "give a name");
  text = json.get<std::string>();
  return {};
}

/// Of a text that has options by their names.
struct Option {
  std::string name;
  std::function<Result<void>(const std::string &, const Json &)> take;

  template <class Target>
  Option(std::string_view of, Target &target)
      : name(of), take([&target](const std::string &option, const Json &json) {
          return read(option, json, target);
        }) {}
};

Result<void> read_all(std::string_view text, const std::vector<Option> &options) {
  const auto json = parse_json(text);
  if (!json)
    return bad_option("", json.error().message, R"(write e.g. {"most_trials":20})");
  if (!json->is_object())
    return bad_option("", "the options are no JSON object", R"(write e.g. {"most_trials":20})");
  for (const auto &[key, field] : json->items()) {
    const auto option = std::ranges::find(options, key, &Option::name);
    if (option == options.end()) {
      std::vector<std::string> names;
      for (const Option &one : options)
        names.push_back(one.name);
      return bad_option(key, "there is no such option", nearest_names(key, names));
    }
    if (auto taken = option->take(key, field); !taken)
      return taken;
  }
  return {};
}

template <class Period> double number(std::chrono::duration<std::int64_t, Period> duration) {
  return std::chrono::duration<double>(duration).count();
}
template <class Number>
  requires std::is_arithmetic_v<Number>
double number(Number value) {
  return static_cast<double>(value);
}

Result<void> check(const OptionText &text, double value) {
  const auto &[above, least, most, below] = text.range;
  if (value > above && value >= least && value <= most && value < below)
    return {};
  std::string wanted;
  for (const auto &[bound, says] : {std::pair(above, "above "), std::pair(least, "at least "),
                                    std::pair(most, "at most "), std::pair(below, "below ")})
    if (std::isfinite(bound))
      wanted += (wanted.empty() ? "" : " and ") + std::string(says) + dump(bound);
  return std::unexpected(Failure{ErrorCode::bad_objective, std::string(text.name),
                                 "is " + dump(value) + ", not " + wanted, "give one that is"});
}

/// What describe() says an option is, and its value.
std::pair<const char *, Json> described(const std::map<std::string, std::vector<Value>> &) {
  return {"values", Json::object()};
}
std::pair<const char *, Json> described(const std::set<std::string> &) {
  return {"labels", Json::array()};
}
std::pair<const char *, Json> described(const std::filesystem::path &path) {
  return {"path", path.string()};
}
std::pair<const char *, Json> described(const std::string &text) { return {"text", text}; }
std::pair<const char *, Json> described(bool flag) { return {"flag", flag}; }
std::pair<const char *, Json> described(double value) { return {"number", value}; }
std::pair<const char *, Json> described(std::uint64_t count) { return {"count", count}; }
template <class Period>
std::pair<const char *, Json> described(std::chrono::duration<std::int64_t, Period> duration) {
  return {"seconds", number(duration)};
}
std::pair<const char *, Json> described(std::optional<std::chrono::microseconds>) {
  return {"seconds", nullptr};
}

constexpr OptionText strategy_text{
    "strategy", "the name of a strategy that nominates: `exhaustive`, `random`, ..."};
constexpr OptionText seed_text{"seed", "of a strategy that is given by its name"};

} // namespace

Result<void> check(const ExplorerOptions &options) {
  Result<void> fine;
  each_option(options, [&]<class Member>(const OptionText &text, const Member &member) {
    if constexpr (requires { number(member); }) {
      if (fine)
        fine = check(text, number(member));
    } else if constexpr (requires { number(*member); }) {
      if (fine && member)
        fine = check(text, number(*member));
    }
  });
  if (fine && options.longest_slice < options.slice)
    return std::unexpected(Failure{ErrorCode::bad_objective, "longest_slice",
                                   "is shorter than slice", "give e.g. 500 ms"});
  return fine;
}

ExplorerOptions ExplorerOptions::from_json(std::string_view text) {
  ExplorerOptions options;
  std::string strategy;
  SearchOptions search;
  std::vector<Option> known;
  each_option(options, [&](const OptionText &option, auto &member) {
    known.emplace_back(option.name, member);
  });
  known.emplace_back(strategy_text.name, strategy);
  known.emplace_back(seed_text.name, search.seed);
  or_throw(read_all(text, known));
  if (strategy.empty())
    return options;
  search.most_trials = options.most_trials;
  (void)make_strategy(strategy, SearchSpace(), search); // an unknown name is told now
  options.strategy = [strategy, search](const SearchSpace &space) {
    return make_strategy(strategy, space, search);
  };
  return options;
}

std::string ExplorerOptions::describe() {
  Json list = Json::array();
  const auto add = [&](const OptionText &option, const auto &member) {
    const auto [type, value] = described(member);
    list.push_back(
        {{"name", option.name}, {"type", type}, {"default", value}, {"says", option.says}});
  };
  const ExplorerOptions defaults;
  each_option(defaults, add);
  add(strategy_text, std::string());
  add(seed_text, SearchOptions().seed);
  return dump(list);
}

Result<SearchOptions> search_options_from_json(std::string_view text) {
  SearchOptions options;
  auto done = read_all(text, {{"most_trials", options.most_trials}, {"seed", options.seed}});
  if (!done)
    return std::unexpected(std::move(done.error()));
  return options;
}

} // namespace sartor
