// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/view/event_lines.h"

#include <utility>

#include "base/text/json.h"
#include "core/space/readable_name.h"

namespace sartor::view {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostShown = 4096; // of a damaged line

bool is_event(const Json &json) {
  const auto has = [&](const char *name, bool (Json::*is)() const noexcept) {
    const auto found = json.find(name);
    return found != json.end() && (*found.*is)();
  };
  return json.is_object() && has("event", &Json::is_string) && has("t", &Json::is_number) &&
         !json["event"].get_ref<const std::string &>().empty();
}

} // namespace

std::string dump_for_html(const Json &json) {
  std::string text = dump(json);
  // In JSON, it can be in strings only.
  for (std::size_t i = text.find('<'); i != std::string::npos; i = text.find('<', i))
    text.replace(i, 1, "\\u003c");
  return text;
}

void EventLines::add(std::string_view line) {
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  if (line.empty())
    return;
  if (line.size() > most_line)
    return add_too_long(line, line.size());
  const auto event = parse_json(line);
  if (!event)
    add_damaged("not JSON: " + event.error().message, line, line.size());
  else if (!is_event(*event))
    add_damaged("has no event and t", line, line.size());
  else
    add(*event);
}

void EventLines::add(const Json &event) {
  if (!is_event(event)) {
    const std::string text = dump(event);
    return add_damaged("has no event and t", text, text.size());
  }
  ++events_;
  if (const auto handler = event.find("handler"); handler != event.end() && handler->is_string()) {
    const auto &name = handler->get_ref<const std::string &>();
    if (known_.try_emplace(name, true).second)
      if (std::string readable = core::readable_name(name); readable != name)
        names_[name] = std::move(readable);
  }
  if (visit_)
    visit_(event);
  append(event);
}

void EventLines::add_too_long(std::string_view beginning, std::uint64_t bytes) {
  add_damaged("is longer than 1 MiB", beginning, bytes);
}

void EventLines::add_damaged(std::string_view why, std::string_view beginning,
                             std::uint64_t bytes) {
  ++damaged_;
  append({{"damaged", why}, {"bytes", bytes}, {"text", beginning.substr(0, kMostShown)}});
}

void EventLines::append(const Json &item) {
  text_ += (text_.empty() ? "" : ",\n") + dump_for_html(item);
}

std::string EventLines::take() {
  std::string fields = "\"events\":[" + std::exchange(text_, {}) +
                       "],\"names\":" + dump_for_html(std::exchange(names_, Json::object()));
  return fields;
}

} // namespace sartor::view
