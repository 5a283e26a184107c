// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/keep/trial_json.h"

#include <string>
#include <utility>

#include "value/value_json.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

std::unexpected<Failure> bad_json(std::string message) {
  return std::unexpected(
      Failure{ErrorCode::bad_json, "", std::move(message),
              R"(write e.g. {"configuration":{"B":16},"score":1.5,"error":0.1,"slices":8} for a )"
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

/// Sets `number` to a field, if it is there.
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
  json["slices"] = trial.slices;
  if (trial.weight != 1)
    json["weight"] = value_to_json(trial.weight);
  if (trial.seconds > 0)
    json["seconds"] = value_to_json(trial.seconds);
  if (trial.reference != 0)
    json["reference"] = value_to_json(trial.reference);
  if (trial.cut_short)
    json["cut_short"] = true;
  for (const auto &[name, part] : trial.parts)
    json["parts"][name] = {{"score", value_to_json(part.score)},
                           {"error", value_to_json(part.error)}};
  return json;
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
    done = read(json, "score", trial.score);
  if (done)
    done = read(json, "error", trial.error);
  if (done)
    done = read(json, "slices", trial.slices);
  if (done)
    done = read(json, "weight", trial.weight);
  if (done)
    done = read(json, "seconds", trial.seconds);
  if (done)
    done = read(json, "reference", trial.reference);
  if (done)
    done = read(json, "cut_short", trial.cut_short);
  if (done && json.contains("parts") && !json["parts"].is_object())
    return bad_json("parts is no object");
  if (json.contains("parts"))
    for (const auto &[name, part] : json["parts"].items()) {
      PartScore &score = trial.parts[name];
      if (done && !part.contains("score"))
        return bad_json("part \"" + name + "\" has no score");
      if (done)
        done = read(part, "score", score.score);
      if (done)
        done = read(part, "error", score.error);
    }
  if (!done)
    return std::unexpected(std::move(done.error()));
  return trial;
}

Json decision_to_json(const Decision &decision) {
  return {{"configuration", Json::parse(decision.configuration.json())},
          {"mean", value_to_json(decision.estimate.mean)},
          {"low", value_to_json(decision.estimate.low)},
          {"high", value_to_json(decision.estimate.high)},
          {"windows", decision.estimate.windows},
          {"gain", value_to_json(decision.gain.mean)},
          {"gain_low", value_to_json(decision.gain.low)},
          {"gain_high", value_to_json(decision.gain.high)},
          {"verdict", name_of(decision.verdict)}};
}

Result<Decision> decision_from_json(const Json &json) {
  auto configuration = configuration_of(json);
  if (!configuration)
    return std::unexpected(std::move(configuration.error()));
  Decision decision{.configuration = std::move(*configuration), .estimate = {}};
  auto done = read(json, "mean", decision.estimate.mean);
  decision.estimate.low = decision.estimate.high = decision.estimate.mean;
  if (done)
    done = read(json, "low", decision.estimate.low);
  if (done)
    done = read(json, "high", decision.estimate.high);
  if (done)
    done = read(json, "windows", decision.estimate.windows);
  if (!done)
    return std::unexpected(std::move(done.error()));
  return decision;
}

Result<Trial> trial_from_text(std::string_view text) {
  const auto json = parse_json(text);
  return json ? trial_from_json(*json) : std::unexpected(json.error());
}

Result<Decision> decision_from_text(std::string_view text) {
  const auto json = parse_json(text);
  return json ? decision_from_json(*json) : std::unexpected(json.error());
}

} // namespace sartor
