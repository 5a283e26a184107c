// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/live/top/view.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/text/json.h"
#include "base/text/printable.h"

namespace sartor::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFewestEvents = 4;

std::string printed(const char *format, double value) {
  char text[64];
  (void)std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string bytes_text(double bytes) {
  return bytes < 1024          ? printed("%.0f B", bytes)
         : bytes < 1024 * 1024 ? printed("%.1f KiB", bytes / 1024)
                               : printed("%.1f MiB", bytes / (1024 * 1024));
}

std::string time_text(double seconds) {
  const long whole = std::lround(seconds);
  char text[64];
  (void)std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60,
                      whole % 60);
  return text;
}

/// Cut or padded to a width, in characters of UTF-8.
std::string fitted(const std::string &text, std::size_t width) {
  const std::string clean = base::printable(text);
  std::string result;
  std::size_t columns = 0;
  for (const char each : clean) {
    const bool begins = (static_cast<unsigned char>(each) & 0xC0U) != 0x80U;
    if (begins && columns == width)
      break;
    columns += begins ? 1 : 0;
    result += each;
  }
  return result.append(width - columns, ' ');
}

double number(const Json &json, const char *field) {
  const auto found = json.find(field);
  return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

/// The sum of a statistic of all runtimes.
double total(const Json &status, const char *field) {
  double sum = 0;
  for (const Json &runtime : status.at("runtimes"))
    sum += number(runtime.at("statistics"), field);
  return sum;
}

/// The sum of counters by name of all runtimes.
std::map<std::string, double> counters(const Json &status, const char *field) {
  std::map<std::string, double> sums;
  for (const Json &runtime : status.at("runtimes"))
    for (const auto &[name, count] : runtime.at(field).items())
      sums[name] += count.get<double>();
  return sums;
}

std::string gain_text(const Json &decision) {
  return printed("%+.1f %%", 100 * number(decision, "gain")) +
         printed(" [%.1f,", 100 * number(decision, "gain_low")) +
         printed(" %.1f]", 100 * number(decision, "gain_high"));
}

class Layout {
public:
  Layout(std::size_t width, std::size_t height) : width_(width), height_(height) {}

  void add(const std::string &text, Line::Kind kind = Line::Kind::plain) {
    if (height_ == 0 || lines.size() < height_)
      lines.push_back({fitted(text, width_), kind});
  }
  /// Continues in further lines, which are indented.
  void add_wrapped(const std::string &text) {
    std::string line;
    std::istringstream words(text);
    for (std::string word; words >> word;
         line += (line.empty() || line == kIndent ? "" : " ") + word)
      if (line.size() + 1 + word.size() > width_ && line.size() > kIndent.size())
        add(std::exchange(line, std::string(kIndent)));
    add(line);
  }
  [[nodiscard]] std::size_t left() const {
    return height_ == 0 ? ~std::size_t{0} : height_ - lines.size();
  }

  std::vector<Line> lines;

private:
  static constexpr std::string_view kIndent = "    ";

  std::size_t width_;
  std::size_t height_;
};

std::string compile_queue_text(const Json &queue) {
  std::string text;
  for (const Json &job : queue.at("running"))
    text += (text.empty() ? "" : ", ") + job.at("kind").get<std::string>() + ' ' +
            job.at("text").get<std::string>() + " (" + job.at("tier").get<std::string>() + ')' +
            printed(" for %.1f s", number(job, "seconds"));
  return "compiling " + (text.empty() ? "nothing" : text) +
         printed("  waiting %.0f", number(queue, "waiting"));
}

void add_header(Layout &out, const Json &status) {
  out.add(status.at("program").get<std::string>() + "  pid " + dump(status.at("pid")) + "  up " +
              time_text(number(status, "uptime_seconds")) + "  sartor " +
              status.at("sartor").get<std::string>(),
          Line::Kind::heading);
  out.add("variants " + printed("%.0f", total(status, "variants")) + "  code " +
          bytes_text(total(status, "code_bytes")) + "  resident " +
          bytes_text(total(status, "resident_bytes")) + "  compiles " +
          printed("%.0f", total(status, "compiles")) + "  switches " +
          printed("%.0f", total(status, "switches")) + "  replugs " +
          printed("%.0f", total(status, "replugs")) + "  failures " +
          printed("%.0f", total(status, "failures")));
  out.add(compile_queue_text(status.at("compile_queue")));
  for (const Json &runtime : status.at("runtimes")) {
    std::string overridden;
    for (const Json &name : runtime.at("off"))
      overridden += (overridden.empty() ? "OFF: " : ", ") + name.get<std::string>();
    if (runtime.contains("pinned"))
      overridden += (overridden.empty() ? "PINNED: " : "  PINNED: ") + dump(runtime.at("pinned"));
    if (!overridden.empty())
      out.add(overridden, Line::Kind::off);
  }
}

std::string active_text(const Json &handler) {
  if (handler.at("off").get<bool>())
    return "off: native code";
  const Json &active = handler.at("active");
  if (active.is_null())
    return "native code";
  const std::string name = active.at("name").get<std::string>();
  const auto brace = name.find('{');
  return (brace == std::string::npos ? name : name.substr(brace)) +
         (active.at("quick").get<bool>() ? " (quick)" : "");
}

std::string share_text(const Snapshot &now, const std::string &handler) {
  if (!now.shares)
    return "-";
  const auto share = now.shares->find(handler);
  return printed("%.1f %%", share == now.shares->end() ? 0 : 100 * share->second);
}

/// The compared calls of the active variant; the variants that differed, if there are any.
std::string compared_text(const Json &handler) {
  const Json &comparison = handler.at("comparison");
  if (comparison.is_null())
    return "-";
  const Json &active = handler.at("active");
  const double differed = number(comparison, "differences");
  return (active.is_null() ? "-" : printed("%.0f", number(active, "compared"))) +
         (differed > 0 ? printed(", %.0f differed", differed) : "");
}

/// How calls are compared: those of the selected handler, or of all.
void add_comparisons(Layout &out, const Json &status, std::optional<std::size_t> selected) {
  std::size_t row = 0;
  for (const Json &runtime : status.at("runtimes"))
    for (const Json &handler : runtime.at("handlers")) {
      const Json &comparison = handler.at("comparison");
      const std::size_t here = row++;
      if (comparison.is_null() || comparison.at("how") == "undecided" ||
          (selected && *selected != here))
        continue;
      out.add_wrapped(handler.at("handler").get<std::string>() + " is compared " +
                      comparison.at("text").get<std::string>() +
                      printed("; calls so far: %.0f", number(comparison, "compared")) +
                      printed(", variants that differed: %.0f", number(comparison, "differences")) +
                      printed(", requests in quarantine: %.0f", number(comparison, "quarantined")));
    }
}

void add_handlers(Layout &out, const Snapshot &now, std::size_t width, std::size_t most,
                  std::optional<std::size_t> selected) {
  const std::size_t name = std::clamp<std::size_t>(width / 5, 12, 32);
  const std::size_t active = std::clamp<std::size_t>(width / 4, 16, 48);
  const auto row = [&](const std::string &first, const std::string &second,
                       const std::string &share, const std::string &size,
                       const std::string &bindings, const std::string &compared) {
    return fitted(first, name) + ' ' + fitted(second, active) + ' ' + fitted(share, 8) + ' ' +
           fitted(size, 9) + ' ' + fitted(bindings, 8) + ' ' + compared;
  };
  out.add(row("HANDLER", "ACTIVE", "SAMPLES", "CODE", "BINDINGS", "COMPARED"), Line::Kind::heading);
  std::size_t number_of_row = 0;
  const std::size_t first = selected && *selected >= most ? *selected - most + 1 : 0;
  for (const Json &runtime : now.status.at("runtimes"))
    for (const Json &handler : runtime.at("handlers")) {
      const std::size_t here = number_of_row++;
      if (here < first || here >= first + most)
        continue;
      const std::string named = handler.at("handler").get<std::string>();
      const Json &variant = handler.at("active");
      const Json &bound = handler.at("bindings");
      out.add(row(named, active_text(handler), share_text(now, named),
                  variant.is_null() ? "-" : bytes_text(number(variant, "code_bytes")),
                  number(bound, "count") == 0 ? "-"
                                              : printed("%.0f", number(bound, "specialized")) +
                                                    printed("/%.0f", number(bound, "count")),
                  compared_text(handler)),
              here == selected                ? Line::Kind::selected
              : handler.at("off").get<bool>() ? Line::Kind::off
                                              : Line::Kind::plain);
    }
  if (!now.shares)
    out.add("no samples: " + now.no_samples);
}

/// Adds the best configurations of an exploration that is under way.
void add_trials(Layout &out, const Json &exploration) {
  constexpr std::size_t kMostShown = 6;
  out.add(printed("  %.0f candidates", number(exploration, "candidates")) +
          printed(", %.0f tried", number(exploration, "tried")) +
          printed(", %.0f failed", number(exploration, "failed")) +
          printed(", %.0f samples", number(exploration, "samples")) +
          printed(" in %.1f s", number(exploration, "seconds")));
  std::size_t shown = 0;
  for (const Json &each : exploration.at("best")) {
    if (shown++ == kMostShown)
      break;
    out.add("  " + fitted(each.at("text").get<std::string>(), 36) + ' ' +
            fitted(printed("%.0f samples", number(each, "samples")), 14) +
            printed(" %.1f %% of the best", 100 * number(each, "of_best")));
  }
}

void add_explorers(Layout &out, const Json &status) {
  const Json &explorers = status.at("explorers");
  if (explorers.empty())
    return;
  out.add(fitted("EXPLORER", 24) + ' ' + fitted("STATE", 12) + ' ' + fitted("ROUNDS", 7) + ' ' +
              fitted("GAIN", 22) + " CHOICE",
          Line::Kind::heading);
  for (const Json &each : explorers) {
    const bool decided = each.contains("decision");
    out.add(fitted(each.at("objective").get<std::string>(), 24) + ' ' +
            fitted(each.at("state").get<std::string>(), 12) + ' ' +
            fitted(printed("%.0f", number(each, "explorations")), 7) + ' ' +
            fitted(decided ? gain_text(each.at("decision")) : "-", 22) + ' ' +
            (decided ? each.at("decision").at("verdict").get<std::string>() + ": " +
                           dump(each.at("decision").at("configuration"))
                     : "-"));
    if (each.contains("exploration"))
      add_trials(out, each.at("exploration"));
  }
}

/// Adds counters that have moved at all, with their rates.
void add_rates(Layout &out, const char *heading, const Snapshot &now, const Snapshot *before,
               const char *field) {
  const auto counts = counters(now.status, field);
  if (std::ranges::all_of(counts, [](const auto &each) { return each.second == 0; }))
    return;
  const auto earlier = before ? counters(before->status, field) : counts;
  const double seconds = before ? now.seconds - before->seconds : 1;
  out.add(fitted(heading, 32) + ' ' + fitted("TOTAL", 14) + " PER SECOND", Line::Kind::heading);
  for (const auto &[name, count] : counts) {
    const auto was = earlier.find(name);
    const double moved = count - (was == earlier.end() ? count : was->second);
    if (count != 0)
      out.add(fitted(name, 32) + ' ' + fitted(printed("%.0f", count), 14) + ' ' +
              (before ? printed("%.1f", moved / std::max(seconds, 1e-3)) : "-"));
  }
}

void add_quasi_invariants(Layout &out, const Json &status) {
  const Json &rows = status.at("quasi_invariants");
  if (rows.empty())
    return;
  out.add(fitted("QUASI-INVARIANT", 32) + ' ' + fitted("VALID", 6) + ' ' +
              fitted("INVALIDATED", 12) + ' ' + fitted("UNSEEN", 7) + " VARIANTS",
          Line::Kind::heading);
  for (const Json &each : rows)
    out.add(fitted(each.at("name").get<std::string>(), 32) + ' ' +
            fitted(each.at("valid").get<bool>() ? "yes" : "no", 6) + ' ' +
            fitted(printed("%.0f", number(each, "invalidated")), 12) + ' ' +
            fitted(printed("%.0f", number(each, "unseen")), 7) + ' ' +
            printed("%.0f", number(each, "made")));
}

} // namespace

