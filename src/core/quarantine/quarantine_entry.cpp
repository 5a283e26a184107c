// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/quarantine/quarantine_entry.h"

#include <array>
#include <csignal>
#include <cstring>
#include <ctime>
#include <limits>
#include <optional>
#include <utility>

#include "base/text/printable.h"

namespace sartor::core {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::array<const char *, 5> kReasons{"different", "crashed", "hung", "compile_timeout",
                                               "compile_memory"};
constexpr std::size_t kMostText = 4096;
constexpr std::size_t kMostConfiguration = 32768;

std::unexpected<Failure> bad(std::string what) {
  return std::unexpected(
      Failure{ErrorCode::bad_json, "", std::move(what), "remove it with sartor quarantine remove"});
}

Json configuration_of(const std::string &text) {
  if (text.size() <= kMostConfiguration)
    if (auto json = parse_json(text); json && json->is_object())
      return std::move(*json);
  return Json::object();
}

/// Reads fields; remembers the first one that is missing or wrong.
class Fields {
public:
  explicit Fields(const Json &json) : json_(json) {}

  std::string text(const char *name) {
    const auto found = json_.find(name);
    if (found != json_.end() && found->is_string())
      return found->get<std::string>();
    note(name);
    return {};
  }
  std::int64_t number(const char *name, std::int64_t most) {
    const auto found = json_.find(name);
    if (found != json_.end() && found->is_number_integer()) {
      const auto value = found->get<std::int64_t>();
      if (value >= 0 && value <= most)
        return value;
    }
    note(name);
    return 0;
  }
  void note(const char *name) {
    if (wrong_.empty())
      wrong_ = name;
  }
  [[nodiscard]] const std::string &wrong() const { return wrong_; }

private:
  const Json &json_;
  std::string wrong_;
};

/// The name of a signal, e.g. "SIGSEGV"; its number if it has none.
std::string signal_name(int signal) {
  const char *name = sigabbrev_np(signal);
  return name ? std::string("SIG") + name : std::to_string(signal);
}

} // namespace

const char *name_of(QuarantineReason reason) {
  return kReasons.at(static_cast<std::size_t>(reason));
}

QuarantineEntry quarantine_entry(const QuarantineKey &key, std::string variant,
                                 QuarantineReason reason) {
  const std::int64_t now = std::time(nullptr);
  QuarantineEntry entry;
  entry.key = base::to_text(key.hash);
  entry.handler = key.handler;
  entry.variant = std::move(variant);
  entry.configuration = key.configuration;
  entry.build = key.build;
  entry.processor = key.processor;
  entry.reason = reason;
  entry.first = entry.last = now;
  return entry;
}

Json to_json(const QuarantineEntry &entry) {
  const auto cut = [](const std::string &text) { return base::printable(text, kMostText); };
  return {{"key", entry.key},
          {"handler", cut(entry.handler)},
          {"variant", cut(entry.variant)},
          {"configuration", configuration_of(entry.configuration)},
          {"build", cut(entry.build)},
          {"processor", cut(entry.processor)},
          {"reason", name_of(entry.reason)},
          {"signal", entry.signal},
          {"first", entry.first},
          {"last", entry.last},
          {"processes", entry.processes},
          {"reproducer", cut(entry.reproducer)}};
}

Result<QuarantineEntry> read_quarantine_entry(std::string_view text) {
  const auto json = parse_json(text);
  if (!json || !json->is_object())
    return bad("is not a JSON object");
  Fields fields(*json);
  constexpr auto kAnyTime = std::numeric_limits<std::int64_t>::max();
  QuarantineEntry entry;
  entry.key = fields.text("key");
  entry.handler = fields.text("handler");
  entry.variant = fields.text("variant");
  entry.build = fields.text("build");
  entry.processor = fields.text("processor");
  const std::string reason = fields.text("reason");
  entry.signal = static_cast<int>(fields.number("signal", NSIG));
  entry.first = fields.number("first", kAnyTime);
  entry.last = fields.number("last", kAnyTime);
  entry.processes =
      static_cast<unsigned>(fields.number("processes", std::numeric_limits<std::int32_t>::max()));
  entry.reproducer = fields.text("reproducer");
  const auto configuration = json->find("configuration");
  if (configuration != json->end() && configuration->is_object())
    entry.configuration = dump(*configuration);
  else
    fields.note("configuration");
  std::size_t number = 0;
  while (number < kReasons.size() && reason != kReasons.at(number))
    ++number;
  if (number == kReasons.size())
    fields.note("reason");
  else
    entry.reason = static_cast<QuarantineReason>(number);
  if (!fields.wrong().empty())
    return bad("has no valid field " + fields.wrong());
  return entry;
}

std::string text_of(const QuarantineEntry &entry) {
  if (!entry.damage.empty())
    return "(its file " + entry.damage + ")";
  return name_of(entry.reason) +
         (entry.signal != 0 ? " (" + signal_name(entry.signal) + ")" : std::string()) + " in " +
         std::to_string(entry.processes) + (entry.processes == 1 ? " process" : " processes");
}

} // namespace sartor::core
