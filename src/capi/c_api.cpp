// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/c/sartor.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <sartor/metrics.hpp>

#include "base/longest.h"
#include "base/readers.h"
#include "base/result.h"
#include "capi/c_api.h"
#include "core/report_json.h"
#include "runtime/runtime_options.h"

using sartor::copy_for_c;
using sartor::guarded;
using sartor::need;
using sartor::or_throw;
using sartor::text_of;

char *sartor::copy_for_c(const std::string &text) {
  auto *result = static_cast<char *>(std::malloc(text.size() + 1));
  if (!result)
    throw std::bad_alloc();
  std::memcpy(result, text.c_str(), text.size() + 1);
  return result;
}

std::chrono::nanoseconds sartor::c_duration(double seconds) {
  constexpr std::chrono::nanoseconds longest = base::kLongest;
  constexpr double most = std::chrono::duration<double>(longest).count();
  if (std::isnan(seconds))
    return {};
  if (std::fabs(seconds) >= most)
    return seconds > 0 ? longest : -longest;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(seconds));
}

namespace {

/// `type_class` is a result of __builtin_classify_type().
sartor::detail::TypeForm form_of(const sartor_form &form) {
  using Kind = sartor::detail::TypeForm::Kind;
  enum : std::uint8_t { integer = 1, boolean = 4, pointer = 5, real = 8, record = 12, either = 13 };
  const auto is = [&](int first, int last) {
    return form.type_class >= first && form.type_class <= last;
  };
  if (form.type_class == 0 && form.bytes == 0)
    return {};
  if (is(integer, boolean) && form.bytes <= 8)
    return {Kind::integer, form.bytes};
  if (is(pointer, pointer))
    return {Kind::pointer, form.bytes};
  if (is(real, real) && (form.bytes == 4 || form.bytes == 8))
    return {Kind::floating, form.bytes};
  return {is(record, either) ? Kind::object : Kind::other, form.bytes};
}

std::vector<sartor::detail::TypeForm> forms_of(const sartor_form *forms, std::size_t count) {
  std::vector<sartor::detail::TypeForm> read;
  for (const sartor_form &form : std::span(forms, count))
    read.push_back(form_of(form));
  return read;
}

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
    need(options, "options", out, "out");
    const auto read = or_throw(sartor::options_from_json(options));
    *out = new sartor_runtime{sartor::Runtime(std::span(begin, end), read)};
  });
}

sartor_status sartor_open_file(const char *path, sartor_runtime **out) {
  return guarded([&] {
    need(path, "path", out, "out");

    *out = new sartor_runtime{sartor::Runtime(path, std::span<const sartor_module>(), {})};
  });
}

sartor_status sartor_open_file_modules(const char *path, const sartor_module *begin,
                                       const sartor_module *end, const char *options,
                                       sartor_runtime **out) {
  return guarded([&] {
    need(path, "path", options, "options", out, "out");
    const auto read = or_throw(sartor::options_from_json(options));
    *out = new sartor_runtime{sartor::Runtime(path, std::span(begin, end), read)};
  });
}

void sartor_close(sartor_runtime *runtime) { delete runtime; }

sartor_status sartor_handler(sartor_runtime *runtime, const char *name, void (**out)(void)) {
  return guarded([&] {
    need(runtime, "runtime", name, "name", out, "out");
    *out = reinterpret_cast<void (*)()>(runtime->runtime.function(name));
  });
}

sartor_status sartor_handler_checked(sartor_runtime *runtime, const char *name,
                                     const sartor_form *forms, size_t count, void (**out)(void)) {
  return guarded([&] {
    need(runtime, "runtime", name, "name", forms, "forms", out, "out");
    if (count == 0)
      throw sartor::Error({sartor::ErrorCode::bad_argument, "forms", "lacks the result's",
                           "begin with it, or with SARTOR_NO_RESULT"});
    *out = reinterpret_cast<void (*)()>(runtime->runtime.function(name, forms_of(forms, count)));
  });
}

