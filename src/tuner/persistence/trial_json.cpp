// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/persistence/trial_json.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/text/value_json.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

std::unexpected<Failure> bad_json(std::string message) {
  return std::unexpected(Failure{
      ErrorCode::bad_json, "", std::move(message),
      R"(write e.g. {"configuration":{"B":16},"score":1.5,"error":0.1,"sample_count":8} for a )"
      R"(trial, {"configuration":{"B":16},"mean":1.5} for a decision)"});
}

Result<Configuration> configuration_of(const Json &json) {
  if (!json.is_object() || !json.contains("configuration") || !json["configuration"].is_object())
    return bad_json("there is no configuration");
  try {
    return Configuration::from_json(dump(json["configuration"]));
  } catch (const Error &error) {
    return std::unexpected(error.failure());
  }
}

/// Sets `number` to a field, if the field exists.
template <class Number> Result<void> read(const Json &json, const char *key, Number &number) {
  if (!json.contains(key))
    return {};
  const auto value = value_from_json(json[key]);
  if (!value || value->is_symbol() || json[key].is_boolean())
    return bad_json(std::string(key) + " is no number");
  if (value->is_floating())
    number = static_cast<Number>(value->floating());
  else
    number = value->is_large() ? static_cast<Number>(value->bits())
                               : static_cast<Number>(value->integer());
  return {};
}

Result<void> read(const Json &json, const char *key, std::size_t &number) {
  if (json.contains(key) && !json[key].is_number_unsigned())
    return bad_json(std::string(key) + " is no count");
  number = json.value(key, number);
  return {};
}

Result<void> read(const Json &json, const char *key, bool &truth) {
  if (json.contains(key) && !json[key].is_boolean())
    return bad_json(std::string(key) + " is neither true nor false");
  truth = json.value(key, truth);
  return {};
}

Result<void> read_all(const Json & /*json*/) { return {}; }

/// Reads several fields, each after its key, up to the first that is wrong.
template <class Number, class... More>
Result<void> read_all(const Json &json, const char *key, Number &number, More &&...more) {
  auto done = read(json, key, number);
  return done ? read_all(json, more...) : done;
}

bool is_pairs(const Json &json) {
  return json.is_array() && std::ranges::all_of(json, [](const Json &pair) {
           return pair.is_array() && pair.size() == 2;
         });
}

Json requests_to_json(const std::vector<BucketCount> &requests) {
  Json pairs = Json::array();
  for (const auto &[bucket, count] : requests)
    pairs.push_back({bucket, count});
  return pairs;
}

Result<void> read_requests(const Json &json, std::vector<BucketCount> &requests) {
  if (!json.contains("requests"))
    return {};
  const auto is_counts = [](const Json &pair) {
    return pair[0].is_number_unsigned() && pair[1].is_number_unsigned() &&
           pair[0].get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max();
  };
  if (!is_pairs(json["requests"]) || !std::ranges::all_of(json["requests"], is_counts))
    return bad_json("requests are no list of a bucket and a count each");
  for (const Json &pair : json["requests"])
    requests.push_back({pair[0].get<std::uint32_t>(), pair[1].get<std::uint64_t>()});
  return {};
}

} // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
  case Verdict::better:
    return "better";
  case Verdict::no_gain:
    return "no_gain";
  case Verdict::undecided:
    break;
  }
  return "undecided";
}

Json trial_to_json(const Trial &trial) {
  Json json{{"configuration", Json::parse(trial.configuration.json())}};
  if (trial.failed) {
    json["failed"] = true;
    return json;
  }
  json["score"] = value_to_json(trial.score);
  json["error"] = value_to_json(trial.error);
  json["sample_count"] = trial.sample_count;
  if (trial.weight != 1)
    json["weight"] = value_to_json(trial.weight);
  if (trial.seconds > 0)
    json["seconds"] = value_to_json(trial.seconds);
  if (trial.reference != 0)
    json["reference"] = value_to_json(trial.reference);
  if (trial.cut_short)
    json["cut_short"] = true;
  if (!trial.requests.empty())
    json["requests"] = requests_to_json(trial.requests);
  for (const auto &[value, weight, requests] : trial.quantities) {
    Json &quantity = json["quantities"].emplace_back(
        Json{{"value", value_to_json(value)}, {"weight", value_to_json(weight)}});
    if (!requests.empty())
      quantity["requests"] = requests_to_json(requests);
  }
  for (const auto &[value, weight] : trial.bounds)
    json["bounds"].push_back({value_to_json(value), value_to_json(weight)});
  if (trial.breaks)
    json["breaks"] = *trial.breaks;
  return json;
}

