// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_report.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>

namespace matmul {

namespace {

using nlohmann::json;

std::string describe(double time, const std::string &event, const std::string &text) {
  std::array<char, 160> line;
  std::snprintf(line.data(), line.size(), "%7.2f s  %-13s  %s", time, event.c_str(), text.c_str());
  return line.data();
}

std::string in_giga(double rate) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.2f", rate * 1e-9);
  return text.data();
}

} // namespace

std::string without_marks(std::string variant) {
  std::erase(variant, '!');
  return variant;
}

void RunReport::read_on() {
  if (!file_.is_open())
    file_.open(log_);
  std::array<char, 65536> part;
  do {
    file_.clear(); // clears the end-of-file state of the last read
    file_.read(part.data(), part.size());
    unfinished_.append(part.data(), static_cast<std::size_t>(file_.gcount()));
  } while (file_.gcount() > 0);

  std::size_t begin = 0;
  for (std::size_t end; (end = unfinished_.find('\n', begin)) != std::string::npos; begin = end + 1)
    try {
      add(std::string_view(unfinished_).substr(begin, end - begin));
    } catch (const json::exception &) { // not one of this program's events
    }
  unfinished_.erase(0, begin);
}

double RunReport::rate_of(double score) const {
  const bool is_cost = !explorations.empty() && explorations.back().compares_cost;
  return is_cost ? 1 / std::abs(score) : score; // the score of a cost is negative
}

void RunReport::add(std::string_view line) {
  const json event = json::parse(line);
  const double time = event.at("t");
  const std::string kind = event.at("event");
  const auto report = [&](const std::string &text) {
    constexpr std::size_t most_recent = 6;
    recent.push_back(describe(time - origin(), kind, text));
    if (recent.size() > most_recent)
      recent.pop_front();
  };

  if (kind == "throughput") {
    samples.push_back({time, event.at("rate"), event.at("madds"), event.at("requests"),
                       event.at("guard_failures"), without_marks(event.at("text")), exploring});
  } else if (kind == "phase") {
    if (!phases.empty() && !phases.back().end)
      phases.back().end = time;
    const std::uint64_t n = event.at("n");
    if (n != 0)
      phases.push_back({n, time, {}});
    report(n != 0 ? "requests are of N = " + std::to_string(n) + " now" : "no requests any more");
  } else if (kind == "explore_start") {
    if (!explorations.empty() && !explorations.back().ended)
      explorations.back().ended = time;
    exploring = true;
    explorations.push_back({time, {}, event.at("unit") == "s"});
    report(event.at("candidates").dump() + " candidates" +
           (explorations.back().compares_cost ? ", by processor time" : ""));
  } else if (kind == "trial") {
    trials.push_back(
        {time, event.at("seconds"), rate_of(event.at("score")), without_marks(event.at("text"))});
  } else if (kind == "decide") {
    exploring = false;
    if (!explorations.empty())
      explorations.back().ended = time;
    double low = rate_of(event.at("low"));
    double high = rate_of(event.at("high"));
    if (low > high)
      std::swap(low, high);
    decisions.push_back({time, rate_of(event.at("mean")), low, high, event.at("windows"),
                         without_marks(event.at("text"))});
    const ReportDecision &decision = decisions.back();
    report(
        decision.variant + " with " + in_giga(decision.mean) + " [" + in_giga(decision.low) + ", " +
        in_giga(decision.high) + "] G madd/s" +
        (!explorations.empty() && explorations.back().compares_cost ? " of processor time" : ""));
  } else if (kind == "change") {
    report("from " + in_giga(rate_of(event.at("before"))) + " to " +
           in_giga(rate_of(event.at("now"))) + " G madd/s");
  }
}

} // namespace matmul
