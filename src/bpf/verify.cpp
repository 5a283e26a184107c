// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison of a BPF runtime's variants with the generic programs, and their quarantine.
#include <cstdlib>
#include <string>
#include <utility>

#include "base/environment.h"
#include "base/hash.h"
#include "base/json.h"
#include "bpf/impl.h"
#include "core/quarantine/quarantine_key.h"
#include "core/quarantine/state_directory.h"
#include "runtime/runtime_options.h"

namespace sartor {

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
  if (!compared && compared.error().code == ErrorCode::quarantined)
    quarantine_difference(context, compared.error());
  return compared;
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
