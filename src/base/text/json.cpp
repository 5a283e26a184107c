// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/json.h"

#include "base/default_floats.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

constexpr int kMostNested = 64;

bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = text[i];
    if (in_string && next == '\\')
      ++i;
    else if (next == '"')
      in_string = !in_string;
    else if (!in_string && (next == '[' || next == '{') && ++depth > kMostNested)
      return true;
    else if (!in_string && (next == ']' || next == '}'))
      --depth;
  }
  return false;
}

} // namespace

std::string dump(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Json> parse_json(std::string_view text, const Json::parser_callback_t &callback) {
  const auto bad = [](std::string why) {
    return std::unexpected(Failure{ErrorCode::bad_json, "", std::move(why), "fix the text"});
  };
  if (is_too_deep(text))
    return bad("is nested more than " + std::to_string(kMostNested) + " deep");
  const base::DefaultFloats floats;
  try {
    return Json::parse(text, callback);
  } catch (const Json::exception &error) {
    const std::string_view what =
        error.what(); // begins with the name of the exception, in brackets
    const std::size_t end = what.find("] ");
    return bad(std::string(what.substr(end == std::string_view::npos ? 0 : end + 2)));
  }
}

Json to_json(const Failure &failure) {
  return {{"code", to_string(failure.code)},
          {"subject", failure.subject},
          {"message", failure.message},
          {"remedy", failure.remedy}};
}

} // namespace sartor
