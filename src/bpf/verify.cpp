// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison of a BPF runtime's variants with the generic programs, and their quarantine.
#include <cstdlib>
#include <string>
#include <utility>

#include "base/environment.h"
#include "base/hash.h"
#include "base/text/json.h"
#include "bpf/impl.h"
#include "core/quarantine/quarantine.h"
#include "core/quarantine/quarantine_key.h"
#include "runtime/runtime_options.h"

namespace sartor {

namespace {

/// Why a variant is not compared, and what to do, for people.
std::pair<const char *, const char *> text_of(BpfNotCompared reason) {
  switch (reason) {
  case BpfNotCompared::off:
    return {"nothing is compared", "set BpfOptions::verify"};
  case BpfNotCompared::program_type:
    return {"the kernel has no test runs of this type of program",
            "test the same code as a program of type XDP or TC"};
  case BpfNotCompared::effects:
    return {"a test run would have effects other than on maps and on the packet",
            "move the effects out of the handler"};
  case BpfNotCompared::unguarded:
    return {"it has settings without guards, so that the generic program may use other values",
            "guard the setting"};
  case BpfNotCompared::maps:
    return {"its maps cannot be copied, or are too large",
            "test with maps of at most 64 MiB, none of which holds sockets"};
  case BpfNotCompared::undetermined:
    return {"the generic program uses random numbers, or does not agree with itself",
            "move what is not determined by packet and maps out of the handler"};
  }
  std::unreachable();
}

} // namespace

std::string_view to_string(BpfNotCompared reason) {
  switch (reason) {
  case BpfNotCompared::off:
    return "off";
  case BpfNotCompared::program_type:
    return "program_type";
  case BpfNotCompared::effects:
    return "effects";
  case BpfNotCompared::unguarded:
    return "unguarded";
  case BpfNotCompared::maps:
    return "maps";
  case BpfNotCompared::undetermined:
    return "undetermined";
  }
  return {};
}

Result<void> BpfRuntime::Impl::open_verification(const std::string &bytes) {
  base::Environment environment = base::read_environment();
  if (environment.verify) {
    if (const auto read = verification_from(*environment.verify, options.verify))
      options.verify = *read;
    else
      base::complain("SARTOR_VERIFY: " + read.error().text());
  }
  if (environment.state_directory)
    options.state_directory = std::move(*environment.state_directory);
  if (environment.event_log)
    options.event_log = std::move(*environment.event_log);
  test_runs.emplace(bytes, options, generic.get());
  if (options.verify.first_calls != 0)
    quarantine.emplace(core::state_directory(options.state_directory));
  if (options.event_log.empty())
    return {};
  auto opened = EventLog::open(options.event_log);
  if (!opened)
    return std::unexpected(std::move(opened.error()));
  events = std::move(*opened);
  return {};
}

core::QuarantineKey BpfRuntime::Impl::quarantine_key(const core::Context &context) const {
  core::QuarantineKey key =
      core::quarantine_key(compiler->module(), context, {}, core::made_here());
  key.processor = "bpf";
  std::string memory;
  const auto add = [&memory](const std::string &text) {
    memory += std::to_string(text.size()) + ' ' + text;
  };
  for (const auto &[name, value] : context.kernel->settings) {
    add(name);
    add(value);
  }
  for (const auto &[name, map] : context.kernel->maps) {
    add("map " + name);
    for (const auto &[at, value] : map.entries) {
      add(at);
      add(value);
    }
  }
  key.hash = base::hash_of({"kernel 1", base::to_text(key.hash), memory});
  return key;
}

Result<bpf::Comparison> BpfRuntime::Impl::compare(const core::CodeImage &image,
                                                  const core::Context &context) {
  auto compared = test_runs->compare(image, context, static_cast<unsigned>(space.points().size()));
  comparisons.add(context.handler, compared);
  if (!compared && compared.error().code == ErrorCode::quarantined)
    quarantine_difference(context, compared.error());
  if (compared && compared->not_compared)
    report_not_compared(context.handler, *compared->not_compared);
  return compared;
}

void BpfRuntime::Impl::report_not_compared(const std::string &handler, BpfNotCompared reason) {
  if (!events || options.verify.every == 0 ||
      !reported_not_compared.emplace(handler, reason).second)
    return;
  const auto [message, remedy] = text_of(reason);
  events->append("not_compared", {{"handler", handler},
                                  {"reason", to_string(reason)},
                                  {"message", message},
                                  {"remedy", remedy}});
}

void BpfRuntime::Impl::quarantine_difference(const core::Context &context,
                                             const Failure &difference) {
  if (auto added = quarantine->add(core::quarantine_entry(
          quarantine_key(context), difference.subject, core::QuarantineReason::different));
      !added && events)
    events->failure("quarantine_unusable", added.error());
  auto fields = to_json(difference);
  fields["handler"] = context.handler;
  fields["text"] = context.configuration.text();
  if (events)
    events->append("difference", fields);
  if (base::is_on("SARTOR_ABORT_ON_DIFFERENCE", base::read_environment().abort_on_difference,
                  /*otherwise=*/false)) {
    base::complain(fields.dump());
    std::abort();
  }
}

} // namespace sartor
