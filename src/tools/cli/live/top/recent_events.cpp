// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/live/top/recent_events.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <utility>

#include "base/text/json.h"
#include "base/text/printable.h"
#include "core/space/readable_name.h"

namespace sartor::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostKept = 200;
constexpr std::size_t kKindWidth = 18;

/// Explorers switch hundreds of times a second; the rest of the view shows what these events do.
bool is_too_frequent(const std::string &kind) {
  return kind == "switch" || kind == "window" || kind == "guards";
}

std::string text_of(const Json &event, const char *field) {
  const auto found = event.find(field);
  return found != event.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string words_of(const Json &event) {
  const std::string variant = text_of(event, "text");
  const std::string message = text_of(event, "message");
  if (event.contains("text"))
    return core::readable_name(text_of(event, "handler")) + variant +
           (message.empty() ? "" : ": " + message);
  if (!message.empty())
    return text_of(event, "subject") + ": " + message;
  std::string words;
  for (const auto &[name, value] : event.items())
    if (name != "t" && name != "event" && value.is_primitive())
      words += name + '=' + (value.is_string() ? value.get<std::string>() : dump(value)) + ' ';
  return words;
}

} // namespace

std::string RecentEvents::Line::text() const {
  char time[32];
  (void)std::snprintf(time, sizeof time, "%10.3f  ", seconds);
  std::string text = time + base::printable(kind, kKindWidth);
  text.append(kKindWidth - std::min(kKindWidth, kind.size()) + 1, ' ');
  return text + words + (times > 1 ? " x " + std::to_string(times) : "");
}

void RecentEvents::add(const Json &event) {
  Line line{.seconds = 0, .kind = text_of(event, "event"), .words = words_of(event)};
  if (is_too_frequent(line.kind))
    return;
  if (const auto time = event.find("t"); time != event.end() && time->is_number())
    line.seconds = time->get<double>();
  const auto same = std::ranges::find_if(lines_, [&](const Line &known) {
    return known.kind == line.kind && known.words == line.words;
  });
  if (same != lines_.end()) {
    line.times += same->times;
    lines_.erase(same);
  }
  lines_.push_back(std::move(line));
  if (lines_.size() > kMostKept)
    lines_.pop_front();
}

} // namespace sartor::cli
