// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/runtime_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <functional>
#include <map>
#include <optional>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/environment.h"
#include "core/space/nearest.h"

namespace sartor {

namespace {

using Json = nlohmann::json;
using Read = std::function<bool(const Json &, Options &)>;

// A timeout of more than a year is an error.
constexpr double kLongestSeconds = 3.2e7;

bool read_timeout(const Json &json, Options &options) {
  if (!json.is_number() || !(json.get<double>() > 0 && json.get<double>() < kLongestSeconds))
    return false;
  options.compile_timeout = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::duration<double>(json.get<double>()));
  return true;
}

std::optional<PerfNames> perf_names(std::string_view text) {
  if (text.empty())
    return PerfNames::none;
  if (text == "map")
    return PerfNames::map;
  if (text == "dump")
    return PerfNames::dump;
  return std::nullopt;
}

bool read_perf(const Json &json, Options &options) {
  const auto names = json.is_string() ? perf_names(json.get<std::string>()) : std::nullopt;
  if (names)
    options.perf = *names;
  return names.has_value();
}

bool read_compiler(const Json &json, Options &options) {
  return json.is_string() && set_compiler(options, json.get<std::string>());
}

/// Sets a field from a value of its kind: true or false, a count, or a text.
template <class T> bool set(T &field, const Json &json) {
  using Kind = std::conditional_t<std::is_arithmetic_v<T>, T, std::string>;
  const bool fits = std::same_as<T, bool>     ? json.is_boolean()
                    : std::is_arithmetic_v<T> ? json.is_number_unsigned()
                                              : json.is_string();
  if (fits)
    field = json.get<Kind>();
  return fits;
}

template <class T> Read plain(T Options::*field) {
  return [field](const Json &json, Options &options) { return set(options.*field, json); };
}

template <class T> Read plain(T CompilerServer::*field) {
  return [field](const Json &json, Options &options) {
    return set(options.compiler_server.*field, json);
  };
}

bool read_verify(const Json &json, Options &options) {
  if (!json.is_string())
    return false;
  auto read = verification_from(json.get<std::string>(), options.verify);
  if (read)
    options.verify = *read;
  return read.has_value();
}

const std::map<std::string, Read> &options_by_name() {
  // Never destroyed: a runtime may be opened while the process exits.
  static const auto &all = *new std::map<std::string, Read>{
      {"event_log", plain(&Options::event_log)},
      {"record_requests", plain(&Options::record_requests)},
      {"perf", read_perf},
      {"control", plain(&Options::control)},
      {"metrics_file", plain(&Options::metrics_file)},
      {"compiler", read_compiler},
      {"compiler_server_key", plain(&CompilerServer::server_key)},
      {"compiler_key", plain(&CompilerServer::key)},
      {"compiler_fallback", plain(&CompilerServer::fallback)},
      {"compile_timeout", read_timeout},
      {"compile_memory_bytes", plain(&Options::compile_memory_bytes)},
      {"code_cache_bytes", plain(&Options::code_cache_bytes)},
      {"cache_directory", plain(&Options::cache_directory)},
      {"disk_cache_bytes", plain(&Options::disk_cache_bytes)},
      {"shared_cache", plain(&Options::shared_cache)},
      {"shared_cache_password_file", plain(&Options::shared_cache_password_file)},
      {"shared_cache_ca_file", plain(&Options::shared_cache_ca_file)},
      {"shared_cache_key", plain(&Options::shared_cache_key)},
      {"shared_cache_bytes", plain(&Options::shared_cache_bytes)},
      {"shared_cache_read_only", plain(&Options::shared_cache_read_only)},
      {"quick_tier", plain(&Options::quick_tier)},
      {"exact_floats", plain(&Options::exact_floats)},
      {"lazy_opening", plain(&Options::lazy_opening)},
      {"verify", read_verify},
      {"state_directory", plain(&Options::state_directory)},
      {"share_quarantine", plain(&Options::share_quarantine)},
  };
  return all;
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
               "write on, off, all, or some of first=CALLS, budget=SHARE, every=CALLS, "
               "tolerance=NUMBER, separated by commas");
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

Result<Options> options_from_json(const std::string &json) {
  const Json parsed = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object())
    return bad("options", "is not a JSON object", R"(write e.g. {"compile_timeout": 120})");
  Options options;
  for (const auto &[name, value] : parsed.items()) {
    const auto known = options_by_name().find(name);
    if (known == options_by_name().end()) {
      std::vector<std::string> names;
      for (const auto &[each, read] : options_by_name())
        names.push_back(each);
      return bad(name, "is no option", nearest_names(name, names));
    }
    if (!known->second(value, options))
      return bad(name,
                 value.dump(-1, ' ', false, Json::error_handler_t::replace) +
                     " is not what this option takes",
                 "see sartor::Options; durations are in seconds");
  }
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
