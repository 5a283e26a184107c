// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/sartor.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "runtime/c_api.h"

using sartor::guarded;

std::string &sartor::last_c_error() {
  thread_local std::string error;
  return error;
}

extern "C" {

sartor_status sartor_open_modules(const sartor_module *begin, const sartor_module *end,
                                  sartor_runtime **out) {
  return guarded([&] {
    *out = new sartor_runtime{sartor::Runtime(std::span(begin, end), sartor::Options{})};
  });
}

sartor_status sartor_open_file(const char *path, sartor_runtime **out) {
  return guarded([&] {
    *out = new sartor_runtime{sartor::Runtime(path, std::span<const sartor_module>(), {})};
  });
}

void sartor_close(sartor_runtime *runtime) { delete runtime; }

sartor_status sartor_handler(sartor_runtime *runtime, const char *name, void (**out)(void)) {
  return guarded([&] { *out = runtime->runtime.handler<void()>(name).function(); });
}

sartor_status sartor_specialize(sartor_runtime *runtime, const char *configuration) {
  return guarded(
      [&] { runtime->runtime.specialize(sartor::Configuration::from_json(configuration)); });
}

sartor_status sartor_specialize_async(sartor_runtime *runtime, const char *configuration) {
  return guarded([&] {
    (void)runtime->runtime.specialize_async(sartor::Configuration::from_json(configuration));
  });
}

sartor_status sartor_customize_pipeline(sartor_runtime *runtime, const char *passes,
                                        const char *const *plugins) {
  return guarded([&] {
    sartor::Pipeline pipeline{passes, {}};
    for (; plugins && *plugins; ++plugins)
      pipeline.plugins.emplace_back(*plugins);
    runtime->runtime.customize_pipeline(pipeline);
  });
}

sartor_status sartor_space(sartor_runtime *runtime, char **json) {
  return guarded([&] {
    const std::string text = runtime->runtime.space().json();
    *json = static_cast<char *>(std::malloc(text.size() + 1));
    if (!*json)
      throw std::bad_alloc();
    std::memcpy(*json, text.c_str(), text.size() + 1);
  });
}

void sartor_free(char *text) { std::free(text); }

const char *sartor_last_error(void) { return sartor::last_c_error().c_str(); }
}
