// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/profile.hpp>

#include <charconv>
#include <vector>

#include "base/result.h"
#include "base/text/value_json.h"
#include "core/profile/order.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

constexpr unsigned kUsualBool = 8;

// In C a condition is an int; the text of its type does not include the width.
std::string type_to_json(const PointType &type) {
  const bool odd = type.kind == PointType::Class::boolean && type.bits != kUsualBool;
  return odd ? type.text() + std::to_string(type.bits) : type.text();
}

Json to_json(const ProfileEntry &entry) {
  Json inputs = Json::array();
  for (const Value &input : entry.inputs)
    inputs.push_back(value_to_json(input));
  Json json{{"inputs", std::move(inputs)}, {"count", entry.count}};
  if (entry.result)
    json["result"] = value_to_json(*entry.result);
  if (entry.version)
    json["version"] = *entry.version;
  return json;
}

Json to_json(const PointProfile &point) {
  Json arguments = Json::array();
  for (const PointType &argument : point.arguments)
    arguments.push_back(type_to_json(argument));
  Json entries = Json::array();
  for (const ProfileEntry &entry : point.entries)
    entries.push_back(to_json(entry));
  return {{"kind", to_string(point.kind)},
          {"type", type_to_json(point.type)},
          {"arguments", std::move(arguments)},
          {"count", point.count},
          {"other", point.other},
          {"error_bound", point.error_bound},
          {"entries", std::move(entries)}};
}

[[noreturn]] void refuse(const std::string &label, std::string message) {
  throw Error(
      {ErrorCode::bad_json, label, std::move(message), "give what Profile::json() has written"});
}

const Json &field(const std::string &label, const Json &object, const char *name) {
  if (!object.is_object() || !object.contains(name))
    refuse(label, std::string("has no field \"") + name + '"');
  return object[name];
}

std::uint64_t read_count(const std::string &label, const Json &json) {
  if (!json.is_number_unsigned())
    refuse(label, "has " + dump(json) + " where a count was expected");
  return json.get<std::uint64_t>();
}

const Json &read_list(const std::string &label, const Json &object, const char *name) {
  const Json &list = field(label, object, name);
  if (!list.is_array())
    refuse(label, std::string("has a field \"") + name + "\" that is no list");
  return list;
}

std::string read_text(const std::string &label, const Json &json) {
  if (!json.is_string())
    refuse(label, "has " + dump(json) + " where a string was expected");
  return json.get<std::string>();
}

PointKind read_kind(const std::string &label, const Json &json) {
  const std::string text = read_text(label, json);
  for (const PointKind kind : {PointKind::enumeration, PointKind::range, PointKind::generic,
                               PointKind::assume, PointKind::fast_path, PointKind::custom})
    if (to_string(kind) == text)
      return kind;
  refuse(label, '"' + text + "\" is no kind of point");
}

PointType read_type(const std::string &label, const Json &json) {
  const std::string text = read_text(label, json);
  if (text == "ptr")
    return {PointType::Class::pointer, 64, false};
  PointType type;
  std::size_t prefix = 1;
  if (text.starts_with("bool")) {
    type = {PointType::Class::boolean, kUsualBool, false};
    prefix = 4;
    if (text.size() == prefix)
      return type;
  } else if (text.starts_with('f')) {
    type.kind = PointType::Class::floating;
  } else if (text.starts_with('i')) {
    type.is_signed = true;
  } else if (!text.starts_with('u')) {
    refuse(label, '"' + text + "\" is no type");
  }
  const auto read = std::from_chars(text.data() + prefix, text.data() + text.size(), type.bits);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size())
    refuse(label, '"' + text + "\" is no type");
  return type;
}

// Some programs write 1.0 as 1.
Value read_value(const std::string &label, const Json &json, const PointType &type) {
  const auto value = value_from_json(json);
  const bool is_floating = type.kind == PointType::Class::floating;
  if (value && value->is_integer() && is_floating)
    return value->is_large() ? static_cast<double>(value->bits())
                             : static_cast<double>(value->integer());
  if (!value || (value->is_symbol() ? type.kind != PointType::Class::pointer
                                    : value->is_floating() != is_floating))
    refuse(label,
           "has " + dump(json) + " where a value of the type " + type.text() + " was expected");
  return *value;
}

// The inputs of a call are its arguments, of which there may be none.
std::vector<PointType> input_types(const PointProfile &point) {
  const bool is_call = point.kind == PointKind::fast_path || point.kind == PointKind::custom;
  return is_call || !point.arguments.empty() ? point.arguments : std::vector{point.type};
}

ProfileEntry read_entry(const std::string &label, const Json &json, const PointProfile &point) {
  ProfileEntry entry;
  const std::vector<PointType> types = input_types(point);
  const Json &inputs = read_list(label, json, "inputs");
  if (inputs.size() != types.size())
    refuse(label,
           "has an entry with another number of inputs than " + std::to_string(types.size()));
  for (std::size_t i = 0; i < types.size(); ++i)
    entry.inputs.push_back(read_value(label, inputs[i], types[i]));
  entry.count = read_count(label, field(label, json, "count"));
  if (json.contains("result"))
    entry.result = read_value(label, json["result"], point.type);
  if (json.contains("version"))
    entry.version = read_count(label, json["version"]);
  return entry;
}

PointProfile read_point(const std::string &label, const Json &json) {
  PointProfile point;
  point.kind = read_kind(label, field(label, json, "kind"));
  point.type = read_type(label, field(label, json, "type"));
  for (const Json &argument : read_list(label, json, "arguments"))
    point.arguments.push_back(read_type(label, argument));
  point.count = read_count(label, field(label, json, "count"));
  point.other = read_count(label, field(label, json, "other"));
  point.error_bound = read_count(label, field(label, json, "error_bound"));
  for (const Json &element : read_list(label, json, "entries"))
    point.entries.push_back(read_entry(label, element, point));
  most_frequent_first(point.entries);
  return point;
}

} // namespace

std::string Profile::json() const {
  Json points = Json::object();
  for (const auto &[label, point] : points_)
    points[label] = to_json(point);
  return dump(Json{{"program", program_}, {"points", std::move(points)}});
}

Profile Profile::from_json(std::string_view text) {
  const auto parsed = parse_json(text);
  if (!parsed)
    refuse("", "the text is not JSON: " + parsed.error().message);
  const Json &json = *parsed;
  const Json &points = field("", json, "points");
  if (!points.is_object())
    refuse("", "has a field \"points\" that is no object");
  Points read;
  for (const auto &[label, point] : points.items())
    read.emplace(label, read_point(label, point));
  return Profile(read_text("", field("", json, "program")), std::move(read));
}

} // namespace sartor
