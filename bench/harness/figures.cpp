// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "figures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

namespace sartor::bench {

namespace {

std::string number(double value) {
  char text[32];
  const double size = value < 0 ? -value : value;
  const char *format = size >= 1000 ? "%.0f" : size >= 100 ? "%.1f" : size >= 0.1 ? "%.3f" : "%.5f";
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string text(const Goal &goal) {
  switch (goal.kind) {
  case Goal::Kind::none:
    return "";
  case Goal::Kind::at_least:
    return ">= " + number(goal.bound);
  case Goal::Kind::at_most:
    return "<= " + number(goal.bound);
  case Goal::Kind::no_more:
    return "<~ " + number(goal.bound);
  }
  return "";
}

void print_row(const char *name, const std::string &value, const std::string &unit,
               const std::string &interval, const std::string &goal, const char *verdict,
               const std::string &paper) {
  std::printf("%-32s %10s %-7s %-20s %-10s %-8s %s\n", name, value.c_str(), unit.c_str(),
              interval.c_str(), goal.c_str(), verdict, paper.c_str());
}

void print(const std::string &bench, const std::vector<Figure> &figures) {
  print_row(bench.c_str(), "value", "unit", "95 % interval", "goal", "", "literature");
  for (const Figure &figure : figures) {
    const bool has_goal = figure.goal.kind != Goal::Kind::none;
    const bool is_measured = !std::isnan(figure.measured.value);
    print_row(figure.name.c_str(), is_measured ? number(figure.measured.value) : "-", figure.unit,
              is_measured
                  ? "[" + number(figure.measured.low) + ", " + number(figure.measured.high) + "]"
                  : "too short to measure",
              text(figure.goal),
              !has_goal          ? ""
              : figure.reached() ? "reached"
                                 : "MISSED",
              figure.paper ? number(*figure.paper) : "");
  }
}

} // namespace

Interval wilson(double share, double of) {
  constexpr double z = 1.96;
  const double center = (share + z * z / (2 * of)) / (1 + z * z / of);
  const double radius =
      z / (1 + z * z / of) * std::sqrt(share * (1 - share) / of + z * z / (4 * of * of));
  return {share, std::max(center - radius, 0.0), center + radius};
}

bool Figure::reached() const {
  switch (goal.kind) {
  case Goal::Kind::none:
    return true;
  case Goal::Kind::at_least:
    return measured.value >= goal.bound;
  case Goal::Kind::at_most:
    return measured.value <= goal.bound;
  case Goal::Kind::no_more:
    return measured.low <= goal.bound;
  }
  return true;
}

void report(const Measured &what, const std::vector<Figure> &figures,
            const std::filesystem::path &directory) {
  print(what.bench, figures);

  nlohmann::ordered_json document = {{"bench", what.bench}};
  if (!what.limits.empty()) {
    std::printf("limits: %s\n", what.limits.c_str());
    document["limits"] = what.limits;
  }
  document["figures"] = nlohmann::json::array();
  for (const Figure &figure : figures) {
    nlohmann::ordered_json entry = {{"name", figure.name},
                                    {"value", figure.measured.value},
                                    {"unit", figure.unit},
                                    {"low", figure.measured.low},
                                    {"high", figure.measured.high}};
    if (figure.goal.kind != Goal::Kind::none)
      entry["goal"] = figure.goal.bound;
    if (figure.paper)
      entry["paper"] = *figure.paper;
    document["figures"].push_back(std::move(entry));
  }
  std::filesystem::create_directories(directory);
  const std::filesystem::path file = directory / (what.bench + ".json");
  std::ofstream out(file);
  out << document.dump(2) << '\n';
  if (!out.flush())
    throw std::runtime_error("cannot write " + file.string());
  std::printf("written: %s\n", file.c_str());
}

} // namespace sartor::bench
