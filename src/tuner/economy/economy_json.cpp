// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/economy.hpp>

#include "base/text/json.h"

namespace sartor {

namespace {

using Json = nlohmann::ordered_json;

Json interval(const Estimate &estimate) {
  return {{"mean", estimate.mean}, {"low", estimate.low}, {"high", estimate.high}};
}

const char *text_of(Worth worth) {
  return worth == Worth::worth_it       ? "worth it"
         : worth == Worth::not_worth_it ? "not worth it"
                                        : "not sure";
}

} // namespace

std::string Economy::json() const {
  Json reported = {
      {"quasi_invariant", quasi_invariant}, {"objective", objective}, {"worth", text_of(worth)}};
  if (!missing.empty())
    reported["missing"] = missing;
  reported["windows"] = gain.windows;
  reported["gain"] = interval(gain);
  reported["gain_per_call"] = interval(gain_per_call);
  reported["calls_between_invalidations"] = interval(calls_between_invalidations);
  reported["benefit"] = interval(benefit);
  reported["specializing"] = specializing;
  reported["guarding"] = interval(guarding);
  reported["invalidating"] = interval(invalidating);
  reported["cost"] = interval(cost);
  reported["calls_per_second"] = calls_per_second;
  reported["processors"] = processors;
  reported["seconds_valid"] = seconds_valid;
  reported["invalidated"] = invalidated;
  reported["held"] = held;
  reported["made"] = made;
  reported["seconds_left_alone"] = seconds_left_alone;
  return dump(reported);
}

} // namespace sartor
