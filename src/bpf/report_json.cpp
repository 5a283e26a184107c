// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/report_json.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

#include "base/text/fold_report_json.h"
#include "base/text/json.h"
#include "core/space/nearest.h"
#include "runtime/runtime_options.h"

namespace sartor::bpf {

namespace {

using Json = nlohmann::ordered_json;

// A timeout of more than a day is an error.
constexpr double kLongestSeconds = 86400;

std::unexpected<Failure> bad(const std::string &subject, std::string message, std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::bad_json, subject, std::move(message), std::move(remedy)});
}

/// Reads a list of packets in hexadecimal digits; false if it is none.
bool read_packets(const Json &value, std::vector<std::string> &packets) {
  if (!value.is_array())
    return false;
  for (const Json &each : value) {
    const std::string digits = each.is_string() ? each.get<std::string>() : "?";
    std::string packet;
    for (std::size_t at = 0; at < digits.size(); at += 2) {
      unsigned byte = 0;
      const char *const begin = digits.data() + at;
      const char *const end = digits.data() + std::min(at + 2, digits.size());
      if (end - begin != 2 || std::from_chars(begin, end, byte, 16).ptr != end)
        return false;
      packet += static_cast<char>(byte);
    }
    packets.push_back(std::move(packet));
  }
  return true;
}

/// Returns whether the value has the option's type; nullopt if there is no such option.
std::optional<bool> read_option(const std::string &name, const Json &value, BpfOptions &options) {
  if (name == "packets")
    return read_packets(value, options.packets);
  if (name == "name" || name == "pins" || name == "verify" || name == "event_log" ||
      name == "state_directory") {
    if (!value.is_string())
      return false;
    const auto text = value.get<std::string>();
    if (name == "name")
      options.name = text;
    else if (name == "pins")
      options.pins = text;
    else if (name == "event_log")
      options.event_log = text;
    else if (name == "state_directory")
      options.state_directory = text;
    else if (const auto read = verification_from(text, options.verify))
      options.verify = *read;
    else
      return false;
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
          {"remarks", to_json(variant.remarks)},
          {"compared", variant.compared},
          {"not_compared", variant.not_compared ? Json(to_string(*variant.not_compared)) : Json()}};
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
  const std::vector<std::string> names{"compile_timeout", "event_log", "name", "packets", "pins",
                                       "state_directory", "verify"};
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