sartor_status sartor_specialize(sartor_runtime *runtime, const char *configuration) {
  (void)sartor::base::inside_handler(sartor::base::frame_of_caller());
  return guarded([&] {
    need(runtime, "runtime", configuration, "configuration");
    runtime->runtime.specialize(sartor::Configuration::from_json(configuration));
  });
}

sartor_status sartor_specialize_with_report(sartor_runtime *runtime, const char *configuration,
                                            char **json) {
  (void)sartor::base::inside_handler(sartor::base::frame_of_caller());
  return guarded([&] {
    need(runtime, "runtime", configuration, "configuration", json, "json");
    *json = copy_for_c(
        text_of(runtime->runtime.specialize(sartor::Configuration::from_json(configuration))));
  });
}

sartor_status sartor_specialize_async(sartor_runtime *runtime, const char *configuration) {
  return guarded([&] {
    need(runtime, "runtime", configuration, "configuration");

    (void)runtime->runtime.specialize_async(sartor::Configuration::from_json(configuration));
  });
}

sartor_status sartor_customize_pipeline(sartor_runtime *runtime, const char *passes,
                                        const char *const *plugins) {
  return guarded([&] {
    need(runtime, "runtime", passes, "passes");

    sartor::Pipeline pipeline{passes, {}};
    for (; plugins && *plugins; ++plugins)
      pipeline.plugins.emplace_back(*plugins);
    runtime->runtime.customize_pipeline(pipeline);
  });
}

sartor_status sartor_constrain(sartor_runtime *runtime, const char *constraints) {
  return guarded([&] {
    need(runtime, "runtime", constraints, "constraints");
    runtime->runtime.constrain(sartor::Constraints::from_json(constraints));
  });
}

sartor_status sartor_space(sartor_runtime *runtime, char **json) {
  return guarded([&] {
    need(runtime, "runtime", json, "json");
    *json = copy_for_c(runtime->runtime.space().json());
  });
}

sartor_status sartor_instrument(sartor_runtime *runtime, const char *every) {
  return guarded([&] {
    need(runtime, "runtime", every, "every");
    runtime->runtime.instrument(read_every(every));
  });
}

sartor_status sartor_profile(sartor_runtime *runtime, char **json) {
  return guarded([&] {
    need(runtime, "runtime", json, "json");
    *json = copy_for_c(runtime->runtime.profile().json());
  });
}

sartor_status sartor_clear_profile(sartor_runtime *runtime) {
  return guarded([&] {
    need(runtime, "runtime");
    runtime->runtime.clear_profile();
  });
}

sartor_status sartor_merge_profiles(const char *one, const char *other, char **json) {
  return guarded([&] {
    need(one, "one", other, "other", json, "json");
    auto merged = sartor::Profile::from_json(one);
    merged.merge(sartor::Profile::from_json(other));
    *json = copy_for_c(merged.json());
  });
}

sartor_status sartor_metrics(char **text) {
  return guarded([&] {
    need(text, "text");
    *text = copy_for_c(sartor::metrics());
  });
}

sartor_status sartor_profile_share(const char *profile, const char *label, size_t top,
                                   double *share) {
  return guarded([&] {
    need(profile, "profile", label, "label", share, "share");
    const auto read = sartor::Profile::from_json(profile);
    const sartor::PointProfile *const point = read.find(label);
    if (!point)
      throw sartor::Error({sartor::ErrorCode::unknown_label, label, "is not in the profile",
                           "instrument it: sartor_instrument()"});
    *share = point->share(top);
  });
}

sartor_status sartor_load_profile(sartor_runtime *runtime, const char *json) {
  return guarded([&] {
    need(runtime, "runtime", json, "json");
    runtime->runtime.load_profile(sartor::Profile::from_json(json));
  });
}

void sartor_free(char *text) { std::free(text); }
}
