// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/report_json.h"

#include <chrono>
#include <optional>

#include "base/fold_report_json.h"
#include "base/json.h"
#include "core/space/nearest.h"

namespace sartor::bpf {

namespace {

using Json = nlohmann::ordered_json;

// A timeout of more than a day is an error.
constexpr double kLongestSeconds = 86400;

std::unexpected<Failure> bad(const std::string &subject, std::string message, std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::bad_json, subject, std::move(message), std::move(remedy)});
}

/// Returns whether the value has the option's type; nullopt if there is no such option.
std::optional<bool> read_option(const std::string &name, const Json &value, BpfOptions &options) {
  if (name == "name" || name == "pins") {
    if (!value.is_string())
      return false;
    if (name == "name")
      options.name = value.get<std::string>();
    else
      options.pins = value.get<std::string>();
    return true;
  }
  if (name != "compile_timeout")
    return std::nullopt;
  const double seconds = value.is_number() ? value.get<double>() : 0;
  options.compile_timeout = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::duration<double>(seconds < kLongestSeconds ? seconds : 0));
  return options.compile_timeout.count() > 0;
}

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

Json to_json(const BpfVariant &variant) {
  return {{"handler", variant.handler},
          {"name", variant.name},
          {"configuration", Json::parse(variant.configuration.json())},
          {"program", variant.program},
          {"instructions", variant.instructions},
          {"verified_instructions", variant.verified_instructions},
          {"native_bytes", variant.native_bytes},
          {"compile_time", seconds(variant.compile_time)},
          {"load_time", seconds(variant.load_time)},
          {"remarks", to_json(variant.remarks)}};
}

Json to_json(const BpfMap &map) {
  return {{"name", map.name},
          {"key_bytes", map.key_bytes},
          {"value_bytes", map.value_bytes},
          {"max_entries", map.max_entries},
          {"read_mostly", map.read_mostly},
          {"invariant_writers",
           map.invariant_writers ? Json(to_string(*map.invariant_writers)) : Json()},
          {"sees_programs", map.sees_programs},
          {"other_programs", map.other_programs}};
}

template <class T> std::string text_of_all(const std::vector<T> &each) {
  Json all = Json::array();
  for (const T &one : each)
    all.push_back(to_json(one));
  return dump(all);
}

} // namespace

Result<BpfOptions> options_from_json(const std::string &json) {
  const auto parsed = parse_json(json);
  if (!parsed || !parsed->is_object())
    return bad("options", "is not a JSON object", R"(write e.g. {"compile_timeout": 20})");
  BpfOptions options;
  const std::vector<std::string> names{"compile_timeout", "name", "pins"};
  for (const auto &[name, value] : parsed->items()) {
    const std::optional<bool> fits = read_option(name, value, options);
    if (!fits)
      return bad(name, "is no option", nearest_names(name, names));
    if (!*fits)
      return bad(name, dump(value) + " is not what this option takes",
                 "see sartor::BpfOptions; durations are in seconds");
  }
  return options;
}

Result<std::vector<std::string>> labels_from_json(const std::string &json) {
  const auto parsed = parse_json(json);
  std::vector<std::string> labels;
  if (parsed && parsed->is_array())
    for (const Json &label : *parsed)
      if (label.is_string())
        labels.push_back(label.get<std::string>());
  if (!parsed || !parsed->is_array() || labels.size() != parsed->size())
    return bad("labels", "is no list of labels", R"(write e.g. ["ports","lookup"])");
  return labels;
}

std::string text(const std::vector<std::string> &names) { return dump(Json(names)); }
std::string text(const BpfVariant &variant) { return dump(to_json(variant)); }
std::string text(const std::vector<BpfVariant> &variants) { return text_of_all(variants); }
std::string text(const std::vector<BpfMap> &maps) { return text_of_all(maps); }

} // namespace sartor::bpf
