// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/sartor.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/readers.h"
#include "runtime/c_api.h"
#include "runtime/runtime_options.h"

using sartor::copy_for_c;
using sartor::guarded;
using sartor::need;

std::string &sartor::last_c_error() {
  thread_local std::string error;
  return error;
}

char *sartor::copy_for_c(const std::string &text) {
  auto *result = static_cast<char *>(std::malloc(text.size() + 1));
  if (!result)
    throw std::bad_alloc();
  std::memcpy(result, text.c_str(), text.size() + 1);
  return result;
}

namespace {

std::map<std::string, unsigned> read_every(const char *json) {
  std::map<std::string, unsigned> every;
  for (const auto &[label, setting] : sartor::Configuration::from_json(json)) {
    const sartor::Value &value = setting.values.front();
    if (setting.values.size() != 1 || !value.is_integer() || !std::in_range<unsigned>(value.bits()))
      throw sartor::Error({sartor::ErrorCode::bad_json, label, "is set to no sampling distance",
                           R"(write e.g. {"B":1,"lookup":100})"});
    every[label] = static_cast<unsigned>(value.bits());
  }
  return every;
}

} // namespace

extern "C" {

sartor_status sartor_open_modules(const sartor_module *begin, const sartor_module *end,
                                  sartor_runtime **out) {
  return guarded([&] {
    need(out, "out");

    *out = new sartor_runtime{sartor::Runtime(std::span(begin, end), sartor::Options{})};
  });
}

sartor_status sartor_open_modules_with(const sartor_module *begin, const sartor_module *end,
                                       const char *options, sartor_runtime **out) {
  return guarded([&] {
    need(options, "options");
    need(out, "out");
    auto read = sartor::options_from_json(options);
    if (!read)
      throw sartor::Error(std::move(read.error()));
    *out = new sartor_runtime{sartor::Runtime(std::span(begin, end), *read)};
  });
}

sartor_status sartor_open_file(const char *path, sartor_runtime **out) {
  return guarded([&] {
    need(path, "path");
    need(out, "out");

    *out = new sartor_runtime{sartor::Runtime(path, std::span<const sartor_module>(), {})};
  });
}

void sartor_close(sartor_runtime *runtime) { delete runtime; }

sartor_status sartor_handler(sartor_runtime *runtime, const char *name, void (**out)(void)) {
  return guarded([&] {
    need(runtime, "runtime");
    need(name, "name");
    need(out, "out");
    *out = reinterpret_cast<void (*)()>(runtime->runtime.function(name));
  });
}

sartor_status sartor_specialize(sartor_runtime *runtime, const char *configuration) {
  (void)sartor::engine::inside_handler(sartor::engine::frame_of_caller());
  return guarded([&] {
    need(runtime, "runtime");
    need(configuration, "configuration");
    runtime->runtime.specialize(sartor::Configuration::from_json(configuration));
  });
}

sartor_status sartor_specialize_and_tell(sartor_runtime *runtime, const char *configuration,
                                         char **json) {
  (void)sartor::engine::inside_handler(sartor::engine::frame_of_caller());
  return guarded([&] {
    need(runtime, "runtime");
    need(configuration, "configuration");
    need(json, "json");
    nlohmann::json all = nlohmann::json::array();
    for (const sartor::VariantInfo &made :
         runtime->runtime.specialize(sartor::Configuration::from_json(configuration)))
      all.push_back({{"handler", made.handler},
                     {"name", made.name},
                     {"code_bytes", made.code_bytes},
                     {"remarks", made.remarks}});
    *json = copy_for_c(all.dump());
  });
}

sartor_status sartor_specialize_async(sartor_runtime *runtime, const char *configuration) {
  return guarded([&] {
    need(runtime, "runtime");
    need(configuration, "configuration");

    (void)runtime->runtime.specialize_async(sartor::Configuration::from_json(configuration));
  });
}

sartor_status sartor_customize_pipeline(sartor_runtime *runtime, const char *passes,
                                        const char *const *plugins) {
  return guarded([&] {
    need(runtime, "runtime");
    need(passes, "passes");

    sartor::Pipeline pipeline{passes, {}};
    for (; plugins && *plugins; ++plugins)
      pipeline.plugins.emplace_back(*plugins);
    runtime->runtime.customize_pipeline(pipeline);
  });
}

sartor_status sartor_constrain(sartor_runtime *runtime, const char *constraints) {
  return guarded([&] {
    need(runtime, "runtime");
    need(constraints, "constraints");
    runtime->runtime.constrain(sartor::Constraints::from_json(constraints));
  });
}

sartor_status sartor_space(sartor_runtime *runtime, char **json) {
  return guarded([&] {
    need(runtime, "runtime");
    need(json, "json");
    *json = copy_for_c(runtime->runtime.space().json());
  });
}

sartor_status sartor_instrument(sartor_runtime *runtime, const char *every) {
  return guarded([&] {
    need(runtime, "runtime");
    need(every, "every");
    runtime->runtime.instrument(read_every(every));
  });
}

sartor_status sartor_profile(sartor_runtime *runtime, char **json) {
  return guarded([&] {
    need(runtime, "runtime");
    need(json, "json");
    *json = copy_for_c(runtime->runtime.profile().json());
  });
}

sartor_status sartor_load_profile(sartor_runtime *runtime, const char *json) {
  return guarded([&] {
    need(runtime, "runtime");
    need(json, "json");
    runtime->runtime.load_profile(sartor::Profile::from_json(json));
  });
}

void sartor_free(char *text) { std::free(text); }

const char *sartor_last_error(void) { return sartor::last_c_error().c_str(); }
}
