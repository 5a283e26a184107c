// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/json_options.h"

#include <algorithm>
#include <iterator>

#include "base/text/value_json.h"
#include "core/space/nearest.h"

namespace sartor::core {

using Json = nlohmann::ordered_json;

namespace {

std::unexpected<WrongValue> wrong(const Json &json, const char *what, std::string_view remedy) {
  return std::unexpected(WrongValue{dump(json) + what, std::string(remedy)});
}

} // namespace

std::string Range::text() const {
  std::string text;
  for (const auto &[bound, says] : {std::pair(above, "above "), std::pair(least, "at least "),
                                    std::pair(most, "at most "), std::pair(below, "below ")})
    if (std::isfinite(bound))
      text += (text.empty() ? "" : " and ") + std::string(says) + dump(bound);
  return text;
}

Taken take(const Json &json, bool &flag) {
  if (!json.is_boolean())
    return wrong(json, " is neither true nor false", "give one of them");
  flag = json.get<bool>();
  return {};
}

Taken take(const Json &json, double &number) {
  if (!json.is_number())
    return wrong(json, " is no number", "give one");
  number = json.get<double>();
  return {};
}

Taken take(const Json &json, std::string &text) {
  if (!json.is_string())
    return wrong(json, " is no text", "give a name");
  text = json.get<std::string>();
  return {};
}

Taken take(const Json &json, std::filesystem::path &path) {
  if (!json.is_string())
    return wrong(json, " is no path", "give the name of a file");
  path = json.get<std::string>();
  return {};
}

Taken take(const Json &json, std::set<std::string> &labels) {
  const auto is_text = [](const Json &one) { return one.is_string(); };
  if (!json.is_array() || !std::ranges::all_of(json, is_text))
    return wrong(json, " is no list of labels", R"(write e.g. ["B"])");
  labels = json.get<std::set<std::string>>();
  return {};
}

Taken take(const Json &json, std::map<std::string, std::vector<Value>> &choices) {
  constexpr const char *example = R"(write e.g. {"N":[64,256]})";
  if (!json.is_object())
    return wrong(json, " is no object", example);
  for (const auto &[label, values] : json.items()) {
    if (!values.is_array())
      return wrong(values, " is no list of values", example);
    auto &listed = choices[label];
    for (const Json &one : values) {
      auto value = value_from_json(one);
      if (!value)
        return wrong(values, " is no list of values", example);
      listed.push_back(std::move(*value));
    }
  }
  return {};
}

Result<void> read_options(const Json &object, const std::vector<JsonOption> &options,
                          std::string_view unknown) {
  for (const auto &[name, value] : object.items()) {
    const auto option = std::ranges::find(options, name, &JsonOption::name);
    if (option == options.end()) {
      std::vector<std::string> names;
      std::ranges::transform(options, std::back_inserter(names), &JsonOption::name);
      return std::unexpected(
          Failure{ErrorCode::bad_json, name, std::string(unknown), nearest_names(name, names)});
    }
    Taken taken = option->take_value(value);
    if (!taken)
      return std::unexpected(Failure{ErrorCode::bad_json, name, std::move(taken.error().message),
                                     std::move(taken.error().remedy)});
  }
  return {};
}

} // namespace sartor::core
