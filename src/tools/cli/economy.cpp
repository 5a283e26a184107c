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

#include "base/json.h"

namespace sartor::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kFigures{
    "held", "broken", "holding_nanoseconds", "breaking_nanoseconds", "made", "making_nanoseconds"};

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

/// An interval's ends may be missing: nothing is known in that direction.
std::string interval(const Json &event, const char *field, Write write) {
  const auto found = event.find(field);
  if (found == event.end() || !found->is_object())
    return "?";
  return end_of(*found, "mean", write) + " (" + end_of(*found, "low", write) + " to " +
         end_of(*found, "high", write) + ")";
}

void add_line(std::ostringstream &out, const char *term, const std::string &value) {
  constexpr std::size_t kWidth = 22;
  const std::string name = term;
  out << "    " << name << std::string(kWidth - std::min(kWidth, name.size()), ' ') << value
      << '\n';
}

void tell_weighed(std::ostringstream &out, const Json &told) {
  const std::string worth = text_of(told, "worth");
  const char *relation = worth == "worth it" ? ">" : worth == "not worth it" ? "<" : "?";
  const bool measured = number_of(told, "windows") > 0;
  out << "  gain per call x calls between breaks  " << relation
      << "  specializing + guarding + breaking\n";
  add_line(out, "gain per call",
           measured ? interval(told, "gain_per_call", seconds)
                    : "not measured; " +
                          end_of(told.value("gain_per_call", Json::object()), "high", seconds) +
                          " at most, all that a call takes");
  add_line(out, "calls between breaks", interval(told, "calls_between_breaks", count));
  add_line(out, "benefit", interval(told, "benefit", seconds));
  add_line(out, "specializing", seconds(number_of(told, "specializing")));
  add_line(out, "guarding", interval(told, "guarding", seconds));
  add_line(out, "breaking", interval(told, "breaking", seconds));
  add_line(out, "cost", interval(told, "cost", seconds));
  out << "  ";
  if (measured)
    out << "by \"" << text_of(told, "objective") << "\": " << interval(told, "gain", percent)
        << " more with it, in " << count(number_of(told, "windows")) << " windows; ";
  out << times(number_of(told, "held"), "came to hold") << ", "
      << times(number_of(told, "broken"), "broken") << " in "
      << seconds(number_of(told, "seconds_held")) << '\n';
  if (const std::string missing = text_of(told, "missing"); !missing.empty())
    out << "  missing: " << missing << '\n';
  if (const double alone = number_of(told, "seconds_left_alone"); alone > 0)
    out << "  left alone for " << seconds(alone) << '\n';
}

void tell_figures(std::ostringstream &out, const Json &figures) {
  const double held = number_of(figures, "held"), broken = number_of(figures, "broken"),
               made = number_of(figures, "made"),
               holding = number_of(figures, "holding_nanoseconds") * 1e-9,
               making = number_of(figures, "making_nanoseconds") * 1e-9,
               breaking = number_of(figures, "breaking_nanoseconds") * 1e-9;
  out << "  " << times(held, "came to hold") << ", " << times(broken, "broken");
  if (broken > 0)
    out << ": " << seconds(holding / broken) << " between breaks, of " << seconds(breaking / broken)
        << " each";
  out << "\n  " << count(made) << (made == 1 ? " variant" : " variants") << " made for it";
  if (made > 0 && held > 0)
    out << " in " << seconds(making) << ": " << seconds(making / held)
        << " for each time that it came to hold";
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
  for (std::string line; std::getline(file, line);) {
    const auto event = parse_json(line);
    if (event && event->is_object())
      report.add(*event);
    else if (!line.empty())
      ++report.unreadable_;
  }
  if (file.bad()) // a folder, for one
    return std::unexpected(
        Failure{ErrorCode::file_error, log, "cannot be read to its end", "give an event log"});
  return report;
}

void EconomyReport::add(const Json &event) {
  const std::string kind = text_of(event, "event"), name = text_of(event, "fact");
  if (kind == "economy")
    facts_[name].weighed = event;
  else if (kind == "fact_holds" || kind == "fact_dropped") {
    Story &story = facts_[name];
    story.figures = event;
    story.is_over = kind == "fact_dropped";
  }
}

std::string EconomyReport::text() const {
  std::ostringstream out;
  for (const auto &[name, story] : facts_) {
    out << name << ": " << (story.weighed ? text_of(*story.weighed, "worth") : "never weighed")
        << '\n';
    if (story.weighed) {
      tell_weighed(out, *story.weighed);
    } else {
      tell_figures(out, story.figures);
      out << "  missing: what it gains, which sartor::weigh() measures, or sartor_weigh_fact()\n";
    }
    if (!story.is_over)
      out << "  the log ends before the fact\n";
  }
  if (facts_.empty())
    out << "no facts\n";
  if (unreadable_ > 0)
    out << unreadable_ << (unreadable_ == 1 ? " line" : " lines")
        << " could not be read, and left out\n";
  return out.str();
}

Json EconomyReport::json() const {
  auto facts = Json::array();
  for (const auto &[name, story] : facts_) {
    Json told = {{"fact", name}, {"economy", story.weighed.value_or(Json())}};
    auto figures = Json::object();
    for (const char *field : kFigures)
      figures[field] = number_of(story.figures, field);
    told["figures"] = std::move(figures);
    told["is_over"] = story.is_over;
    facts.push_back(std::move(told));
  }
  return {{"facts", std::move(facts)}, {"unreadable_lines", unreadable_}};
}

} // namespace sartor::cli
