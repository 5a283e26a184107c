// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/report_json.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "base/text/fold_report_json.h"
#include "base/text/json.h"
#include "core/json_options.h"
#include "runtime/runtime_options.h"

namespace sartor::bpf {

namespace {

using Json = nlohmann::ordered_json;

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
  constexpr core::Range timeout{.least = 0.001, .below = 86400}; // at most a day
  auto read = core::read_options(
      *parsed,
      {{"compile_timeout", options.compile_timeout, timeout},
       {"event_log", options.event_log},
       {"name", options.name},
       {"packets", [&](const Json &value) { return read_packets(value, options.packets); },
        R"(write each packet as hexadecimal digits, e.g. ["00ff"])"},
       {"pins", options.pins},
       {"state_directory", options.state_directory},
       {"verify", [&](const Json &value) { return read_verification(value, options.verify); },
        kVerificationRemedy}},
      "is no option");
  if (!read)
    return std::unexpected(std::move(read.error()));
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
