// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/not_compared.h"

#include <algorithm>
#include <utility>

#include "base/text/json.h"
#include "runtime/verify/call_checker.h"

namespace sartor {

namespace {

using core::NotCompared;

static_assert(std::to_underlying(NotCompared::kLast) < 32, "a bit for each");

nlohmann::ordered_json fields_of(const RuntimeEntry &entry, NotCompared code,
                                 const std::string &message) {
  return {{"handler", entry.handler()},
          {"reason", core::name_of(code)},
          {"message", message},
          {"remedy", core::remedy_of(code)}};
}

void report_handler(const RuntimeEntry &entry, const core::Comparability &why, EventLog &events) {
  auto fields = fields_of(entry, why.code, why.reason);
  if (!why.file.empty()) {
    fields["file"] = why.file;
    fields["line"] = why.line;
  }
  if (why.error)
    fields["error"] = to_string(*why.error);
  events.append("not_compared", fields);
}

const char *message_of_calls(NotCompared code) {
  switch (code) {
  case NotCompared::input:
    return "the memory that a call changes cannot be read, or is too large";
  case NotCompared::floating_point:
    return "a call was made in another floating-point environment than the default";
  default:
    return "the process is being debugged, and breakpoints would be reached twice";
  }
}

const char *message_of_variant(NotCompared code) {
  switch (code) {
  case NotCompared::unguarded:
    return "it has settings without guards, so that native code may use other values";
  case NotCompared::fast_path:
    return "it leaves out calls of a fast path's function, which have effects in a child process";
  default:
    return "it counts events, which a comparison would count twice";
  }
}

bool is_unguarded(const runtime::Variant &variant) {
  return std::ranges::any_of(variant.configuration,
                             [](const auto &setting) { return !setting.second.guarded; });
}

} // namespace

void NotComparedEvents::look_at(const RuntimeEntry &entry, bool is_traced, EventLog &events) {
  const runtime::VariantRef &variant = entry.variant();
  if (!variant || entry.is_off())
    return;
  const runtime::CallChecker &checker = *entry.checker;
  if (const auto code = checker.refused_for()) {
    if (is_new(entry.handler(), *code))
      report_handler(entry, *checker.comparability(), events);
    return;
  }
  if (!checker.stub())
    return;
  if (!checker.can_compare(*variant->trust))
    return look_at_variant(entry, *variant, events);
  for (const NotCompared code : {NotCompared::input, NotCompared::floating_point})
    if (checker.has_left_out(code) && is_new(entry.handler(), code))
      events.append("not_compared", fields_of(entry, code, message_of_calls(code)));
  if (is_traced && is_new(entry.handler(), NotCompared::debugger))
    events.append("not_compared",
                  fields_of(entry, NotCompared::debugger, message_of_calls(NotCompared::debugger)));
}

void NotComparedEvents::look_at_variant(const RuntimeEntry &entry, const runtime::Variant &variant,
                                        EventLog &events) const {
  // The full variant, which follows a quick one, is reported.
  if (variant.quick || variant.trust->is_reported.exchange(true, std::memory_order_relaxed))
    return;
  const NotCompared code = !variant.trust->is_exempt ? NotCompared::fast_path
                           : is_unguarded(variant)   ? NotCompared::unguarded
                                                     : NotCompared::instrumented;
  auto fields = fields_of(entry, code, message_of_variant(code));
  fields["text"] = variant.configuration.text();
  events.append("not_compared", fields);
}

bool NotComparedEvents::is_new(const std::string &handler, NotCompared code) {
  std::uint32_t &reported = reported_[handler];
  const std::uint32_t bit = 1U << std::to_underlying(code);
  return (std::exchange(reported, reported | bit) & bit) == 0;
}

} // namespace sartor
