// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/read_options.h"

#include <algorithm>
#include <utility>

#include "base/text/value_json.h"
#include "core/space/nearest.h"

namespace sartor {

using Json = nlohmann::ordered_json;

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

Result<void> read(const std::string &option, const Json &json, std::filesystem::path &path) {
  if (!json.is_string())
    return bad_option(option, dump(json) + " is no path", "give the name of a file");
  path = json.get<std::string>();
  return {};
}

Result<void> read(const std::string &option, const Json &json,
                  std::optional<std::chrono::microseconds> &duration) {
  if (json.is_null())
    return {};
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
    const auto bad = [&] {
      return bad_option(option, dump(values) + " is no list of values",
                        R"(write e.g. {"N":[64,256]})");
    };
    if (!values.is_array())
      return bad();
    auto &listed = choices[label];
    for (const Json &one : values) {
      auto value = value_from_json(one);
      if (!value)
        return bad();
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

} // namespace sartor
