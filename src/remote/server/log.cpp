// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/log.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <utility>

#include "base/text/json.h"
#include "base/text/printable.h"

namespace sartor::server {

namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr auto kWindow = 10s;
constexpr unsigned kMostInWindow = 10;
constexpr std::size_t kMostWindows = 256;
constexpr std::size_t kMostText = 1024; ///< Bytes of a message or a field.

const char *name_of(Level level) {
  constexpr std::array names{"info", "warning", "error"};
  return names.at(static_cast<std::size_t>(level));
}

std::string time_text() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  gmtime_r(&now.tv_sec, &parts);
  std::array<char, 40> text{};
  const std::size_t size = strftime(text.data(), text.size(), "%FT%T", &parts);
  (void)std::snprintf(text.data() + size, text.size() - size, ".%03ldZ", now.tv_nsec / 1'000'000);
  return text.data();
}

Json cleaned(const Json &fields) {
  Json clean = Json::object();
  for (const auto &[name, value] : fields.items())
    clean[name] = value.is_string()
                      ? Json(base::printable(value.get_ref<const std::string &>(), kMostText))
                      : value;
  return clean;
}

std::string text_of(const Json &value) {
  if (!value.is_string())
    return dump(value);
  const auto &text = value.get_ref<const std::string &>();
  return text.empty() || text.find_first_of(" \"=") != std::string::npos ? dump(value) : text;
}

} // namespace

void Log::write(Level level, std::string_view event, std::string_view message, Fields fields) {
  const std::string clean = base::printable(message, kMostText);
  fields = cleaned(fields);
  std::string line;
  if (format_ == LogFormat::json) {
    Json record{{"time", time_text()}, {"level", name_of(level)}, {"event", event}};
    if (!clean.empty())
      record["message"] = clean;
    record.update(fields);
    line = dump(record);
  } else {
    line = time_text() + " " + name_of(level) + " " + std::string(event);
    if (!clean.empty())
      line += ": " + clean;
    else
      for (const auto &[name, value] : fields.items())
        line += " " + name + "=" + text_of(value);
  }
  line += '\n';
  (void)!::write(file_, line.data(), line.size()); // an error cannot be reported anywhere else
}

void Log::failure(Level level, std::string_view event, const Failure &failure) {
  write(level, event, failure.text(), to_json(failure));
}

void Log::write_some(Level level, std::string_view event, const std::string &about, Fields fields,
                     Clock::time_point now) {
  std::string key = std::string(event) + " " + about;
  if (!windows_.contains(key) && windows_.size() >= kMostWindows)
    key = event; // a peer makes up names
  Window &window = windows_.try_emplace(key, Window{now}).first->second;
  if (window.written >= kMostInWindow && now < window.begin + kWindow) {
    ++window.left_out;
    return;
  }
  if (now >= window.begin + kWindow)
    report_left_out(now);
  ++windows_.try_emplace(key, Window{now}).first->second.written;
  write(level, event, "", std::move(fields));
}

void Log::report_left_out(Clock::time_point now) {
  std::erase_if(windows_, [&](const auto &each) {
    const auto &[about, window] = each;
    if (now < window.begin + kWindow)
      return false;
    if (window.left_out > 0)
      write(Level::warning, "left_out",
            std::to_string(window.left_out) + " more like this: " + about,
            {{"records", window.left_out}, {"about", about}});
    return true;
  });
}

} // namespace sartor::server
