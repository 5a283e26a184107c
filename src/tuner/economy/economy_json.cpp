// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>

#include <sartor/economy.hpp>

#include "base/json.h"

namespace sartor {

namespace {

using Json = nlohmann::ordered_json;

/// Null where there is no end.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json interval(const Estimate &estimate) {
  return {{"mean", number(estimate.mean)},
          {"low", number(estimate.low)},
          {"high", number(estimate.high)}};
}

const char *text_of(Worth worth) {
  return worth == Worth::worth_it       ? "worth it"
         : worth == Worth::not_worth_it ? "not worth it"
                                        : "not sure";
}

} // namespace

std::string Economy::json() const {
  Json told = {{"fact", fact}, {"objective", objective}, {"worth", text_of(worth)}};
  if (!missing.empty())
    told["missing"] = missing;
  told["windows"] = gain.windows;
  told["gain"] = interval(gain);
  told["gain_per_call"] = interval(gain_per_call);
  told["calls_between_breaks"] = interval(calls_between_breaks);
  told["benefit"] = interval(benefit);
  told["specializing"] = specializing;
  told["guarding"] = interval(guarding);
  told["breaking"] = interval(breaking);
  told["cost"] = interval(cost);
  told["calls_per_second"] = calls_per_second;
  told["processors"] = processors;
  told["seconds_held"] = seconds_held;
  told["broken"] = broken;
  told["held"] = held;
  told["made"] = made;
  told["seconds_left_alone"] = seconds_left_alone;
  return dump(told);
}

} // namespace sartor
