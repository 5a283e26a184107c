// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/environment.h"

#include <optional>
#include <string_view>

#include "base/environment.h"
#include "runtime/runtime_options.h"

namespace sartor {

namespace {

std::optional<PerfNames> perf_names(std::string_view text) {
  if (text.empty())
    return PerfNames::none;
  if (text == "map")
    return PerfNames::map;
  if (text == "dump")
    return PerfNames::dump;
  return std::nullopt;
}

} // namespace

bool switched_off() {
  return !base::is_on("SARTOR", base::read_environment().sartor, /*otherwise=*/true);
}

Options with_environment(Options options) {
  base::Environment said = base::read_environment();
  if (said.perf) {
    if (const auto names = perf_names(*said.perf))
      options.perf = *names;
    else
      base::complain("SARTOR_PERF=" + *said.perf + " means nothing: write map or dump");
  }
  if (said.compiler) {
    if (!set_compiler(options, *said.compiler))
      base::complain("SARTOR_COMPILER=" + *said.compiler +
                     " means nothing: write in-process, out-of-process, none, tcp://HOST:PORT or "
                     "unix:/PATH");
  }
  if (said.opening) {
    if (*said.opening == "lazy" || *said.opening == "at-once")
      options.lazy_opening = *said.opening == "lazy";
    else
      base::complain("SARTOR_OPENING=" + *said.opening + " means nothing: write lazy or at-once");
  }
  if (said.verify) {
    if (auto read = verification_from(*said.verify, options.verify))
      options.verify = *read;
    else
      base::complain("SARTOR_VERIFY: " + read.error().text());
  }
  if (said.state_directory)
    options.state_directory = std::move(*said.state_directory);
  options.share_quarantine =
      base::is_on("SARTOR_SHARE_QUARANTINE", said.share_quarantine, options.share_quarantine);
  if (said.compiler_server_key)
    options.compiler_server.server_key = std::move(*said.compiler_server_key);
  options.compiler_server.fallback = base::is_on("SARTOR_COMPILER_FALLBACK", said.compiler_fallback,
                                                 options.compiler_server.fallback);
  if (said.compiler_key)
    options.compiler_server.key = std::move(*said.compiler_key);
  options.control = base::is_on("SARTOR_CONTROL", said.control, options.control);
  if (said.metrics_file)
    options.metrics_file = std::move(*said.metrics_file);
  if (said.record_requests)
    options.record_requests = std::move(*said.record_requests);
  if (said.cache_directory)
    options.cache_directory = std::move(*said.cache_directory);
  if (said.shared_cache)
    options.shared_cache = std::move(*said.shared_cache);
  if (said.shared_cache_key)
    options.shared_cache_key = std::move(*said.shared_cache_key);
  if (said.shared_cache_password_file)
    options.shared_cache_password_file = std::move(*said.shared_cache_password_file);
  if (said.shared_cache_ca_file)
    options.shared_cache_ca_file = std::move(*said.shared_cache_ca_file);
  // LLVM writes a jitdump to the directory that JITDUMPDIR or HOME names.
  if (options.perf == PerfNames::dump && base::are_raised()) {
    base::complain("no jitdump is written by a program with raised rights");
    options.perf = PerfNames::none;
  }
  return options;
}

Result<std::unique_ptr<EventLog>> open_event_log(const Options &options) {
  if (const auto named = base::read_environment().event_log; named && !named->empty()) {
    if (auto log = EventLog::open(*named))
      return log;
    else
      base::complain("SARTOR_EVENT_LOG: " + log.error().text());
  }
  if (options.event_log.empty())
    return nullptr;
  return EventLog::open(options.event_log);
}

} // namespace sartor