std::string handler_at(const Json &status, std::size_t row) {
  for (const Json &runtime : status.at("runtimes"))
    for (const Json &handler : runtime.at("handlers"))
      if (row-- == 0)
        return handler.at("handler").get<std::string>();
  return {};
}

std::vector<Line> view(const Snapshot &now, const Snapshot *before, std::size_t width,
                       std::size_t height, std::optional<std::size_t> selected) {
  Layout out(width, height);
  add_header(out, now.status);
  std::size_t handlers = 0;
  for (const Json &runtime : now.status.at("runtimes"))
    handlers += runtime.at("handlers").size();
  // Handlers take at most half of a small screen.
  const std::size_t most = height == 0 ? handlers : std::max<std::size_t>(height / 2, 3);
  add_handlers(out, now, width, std::min(handlers, most), selected);
  add_comparisons(out, now.status, selected);
  add_explorers(out, now.status);
  add_rates(out, "FAILED GUARDS AT", now, before, "guard_failures");
  add_rates(out, "EXECUTIONS OF", now, before, "executions");
  add_quasi_invariants(out, now.status);
  if (!now.events.empty() && out.left() > kFewestEvents) {
    out.add("EVENTS", Line::Kind::heading);
    const std::size_t shown = std::min(now.events.size(), out.left());
    for (auto each = now.events.end() - static_cast<std::ptrdiff_t>(shown);
         each != now.events.end(); ++each)
      out.add(each->text(), each->is_alarming() ? Line::Kind::off : Line::Kind::plain);
  }
  return std::move(out.lines);
}

} // namespace sartor::cli
