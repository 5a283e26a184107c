// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/options.h"

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tuner/read_options.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

template <class Period> double number(std::chrono::duration<std::int64_t, Period> duration) {
  return std::chrono::duration<double>(duration).count();
}
template <class Number>
  requires std::is_arithmetic_v<Number>
double number(Number value) {
  return static_cast<double>(value);
}

Result<void> check(const OptionText &text, double value) {
  if (text.range.contains(value))
    return {};
  return std::unexpected(Failure{ErrorCode::bad_objective, std::string(text.name),
                                 "is " + dump(value) + ", not " + text.range.text(),
                                 "give one that is"});
}

/// Type and value of an option for describe().
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
  if (fine && options.longest_sample_time < options.sample_time)
    return std::unexpected(Failure{ErrorCode::bad_objective, "longest_sample_time",
                                   "is shorter than sample_time", "give e.g. 500 ms"});
  return fine;
}

ExplorerOptions ExplorerOptions::from_json(std::string_view text) {
  ExplorerOptions options;
  std::string strategy;
  SearchOptions search;
  std::vector<core::JsonOption> known;
  each_option(options, [&](const OptionText &option, auto &member) {
    known.emplace_back(option.name, member);
  });
  known.emplace_back(strategy_text.name, strategy);
  known.emplace_back(seed_text.name, search.seed);
  or_throw(read_all(text, known));
  if (strategy.empty())
    return options;
  search.most_trials = options.most_trials;
  (void)make_strategy(strategy, SearchSpace(), search); // reports an unknown name immediately
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

Result<RaceOptions> race_options_from_json(std::string_view text) {
  RaceOptions options;
  auto done = read_all(text, {{"error_probability", options.error_probability},
                              {"tolerance", options.tolerance},
                              {"most_samples", options.most_samples},
                              {"seed", options.seed}});
  if (!done)
    return std::unexpected(std::move(done.error()));
  return options;
}

} // namespace sartor
