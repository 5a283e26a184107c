// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C interface: a runtime's reports.
#include <sartor/c/sartor.h>

#include <algorithm>

#include "base/text/value_json.h"
#include "capi/c_api.h"
#include "core/report_json.h"

using sartor::Configuration;
using sartor::copy_for_c;
using sartor::guarded;
using sartor::need;

extern "C" {

int sartor_active(const sartor_runtime *runtime) {
  return runtime && runtime->runtime.active() ? 1 : 0;
}

int sartor_opening(const sartor_runtime *runtime) {
  return runtime && runtime->runtime.opening() ? 1 : 0;
}

sartor_status sartor_handlers(const sartor_runtime *runtime, char **json) {
  return guarded([&] {
    need(runtime, "runtime", json, "json");
    *json = copy_for_c(sartor::dump(nlohmann::ordered_json(runtime->runtime.handlers())));
  });
}

sartor_status sartor_content(const sartor_runtime *runtime, char **text) {
  return guarded([&] {
    need(runtime, "runtime", text, "text");
    *text = copy_for_c(runtime->runtime.content());
  });
}

sartor_status sartor_statistics(const sartor_runtime *runtime, char **json) {
  return guarded([&] {
    need(runtime, "runtime", json, "json");
    *json = copy_for_c(sartor::text_of(runtime->runtime.statistics()));
  });
}

sartor_status sartor_log_event(const sartor_runtime *runtime, const char *kind,
                               const char *fields) {
  return guarded([&] {
    need(runtime, "runtime", kind, "kind", fields, "fields");
    const auto read = or_throw(sartor::parse_json(fields));
    if (!read.is_object())
      throw sartor::Error({sartor::ErrorCode::bad_json, "fields", "is no JSON object",
                           R"(write e.g. {"requests":3})"});
    runtime->runtime.log_event(kind, sartor::dump(read)); // as one line
  });
}

sartor_status sartor_configuration(const sartor_runtime *runtime, char **configuration) {
  return guarded([&] {
    need(runtime, "runtime", configuration, "configuration");
    *configuration = copy_for_c(runtime->runtime.configuration().json());
  });
}

sartor_status sartor_check(const sartor_runtime *runtime, const char *configuration) {
  return guarded([&] {
    need(runtime, "runtime", configuration, "configuration");
    if (auto problem = runtime->runtime.space().check(Configuration::from_json(configuration)))
      throw sartor::Error(std::move(*problem));
  });
}

sartor_status sartor_restrict(const sartor_runtime *runtime, const char *configuration,
                              const char *handler, char **out) {
  return guarded([&] {
    need(runtime, "runtime", configuration, "configuration", handler, "handler", out, "out");
    const auto given = Configuration::from_json(configuration);
    const auto handlers = runtime->runtime.handlers();
    if (std::ranges::find(handlers, handler) == handlers.end())
      throw sartor::Error(
          {sartor::ErrorCode::unknown_handler, handler, "is no handler", "see sartor_handlers()"});
    *out = copy_for_c(runtime->runtime.space().restrict(given, handler).json());
  });
}

sartor_status sartor_configuration_text(const char *configuration, char **text) {
  return guarded([&] {
    need(configuration, "configuration", text, "text");
    *text = copy_for_c(Configuration::from_json(configuration).text());
  });
}
}
