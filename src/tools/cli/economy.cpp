// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/economy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/text/json.h"

namespace sartor::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kFigures{
    "held", "invalidated",       "valid_nanoseconds", "invalidation_nanoseconds",
    "made", "making_nanoseconds"};

std::string text_of(const Json &event, const char *field) {
  const auto found = event.find(field);
  return found != event.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Events of the whole process have all fields as texts.
double number_of(const Json &event, const char *field) {
  const auto found = event.find(field);
  if (found == event.end())
    return 0;
  if (found->is_number())
    return found->get<double>();
  const std::string text = found->is_string() ? found->get<std::string>() : "";
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string short_number(double number) {
  std::ostringstream out;
  out.precision(3);
  out << number;
  return out.str();
}

std::string seconds(double time) {
  const double size = std::fabs(time);
  return size == 0     ? "0"
         : size < 1e-6 ? short_number(time * 1e9) + " ns"
         : size < 1e-3 ? short_number(time * 1e6) + " us"
         : size < 1    ? short_number(time * 1e3) + " ms"
                       : short_number(time) + " s";
}

std::string percent(double share) { return short_number(share * 100) + " %"; }

std::string count(double number) { return short_number(number); }

std::string times(double number, const std::string &what) {
  return what + " " + count(number) + (number == 1 ? " time" : " times");
}

using Write = std::string (*)(double);

std::string end_of(const Json &interval, const char *end, Write write) {
  const auto found = interval.find(end);
  return found != interval.end() && found->is_number() ? write(found->get<double>())
                                                       : std::string("?");
}

/// An end of an interval may be missing: then nothing is known in that direction.
std::string interval(const Json &event, const char *field, Write write) {
  const auto found = event.find(field);
  if (found == event.end() || !found->is_object())
    return "?";
  return end_of(*found, "mean", write) + " (" + end_of(*found, "low", write) + " to " +
         end_of(*found, "high", write) + ")";
}

void add_line(std::ostringstream &out, const char *term, const std::string &value) {
  constexpr std::size_t kWidth = 29;
  const std::string name = term;
  out << "    " << name << std::string(kWidth - std::min(kWidth, name.size()), ' ') << value
      << '\n';
}

void report_weighed(std::ostringstream &out, const Json &reported) {
  const std::string worth = text_of(reported, "worth");
  const char *relation = worth == "worth it" ? ">" : worth == "not worth it" ? "<" : "?";
  const bool measured = number_of(reported, "windows") > 0;
  out << "  gain per call x calls between invalidations  " << relation
      << "  specializing + guarding + invalidating\n";
  add_line(out, "gain per call",
           measured ? interval(reported, "gain_per_call", seconds)
                    : "not measured; " +
                          end_of(reported.value("gain_per_call", Json::object()), "high", seconds) +
                          " at most, all that a call takes");
  add_line(out, "calls between invalidations",
           interval(reported, "calls_between_invalidations", count));
  add_line(out, "benefit", interval(reported, "benefit", seconds));
  add_line(out, "specializing", seconds(number_of(reported, "specializing")));
  add_line(out, "guarding", interval(reported, "guarding", seconds));
  add_line(out, "invalidating", interval(reported, "invalidating", seconds));
  add_line(out, "cost", interval(reported, "cost", seconds));
  out << "  ";
  if (measured)
    out << "by \"" << text_of(reported, "objective")
        << "\": " << interval(reported, "gain", percent) << " more with it, in "
        << count(number_of(reported, "windows")) << " windows; ";
  out << times(number_of(reported, "held"), "became valid") << ", "
      << times(number_of(reported, "invalidated"), "invalidated") << " in "
      << seconds(number_of(reported, "seconds_valid")) << '\n';
  if (const std::string missing = text_of(reported, "missing"); !missing.empty())
    out << "  missing: " << missing << '\n';
  if (const double alone = number_of(reported, "seconds_left_alone"); alone > 0)
    out << "  left alone for " << seconds(alone) << '\n';
}

void report_figures(std::ostringstream &out, const Json &figures) {
  const double held = number_of(figures, "held"), invalidated = number_of(figures, "invalidated"),
               made = number_of(figures, "made"),
               holding = number_of(figures, "valid_nanoseconds") * 1e-9,
               making = number_of(figures, "making_nanoseconds") * 1e-9,
               invalidating = number_of(figures, "invalidation_nanoseconds") * 1e-9;
  out << "  " << times(held, "became valid") << ", " << times(invalidated, "invalidated");
  if (invalidated > 0)
    out << ": " << seconds(holding / invalidated) << " between invalidations, of "
        << seconds(invalidating / invalidated) << " each";
  out << "\n  " << count(made) << (made == 1 ? " variant" : " variants") << " made for it";
  if (made > 0 && held > 0)
    out << " in " << seconds(making) << ": " << seconds(making / held)
        << " for each time that it became valid";
  out << '\n';
}

} // namespace

Result<EconomyReport> EconomyReport::read(const std::string &log) {
  std::ifstream file(log);
  if (!file)
    return std::unexpected(Failure{ErrorCode::file_error, log, "cannot be read",
                                   "give the file that SARTOR_EVENT_LOG or Options::event_log "
                                   "named"});
  EconomyReport report;
  bool has_events = false;
  bool has_other_lines = false;
  for (std::string line; std::getline(file, line);) {
    const auto event = parse_json(line);
    if (event && event->is_object()) {
      report.add(*event);
      has_events = true;
    } else if (!line.empty()) {
      ++report.unreadable_;
      has_other_lines |= !file.eof(); // the last line of a log may be cut short
    }
  }
  if (file.bad()) // for example, a directory
    return std::unexpected(
        Failure{ErrorCode::file_error, log, "cannot be read to its end", "give an event log"});
  if (has_other_lines && !has_events)
    return std::unexpected(
        Failure{ErrorCode::bad_json, log,
                "none of its " + std::to_string(report.unreadable_) + " lines is an event",
                "give the file that SARTOR_EVENT_LOG or Options::event_log "
                "named"});
  return report;
}

void EconomyReport::add(const Json &event) {
  const std::string kind = text_of(event, "event"), name = text_of(event, "quasi_invariant");
  if (kind == "economy")
    quasi_invariants_[name].weighed = event;
  else if (kind == "quasi_invariant_valid" || kind == "quasi_invariant_dropped") {
    History &history = quasi_invariants_[name];
    history.figures = event;
    history.is_over = kind == "quasi_invariant_dropped";
  }
}

std::string EconomyReport::text() const {
  std::ostringstream out;
  for (const auto &[name, history] : quasi_invariants_) {
    out << name << ": " << (history.weighed ? text_of(*history.weighed, "worth") : "not weighed")
        << '\n';
    if (history.weighed) {
      report_weighed(out, *history.weighed);
    } else {
      report_figures(out, history.figures);
      out << "  missing: what it gains, which sartor::weigh() measures, or "
             "sartor_quasi_invariant_weigh()\n";
    }
    if (!history.is_over)
      out << "  still existed at the end of the log\n";
  }
  if (quasi_invariants_.empty())
    out << "no quasi-invariants\n";
  if (unreadable_ > 0)
    out << unreadable_ << (unreadable_ == 1 ? " line" : " lines")
        << " could not be read; ignored\n";
  return out.str();
}

Json EconomyReport::json() const {
  auto quasi_invariants = Json::array();
  for (const auto &[name, history] : quasi_invariants_) {
    Json reported = {{"quasi_invariant", name}, {"economy", history.weighed.value_or(Json())}};
    auto figures = Json::object();
    for (const char *field : kFigures)
      figures[field] = number_of(history.figures, field);
    reported["figures"] = std::move(figures);
    reported["is_over"] = history.is_over;
    quasi_invariants.push_back(std::move(reported));
  }
  return {{"quasi_invariants", std::move(quasi_invariants)}, {"unreadable_lines", unreadable_}};
}

} // namespace sartor::cli