/// Reads the data by which percentiles, several quantities and bounds are compared.
Result<void> read_evidence(const Json &json, Trial &trial) {
  if (auto done = read_requests(json, trial.requests); !done)
    return done;
  if (json.contains("quantities")) {
    if (!json["quantities"].is_array() ||
        !std::ranges::all_of(json["quantities"], [](const Json &each) { return each.is_object(); }))
      return bad_json("quantities are no list of objects");
    for (const Json &each : json["quantities"]) {
      QuantitySample &measured = trial.quantities.emplace_back();
      auto done = read_all(each, "value", measured.value, "weight", measured.weight);
      if (done)
        done = read_requests(each, measured.requests);
      if (!done)
        return done;
    }
  }
  if (json.contains("bounds")) {
    if (!is_pairs(json["bounds"]))
      return bad_json("bounds are no list of a value and a weight each");
    for (const Json &pair : json["bounds"]) {
      const Json named{{"value", pair[0]}, {"weight", pair[1]}};
      BoundSample &measured = trial.bounds.emplace_back();
      if (auto done = read_all(named, "value", measured.value, "weight", measured.weight); !done)
        return done;
    }
  }
  if (json.contains("breaks")) {
    std::size_t bound = 0;
    if (auto done = read(json, "breaks", bound); !done)
      return done;
    trial.breaks = bound;
  }
  return {};
}

Result<Trial> trial_from_json(const Json &json) {
  auto configuration = configuration_of(json);
  if (!configuration)
    return std::unexpected(std::move(configuration.error()));
  Trial trial{.configuration = std::move(*configuration)};
  auto done = read(json, "failed", trial.failed);
  if (done && !trial.failed && !json.contains("score"))
    return bad_json("there is no score");
  if (done)
    done = read_all(json, "score", trial.score, "error", trial.error, "sample_count",
                    trial.sample_count, "weight", trial.weight, "seconds", trial.seconds,
                    "reference", trial.reference, "cut_short", trial.cut_short);
  if (done)
    done = read_evidence(json, trial);
  if (!done)
    return std::unexpected(std::move(done.error()));
  return trial;
}

Json decision_to_json(const Decision &decision) {
  Json json{{"configuration", Json::parse(decision.configuration.json())},
            {"mean", value_to_json(decision.estimate.mean)},
            {"low", value_to_json(decision.estimate.low)},
            {"high", value_to_json(decision.estimate.high)},
            {"windows", decision.estimate.windows},
            {"gain", value_to_json(decision.gain.mean)},
            {"gain_low", value_to_json(decision.gain.low)},
            {"gain_high", value_to_json(decision.gain.high)},
            {"verdict", name_of(decision.verdict)}};
  if (decision.runner_up)
    json["runner_up"] = Json::parse(decision.runner_up->json());
  for (const Estimate &bound : decision.bounds)
    json["bounds"].push_back({{"mean", value_to_json(bound.mean)},
                              {"low", value_to_json(bound.low)},
                              {"high", value_to_json(bound.high)}});
  if (!decision.bounds.empty())
    json["keeps_bounds"] = decision.keeps_bounds;
  if (!decision.objective.empty()) {
    json["objective"] = decision.objective;
    json["unit"] = decision.unit;
  }
  return json;
}

Result<Decision> decision_from_text(std::string_view text) {
  const auto parsed = parse_json(text);
  if (!parsed)
    return std::unexpected(parsed.error());
  const Json &json = *parsed;
  auto configuration = configuration_of(json);
  if (!configuration)
    return std::unexpected(std::move(configuration.error()));
  Decision decision{.configuration = std::move(*configuration), .estimate = {}};
  auto done = read(json, "mean", decision.estimate.mean);
  decision.estimate.low = decision.estimate.high = decision.estimate.mean;
  if (done)
    done = read_all(json, "low", decision.estimate.low, "high", decision.estimate.high, "windows",
                    decision.estimate.windows);
  if (!done)
    return std::unexpected(std::move(done.error()));
  return decision;
}

} // namespace sartor
