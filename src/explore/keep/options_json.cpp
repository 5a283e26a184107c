// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/keep/options_json.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "explore/keep/trial_json.h"
#include "point/constraints_json.h"
#include "point/nearest.h"
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

struct Option {
  std::string name;
  std::function<Result<void>(const std::string &, const Json &)> take;

  template <class Target>
  Option(std::string of, Target &target)
      : name(std::move(of)), take([&target](const std::string &option, const Json &json) {
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

} // namespace

Result<ExplorerOptions> explorer_options_from_json(std::string_view text) {
  ExplorerOptions options;
  std::string strategy;
  SearchOptions search;
  auto done = read_all(text, {{"slice", options.slice},
                              {"longest_slice", options.longest_slice},
                              {"slice_events", options.slice_events},
                              {"choices", options.choices},
                              {"unguarded", options.unguarded},
                              {"error_probability", options.error_probability},
                              {"tolerance", options.tolerance},
                              {"most_slices", options.most_slices},
                              {"confirm_for", options.confirm_for},
                              {"settle", options.settle},
                              {"most_trials", options.most_trials},
                              {"regression_budget", options.regression_budget},
                              {"watch", options.watch},
                              {"watch_budget", options.watch_budget},
                              {"watch_window", options.watch_window},
                              {"journal", options.journal},
                              {"strategy", strategy},
                              {"seed", search.seed}});
  if (!done)
    return std::unexpected(std::move(done.error()));
  if (strategy.empty())
    return options;
  search.most_trials = options.most_trials;
  try {
    (void)make_strategy(strategy, SearchSpace(), search);
  } catch (const Error &error) {
    return std::unexpected(error.failure());
  }
  options.strategy = [strategy, search](const SearchSpace &space) {
    return make_strategy(strategy, space, search);
  };
  return options;
}

Result<SearchOptions> search_options_from_json(std::string_view text) {
  SearchOptions options;
  auto done = read_all(text, {{"most_trials", options.most_trials}, {"seed", options.seed}});
  if (!done)
    return std::unexpected(std::move(done.error()));
  return options;
}

} // namespace sartor
