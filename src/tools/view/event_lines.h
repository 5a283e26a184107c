// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_VIEW_EVENT_LINES_H
#define SARTOR_TOOLS_VIEW_EVENT_LINES_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace sartor::view {

/// Converts lines of an event log to JSON for the page. The lines are untrusted. A line that is no
/// event becomes `{"damaged": reason, "bytes": size, "text": beginning}`: nothing is left out but
/// empty lines. The result can be put between HTML tags: it contains no `<`.
class EventLines {
public:
  using Visit = std::function<void(const nlohmann::ordered_json &event)>;

  /// Longer lines are damaged.
  static constexpr std::size_t most_line = std::size_t{1} << 20;

  explicit EventLines(Visit visit = {}) : visit_(std::move(visit)) {}

  /// Adds a line without its end.
  void add(std::string_view line);
  /// Adds a line of which only the beginning was read.
  void add_too_long(std::string_view beginning, std::uint64_t bytes);
  /// Adds an event that was read elsewhere.
  void add(const nlohmann::ordered_json &event);

  [[nodiscard]] std::size_t size() const { return events_ + damaged_; }
  [[nodiscard]] std::size_t events() const { return events_; }
  [[nodiscard]] std::size_t damaged() const { return damaged_; }
  [[nodiscard]] std::size_t bytes() const { return text_.size(); }

  /// Returns the fields `"events":[...],"names":{...}` of what was added since the last call; names
  /// are readable names of handlers.
  std::string take();

private:
  void append(const nlohmann::ordered_json &item);
  void add_damaged(std::string_view why, std::string_view beginning, std::uint64_t bytes);

  Visit visit_;
  std::string text_;
  nlohmann::ordered_json names_ = nlohmann::ordered_json::object();
  std::map<std::string, bool, std::less<>> known_;
  std::size_t events_ = 0;
  std::size_t damaged_ = 0;
};

/// Serializes for a place between HTML tags.
std::string dump_for_html(const nlohmann::ordered_json &json);

} // namespace sartor::view

#endif
