// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/c_api.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "base/text/value_json.h"

struct sartor_generated_code {
  sartor::GeneratedCode code = {};
  std::string failure = {}; ///< The first one.
};

sartor::Generator sartor::c_generator(sartor_generator generator, void *user) {
  if (!generator)
    return {};
  return [generator, user](const GeneratorInput &point) {
    const std::string setting = point.setting.text();
    const std::string result = point.result.text();
    std::vector<std::string> types;
    for (const PointType &type : point.arguments)
      types.push_back(type.text());
    std::vector<const char *> arguments;
    for (const std::string &type : types)
      arguments.push_back(type.c_str());
    const sartor_generator_input input{
        point.label.c_str(),
        point.kind.c_str(),
        point.handler.c_str(),
        setting.c_str(),
        point.setting.is_integer() ? static_cast<std::int64_t>(point.setting.bits()) : 0,
        result.c_str(),
        arguments.size(),
        arguments.data()};
    sartor_generated_code made;
    const int refusal = generator(&input, &made, user);
    if (!made.failure.empty())
      throw std::runtime_error(made.failure);
    if (refusal != 0)
      throw std::runtime_error("it returned " + std::to_string(refusal));
    return std::move(made.code);
  };
}

std::vector<sartor::Value> sartor::c_choices(const char *json) {
  const auto listed = or_throw(sartor::parse_json(json));
  std::vector<sartor::Value> values;
  const auto bad = [&] {
    return sartor::Error({sartor::ErrorCode::bad_json, "choices",
                          sartor::dump(listed) + " is no list of values", "write e.g. [1,2,3]"});
  };
  if (!listed.is_array())
    throw bad();
  for (const auto &one : listed) {
    auto value = sartor::value_from_json(one);
    if (!value)
      throw bad();
    values.push_back(std::move(*value));
  }
  return values;
}

extern "C" {

sartor_status sartor_add_custom(sartor_runtime *runtime, const char *kind,
                                sartor_generator generator, void *user) {
  return sartor::guarded([&] {
    sartor::need(runtime, "runtime", kind, "kind");
    runtime->runtime.add_custom(kind, sartor::c_generator(generator, user));
  });
}

sartor_status sartor_add_custom_choices(sartor_runtime *runtime, const char *kind,
                                        const char *choices, sartor_generator generator,
                                        void *user) {
  return sartor::guarded([&] {
    sartor::need(runtime, "runtime", kind, "kind", choices, "choices");
    runtime->runtime.add_custom(kind, sartor::c_generator(generator, user),
                                sartor::c_choices(choices));
  });
}

void sartor_generate(sartor_generated_code *code, sartor_language language, const char *text,
                     const char *function, const char *const *flags) {
  if (language != SARTOR_LANGUAGE_C && language != SARTOR_LANGUAGE_LLVM_IR) {
    sartor_generated_fail(code, "the language is not one of sartor_language");
    return;
  }
  code->code.language = language == SARTOR_LANGUAGE_C ? sartor::GeneratedCode::Language::c
                                                      : sartor::GeneratedCode::Language::llvm_ir;
  code->code.text = text ? text : "";
  code->code.function = function ? function : "specialized";
  code->code.flags.clear();
  while (flags && *flags)
    code->code.flags.emplace_back(*flags++);
}

void sartor_generated_depends_on(sartor_generated_code *code, const sartor_invariant *invariant) {
  if (invariant)
    code->code.depends_on(invariant->invariant);
  else
    sartor_generated_fail(code, "the invariant that its code depends on is null");
}

void sartor_generated_fail(sartor_generated_code *code, const char *why) {
  if (code->failure.empty())
    code->failure = why && *why ? why : "it gave no reason";
}

} // extern "C"
