// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/configuration.hpp>

#include <algorithm>
#include <ostream>

#include "base/result.h"
#include "base/text/value_json.h"
#include "core/space/constraints_json.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

/// `<=>` on doubles is partial; sorting requires a total order, also with NaN.
bool before(const Value &a, const Value &b) {
  if (a.is_floating() && b.is_floating())
    return std::is_lt(std::strong_order(a.floating(), b.floating()));
  return a < b;
}

std::string setting_text(const Setting &setting) {
  std::string text;
  for (const Value &value : setting.values) {
    if (!text.empty())
      text += '|';
    text += value.text();
  }
  return setting.guarded ? text : text + '!';
}

std::unexpected<Failure> bad_json(const std::string &label, std::string message) {
  return std::unexpected(
      Failure{ErrorCode::bad_json, label, std::move(message),
              R"(write e.g. {"B":16,"N":[64,256],"K":{"values":[3],"guard":false}})"});
}

Result<Value> read_value(const std::string &label, const Json &json) {
  if (auto value = value_from_json(json))
    return std::move(*value);
  return bad_json(label, "is set to " + dump(json) + ", which is no value");
}

Result<Setting> read_values(const std::string &label, const Json &json, bool guarded) {
  if (json.empty())
    return bad_json(label, "is set to no value at all");
  std::vector<Value> values;
  for (const Json &element : json) {
    auto value = read_value(label, element);
    if (!value)
      return std::unexpected(std::move(value.error()));
    values.push_back(std::move(*value));
  }
  return Setting(std::move(values), guarded);
}

Result<Configuration> read_configuration(std::string_view text) {
  // nlohmann keeps one of two equal keys; setting a label twice is reported as a mistake.
  std::string repeated;
  std::vector<std::vector<std::string>> open;
  const auto note_repeated = [&](int, Json::parse_event_t event, Json &parsed) {
    if (event == Json::parse_event_t::object_start) {
      open.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      open.pop_back();
    } else if (event == Json::parse_event_t::key) {
      const auto &key = parsed.get_ref<const std::string &>();
      if (std::ranges::find(open.back(), key) != open.back().end())
        repeated = key;
      open.back().push_back(key);
    }
    return true;
  };
  const auto read = parse_json(text, note_repeated);
  if (!read)
    return bad_json("", read.error().message);
  const Json &json = *read;
  if (!json.is_object())
    return bad_json("", "the text is no JSON object");
  if (!repeated.empty())
    return bad_json(repeated, "is named twice");
  Configuration configuration;
  for (const auto &[label, field] : json.items()) {
    auto setting = setting_from_json(label, field);
    if (!setting)
      return std::unexpected(std::move(setting.error()));
    configuration.set(label, std::move(*setting));
  }
  return configuration;
}

} // namespace

Json setting_to_json(const Setting &setting) {
  if (setting.guarded && setting.values.size() == 1)
    return value_to_json(setting.values.front());
  Json values = Json::array();
  for (const Value &value : setting.values)
    values.push_back(value_to_json(value));
  if (setting.guarded)
    return values;
  Json object;
  object["values"] = std::move(values);
  object["guard"] = false;
  return object;
}

Result<Setting> setting_from_json(const std::string &label, const Json &json) {
  if (json.is_array())
    return read_values(label, json, true);
  if (json.is_object() && json.contains("values")) {
    bool guarded = true;
    for (const auto &[key, field] : json.items()) {
      if (key == "guard" && field.is_boolean())
        guarded = field.get<bool>();
      else if (key != "values" || !field.is_array())
        return bad_json(label, "has a field \"" + key + "\" that is not understood");
    }
    return read_values(label, json["values"], guarded);
  }
  auto value = read_value(label, json);
  if (!value)
    return std::unexpected(std::move(value.error()));
  return Setting(std::move(*value));
}

Setting::Setting(std::vector<Value> several, bool guard)
    : values(std::move(several)), guarded(guard) {
  std::ranges::sort(values, before);
  const auto repetitions = std::ranges::unique(values);
  values.erase(repetitions.begin(), repetitions.end());
}

Setting any_of(std::vector<Value> values) { return Setting(std::move(values)); }

Setting unguarded(Setting setting) {
  setting.guarded = false;
  return setting;
}

Configuration::Configuration(
    std::initializer_list<std::pair<const std::string, Setting>> settings) {
  for (const auto &[label, setting] : settings)
    if (!settings_.emplace(label, setting).second)
      throw Error({ErrorCode::conflicting_label, label, "is set twice in a list of settings",
                   "set it once, to any_of() several values if it may have them"});
}

Configuration &Configuration::set(std::string label, Setting setting) {
  settings_.insert_or_assign(std::move(label), std::move(setting));
  return *this;
}

Configuration &Configuration::unset(std::string_view label) {
  if (const auto it = settings_.find(label); it != settings_.end())
    settings_.erase(it);
  return *this;
}

const Setting *Configuration::find(std::string_view label) const {
  const auto it = settings_.find(label);
  return it == settings_.end() ? nullptr : &it->second;
}

std::string Configuration::text() const {
  std::string text = "{";
  for (const auto &[label, setting] : settings_) {
    if (text.size() > 1)
      text += ',';
    text += label + '=' + setting_text(setting);
  }
  return text + '}';
}

std::string Configuration::json() const {
  Json json = Json::object();
  for (const auto &[label, setting] : settings_)
    json[label] = setting_to_json(setting);
  return dump(json);
}

Configuration Configuration::from_json(std::string_view text) {
  return or_throw(read_configuration(text));
}

std::ostream &operator<<(std::ostream &out, const Configuration &configuration) {
  return out << configuration.text();
}

} // namespace sartor

std::size_t std::hash<sartor::Configuration>::operator()(
    const sartor::Configuration &configuration) const noexcept {
  std::size_t hash = configuration.size();
  // The odd constant is 2^64 divided by the golden ratio: it spreads low bits over the word.
  const auto mix = [&](std::size_t more) {
    hash = (hash ^ more) * 0x9e37'79b9'7f4a'7c15U;
    hash ^= hash >> 32;
  };
  for (const auto &[label, setting] : configuration) {
    mix(std::hash<std::string>{}(label));
    mix(setting.guarded ? setting.values.size() : ~setting.values.size());
    for (const sartor::Value &value : setting.values) {
      if (value.is_symbol())
        mix(std::hash<std::string>{}(value.symbol()));
      else
        mix(value.is_floating() ? std::hash<double>{}(value.floating())
                                : static_cast<std::size_t>(value.bits()));
    }
  }
  return hash;
}
