// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/runtime_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <ranges>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

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

bool read_perf(const Json &json, Options &options) {
  using Row = std::pair<std::string_view, PerfNames>;
  static constexpr std::array names{Row{"", PerfNames::none}, Row{"map", PerfNames::map},
                                    Row{"dump", PerfNames::dump}};
  const auto *const known = json.is_string()
                                ? std::ranges::find(names, json.get<std::string>(), &Row::first)
                                : names.end();
  if (known == names.end())
    return false;
  options.perf = known->second;
  return true;
}

bool read_compiler(const Json &json, Options &options) {
  return json.is_string() && set_compiler(options, json.get<std::string>());
}

Read path(std::filesystem::path CompilerServer::*field) {
  return [field](const Json &json, Options &options) {
    if (!json.is_string())
      return false;
    options.compiler_server.*field = json.get<std::string>();
    return true;
  };
}

bool read_fallback(const Json &json, Options &options) {
  if (!json.is_boolean())
    return false;
  options.compiler_server.fallback = json.get<bool>();
  return true;
}

template <class T> Read count(T Options::*field) {
  return [field](const Json &json, Options &options) {
    if (!json.is_number_unsigned())
      return false;
    options.*field = json.get<T>();
    return true;
  };
}

Read flag(bool Options::*field) {
  return [field](const Json &json, Options &options) {
    if (!json.is_boolean())
      return false;
    options.*field = json.get<bool>();
    return true;
  };
}

template <class T> Read text(T Options::*field) {
  return [field](const Json &json, Options &options) {
    if (!json.is_string())
      return false;
    options.*field = json.get<std::string>();
    return true;
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
      {"event_log", text(&Options::event_log)},
      {"record_requests", text(&Options::record_requests)},
      {"perf", read_perf},
      {"control", flag(&Options::control)},
      {"metrics_file", text(&Options::metrics_file)},
      {"compiler", read_compiler},
      {"compiler_server_key", path(&CompilerServer::server_key)},
      {"compiler_key", path(&CompilerServer::key)},
      {"compiler_fallback", read_fallback},
      {"compile_timeout", read_timeout},
      {"compile_memory_bytes", count(&Options::compile_memory_bytes)},
      {"code_cache_bytes", count(&Options::code_cache_bytes)},
      {"cache_directory", text(&Options::cache_directory)},
      {"disk_cache_bytes", count(&Options::disk_cache_bytes)},
      {"shared_cache", text(&Options::shared_cache)},
      {"shared_cache_password_file", text(&Options::shared_cache_password_file)},
      {"shared_cache_ca_file", text(&Options::shared_cache_ca_file)},
      {"shared_cache_key", text(&Options::shared_cache_key)},
      {"shared_cache_bytes", count(&Options::shared_cache_bytes)},
      {"shared_cache_read_only", flag(&Options::shared_cache_read_only)},
      {"quick_tier", flag(&Options::quick_tier)},
      {"exact_floats", flag(&Options::exact_floats)},
      {"lazy_opening", flag(&Options::lazy_opening)},
      {"verify", read_verify},
      {"state_directory", text(&Options::state_directory)},
      {"share_quarantine", flag(&Options::share_quarantine)},
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

} // namespace sartor
