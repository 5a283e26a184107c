// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/runtime_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "core/json_options.h"

namespace sartor {

namespace {

using Json = nlohmann::ordered_json;

std::optional<PerfNames> perf_names(std::string_view text) {
  if (text.empty())
    return PerfNames::none;
  if (text == "map")
    return PerfNames::map;
  if (text == "dump")
    return PerfNames::dump;
  return std::nullopt;
}

bool read_perf(const Json &json, PerfNames &perf) {
  const auto names = json.is_string() ? perf_names(json.get<std::string>()) : std::nullopt;
  perf = names.value_or(perf);
  return names.has_value();
}

bool read_compiler(const Json &json, Options &options) {
  return json.is_string() && set_compiler(options, json.get<std::string>());
}

std::vector<core::JsonOption> by_name(Options &options) {
  CompilerServer &server = options.compiler_server;
  return {{"cache_directory", options.cache_directory},
          {"code_cache_bytes", options.code_cache_bytes},
          {"compile_memory_bytes", options.compile_memory_bytes},
          {"compile_timeout", options.compile_timeout, {.above = 0}},
          {"compiler", [&](const Json &json) { return read_compiler(json, options); },
           "write in-process, out-of-process, none, tcp://HOST:PORT or unix:/PATH"},
          {"compiler_fallback", server.fallback},
          {"compiler_key", server.key},
          {"compiler_server_key", server.server_key},
          {"control", options.control},
          {"disk_cache_bytes", options.disk_cache_bytes},
          {"event_log", options.event_log},
          {"exact_floats", options.exact_floats},
          {"lazy_opening", options.lazy_opening},
          {"metrics_file", options.metrics_file},
          {"perf", [&](const Json &json) { return read_perf(json, options.perf); },
           "write map, dump, or an empty text"},
          {"quick_tier", options.quick_tier},
          {"record_requests", options.record_requests},
          {"share_quarantine", options.share_quarantine},
          {"shared_cache", options.shared_cache},
          {"shared_cache_bytes", options.shared_cache_bytes},
          {"shared_cache_ca_file", options.shared_cache_ca_file},
          {"shared_cache_key", options.shared_cache_key},
          {"shared_cache_password_file", options.shared_cache_password_file},
          {"shared_cache_read_only", options.shared_cache_read_only},
          {"state_directory", options.state_directory},
          {"verify", [&](const Json &json) { return read_verification(json, options.verify); },
           kVerificationRemedy}};
}

void replace(auto &option, std::optional<std::string> &said) {
  if (said)
    option = std::move(*said);
}

std::unexpected<Failure> bad(const std::string &subject, std::string message, std::string remedy) {
  return std::unexpected(
      Failure{ErrorCode::bad_json, subject, std::move(message), std::move(remedy)});
}

} // namespace

bool set_compiler(Options &options, std::string_view text) {
  using Row = std::pair<std::string_view, CompilerLocation>;
  static constexpr std::array places{Row{"in-process", CompilerLocation::in_process},
                                     Row{"out-of-process", CompilerLocation::out_of_process},
                                     Row{"none", CompilerLocation::none}};
  const auto *const known = std::ranges::find(places, text, &Row::first);
  if (known != places.end()) {
    options.compiler = known->second;
    return true;
  }
  if (!text.starts_with("tcp://") && !text.starts_with("unix:"))
    return false;
  options.compiler = CompilerLocation::server;
  options.compiler_server.address = text;
  return true;
}

Result<Verification> verification_from(std::string_view text, Verification base) {
  if (text == "off")
    return Verification::off();
  if (text == "on")
    return Verification::on();
  if (text == "all") {
    base.every = 1;
    return base;
  }
  const auto bad_part = [](std::string_view part) {
    return bad(std::string(part), "does not describe which calls are compared",
               kVerificationRemedy);
  };
  for (const auto range : std::views::split(text, ',')) {
    const std::string_view part(range.begin(), range.end());
    const std::size_t sign = part.find('=');
    if (sign == std::string_view::npos)
      return bad_part(part);
    const std::string_view name = part.substr(0, sign);
    const std::string_view value = part.substr(sign + 1);
    const auto read = [value](auto &field) {
      const auto [end, error] = std::from_chars(value.begin(), value.end(), field);
      return error == std::errc() && end == value.end() && field >= 0;
    };
    if (!(name == "first"       ? read(base.first_calls)
          : name == "every"     ? read(base.every)
          : name == "budget"    ? read(base.budget) && base.budget <= 1
          : name == "tolerance" ? read(base.tolerance)
                                : false))
      return bad_part(part);
  }
  return base;
}

bool read_verification(const Json &json, Verification &verification) {
  if (!json.is_string())
    return false;
  auto read = verification_from(json.get<std::string>(), verification);
  if (read)
    verification = *read;
  return read.has_value();
}

Result<Options> options_from_json(const std::string &json) {
  const auto parsed = parse_json(json);
  if (!parsed || !parsed->is_object())
    return bad("options", "is not a JSON object", R"(write e.g. {"compile_timeout": 120})");
  Options options;
  auto read = core::read_options(*parsed, by_name(options), "is no option");
  if (!read)
    return std::unexpected(std::move(read.error()));
  return options;
}

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
  replace(options.state_directory, said.state_directory);
  options.share_quarantine =
      base::is_on("SARTOR_SHARE_QUARANTINE", said.share_quarantine, options.share_quarantine);
  replace(options.compiler_server.server_key, said.compiler_server_key);
  options.compiler_server.fallback = base::is_on("SARTOR_COMPILER_FALLBACK", said.compiler_fallback,
                                                 options.compiler_server.fallback);
  replace(options.compiler_server.key, said.compiler_key);
  options.control = base::is_on("SARTOR_CONTROL", said.control, options.control);
  replace(options.metrics_file, said.metrics_file);
  replace(options.record_requests, said.record_requests);
  replace(options.cache_directory, said.cache_directory);
  replace(options.shared_cache, said.shared_cache);
  replace(options.shared_cache_key, said.shared_cache_key);
  replace(options.shared_cache_password_file, said.shared_cache_password_file);
  replace(options.shared_cache_ca_file, said.shared_cache_ca_file);
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
