// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/doctor/check.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/text/json.h"
#include "tools/cli/layout.h"

namespace sartor::cli {

namespace {

const char *name_of(Check::State state) {
  switch (state) {
  case Check::State::ok:
    return "ok";
  case Check::State::note:
    return "note";
  case Check::State::warning:
    return "warning";
  case Check::State::error:
    return "error";
  }
  std::unreachable();
}

std::string counted(const Checks &checks, Check::State state) {
  const auto count = std::ranges::count(checks, state, &Check::state);
  return std::to_string(count) + " " + name_of(state) + (count == 1 ? "" : "s");
}

} // namespace

bool has_error(const Checks &checks) {
  return std::ranges::find(checks, Check::State::error, &Check::state) != checks.end();
}

std::string text_of(const Checks &checks) {
  std::vector<std::vector<std::string>> rows;
  for (const Check &check : checks) {
    rows.push_back({name_of(check.state), check.subject, check.found});
    if (!check.remedy.empty())
      rows.push_back({"", "", "fix: " + check.remedy});
  }
  return table(rows) + counted(checks, Check::State::error) + ", " +
         counted(checks, Check::State::warning) + "\n";
}

std::string json_of(const Checks &checks) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Check &check : checks)
    rows.push_back({{"state", name_of(check.state)},
                    {"subject", check.subject},
                    {"found", check.found},
                    {"remedy", check.remedy}});
  return dump(rows);
}

} // namespace sartor::cli
