// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C interface: reading reports in JSON.
#include <sartor/c/json.h>

#include <string>

#include "base/text/json.h"
#include "capi/c_api.h"

using sartor::guarded;
using sartor::need;

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void bad(const char *pointer, std::string message) {
  throw sartor::Error({sartor::ErrorCode::bad_json, pointer, std::move(message),
                       R"(give a pointer to something that is there, e.g. "/0/handler")"});
}

/// Throws bad_json if there is no such element.
Json at(const char *json, const char *pointer) {
  const Json read = or_throw(sartor::parse_json(json));
  try {
    return read.at(Json::json_pointer(pointer));
  } catch (const Json::exception &) {
    bad(pointer, "leads to nothing");
  }
}

} // namespace

extern "C" {

sartor_status sartor_json_number(const char *json, const char *pointer, double *out) {
  return guarded([&] {
    need(json, "json", pointer, "pointer", out, "out");
    const Json value = at(json, pointer);
    if (!value.is_number() && !value.is_boolean())
      bad(pointer, "leads to no number: " + sartor::dump(value));
    *out = value.is_boolean() ? static_cast<double>(value.get<bool>()) : value.get<double>();
  });
}

sartor_status sartor_json_text(const char *json, const char *pointer, char **out) {
  return guarded([&] {
    need(json, "json", pointer, "pointer", out, "out");
    const Json value = at(json, pointer);
    *out = sartor::copy_for_c(value.is_string() ? value.get<std::string>() : sartor::dump(value));
  });
}

sartor_status sartor_json_count(const char *json, const char *pointer, size_t *out) {
  return guarded([&] {
    need(json, "json", pointer, "pointer", out, "out");
    const Json value = at(json, pointer);
    if (!value.is_structured())
      bad(pointer, "leads to neither a list nor an object: " + sartor::dump(value));
    *out = value.size();
  });
}
}
