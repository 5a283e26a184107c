// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/compiler/comparability.h"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

namespace sartor::core {

namespace {

const char *place_of(Comparison how) {
  switch (how) {
  case Comparison::pure:
    return "in the process";
  case Comparison::writes:
    return "in the process, on copies of the memory that it writes";
  case Comparison::isolated:
    return "in a child process";
  case Comparison::none:
    return "not at all";
  }
  std::unreachable();
}

struct About {
  NotCompared code;
  const char *name;
  const char *remedy;
};

constexpr std::array kAbout{
    About{NotCompared::no_checking_code, "no_checking_code",
          "see the message; sartor compile adds the code to the program"},
    About{NotCompared::unordered, "unordered",
          "remove SARTOR_UNORDERED if the handler's input determines its results"},
    About{NotCompared::options, "options", "compile the handler without these options"},
    About{NotCompared::sanitizer, "sanitizer", "compare in a build without the sanitizer"},
    About{NotCompared::variable_arguments, "variable_arguments",
          "give the handler a fixed number of parameters"},
    About{NotCompared::volatile_memory, "volatile_memory", "move the access out of the handler"},
    About{NotCompared::atomics, "atomics", "move the atomic operation out of the handler"},
    About{NotCompared::inline_assembly, "inline_assembly",
          "move the assembly out of the handler, or use an intrinsic"},
    About{NotCompared::setjmp, "setjmp", "move setjmp() out of the handler"},
    About{NotCompared::allocator, "allocator", "allocate outside the handler, or with malloc()"},
    About{NotCompared::blocking, "blocking", "move the blocking statement out of the handler"},
    About{NotCompared::padding, "padding", "store the structure behind a pointer instead"},
    About{NotCompared::inexact, "inexact",
          "compile the handler without -ffast-math, or return nothing but such numbers"},
    About{NotCompared::undetermined, "undetermined",
          "mark the handler SARTOR_UNORDERED if that is intended"},
    About{NotCompared::isolation, "isolation", "move what the message names out of the handler"},
    About{NotCompared::instrumented, "instrumented",
          "none is needed: variants without instrumentation are compared"},
    About{NotCompared::unguarded, "unguarded", "guard the setting"},
    About{NotCompared::fast_path, "fast_path",
          "test without the fast path, or with a function that only reads memory"},
    About{NotCompared::input, "input",
          "pass valid pointers to less memory; at most 1 MiB is copied"},
    About{NotCompared::floating_point, "floating_point",
          "call the handler with the default rounding mode, and without flushing denormals"},
    About{NotCompared::debugger, "debugger", "detach the debugger"}};

static_assert(kAbout.size() == std::to_underlying(NotCompared::kLast) + 1U);

const About &about(NotCompared code) { return kAbout.at(std::to_underlying(code)); }

static_assert([] {
  for (std::size_t i = 0; i < kAbout.size(); ++i)
    if (std::to_underlying(kAbout.at(i).code) != i)
      return false;
  return true;
}());

} // namespace

const char *name_of(NotCompared code) { return about(code).name; }

const char *remedy_of(NotCompared code) { return about(code).remedy; }

const char *name_of(Comparison how) {
  switch (how) {
  case Comparison::pure:
    return "pure";
  case Comparison::writes:
    return "writes";
  case Comparison::isolated:
    return "isolated";
  case Comparison::none:
    return "none";
  }
  std::unreachable();
}

std::string text_of(const Comparability &comparability) {
  std::string text = place_of(comparability.how);
  if (comparability.never_in_child)
    text += ", never in a child process";
  if (!comparability.reason.empty())
    text += ", because " + comparability.reason;
  if (!comparability.file.empty())
    text += " at " + comparability.file + ":" + std::to_string(comparability.line);
  return text;
}

nlohmann::ordered_json to_json(const Comparability &comparability) {
  nlohmann::ordered_json json{{"how", name_of(comparability.how)}};
  if (!comparability.reason.empty())
    json["reason"] = comparability.reason;
  if (comparability.how == Comparison::none)
    json["code"] = name_of(comparability.code);
  if (!comparability.file.empty()) {
    json["file"] = comparability.file;
    json["line"] = comparability.line;
  }
  if (comparability.error)
    json["error"] = to_string(*comparability.error);
  json["text"] = text_of(comparability);
  return json;
}

} // namespace sartor::core
