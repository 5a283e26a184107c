// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_FIGURES_H
#define SARTOR_BENCH_FIGURES_H

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace sartor::bench {

/// A measured number and its 95 % confidence interval.
struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;

  /// The work was too short to measure: no numbers.
  static Interval too_short() {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return {none, none, none};
  }
};

/// Returns a number that is known exactly.
template <class Number> Interval exactly(Number number) {
  const auto value = static_cast<double>(number);
  return {value, value, value};
}

/// Returns a share that was found in `of` trials, with its 95 % interval (E. B. Wilson, "Probable
/// Inference, the Law of Succession, and Statistical Inference", JASA 22, 1927).
Interval wilson(double share, double of);

/// The goal of a figure.
struct Goal {
  enum class Kind : unsigned char { none, at_least, at_most, no_more };
  Kind kind = Kind::none;
  double bound = 0;
};

inline Goal at_least(double bound) { return {Goal::Kind::at_least, bound}; }
inline Goal at_most(double bound) { return {Goal::Kind::at_most, bound}; }
/// Not shown to be more: reached if the interval begins at `bound` or below.
inline Goal no_more_than(double bound) { return {Goal::Kind::no_more, bound}; }

/// One result of a benchmark.
struct Figure {
  std::string name;
  std::string unit; ///< "ratio", "cycles", "ms", ...
  Interval measured;
  Goal goal{};
  std::optional<double> paper{}; ///< The value that the literature reports.

  [[nodiscard]] bool reached() const;
};

/// The name of the linked benchmark, and its measurement. Each bench_*.cpp defines both.
extern const char *const bench_name;
std::vector<Figure> measure();

/// The origin of figures.
struct Measured {
  std::string bench;
  /// A hash of src/tuner/limits.h, if the figures depend on it: figures with another hash belong to
  /// another explorer.
  std::string limits;
};

/// Prints a benchmark's figures as a table, and writes them to `directory`/<bench>.json. Throws
/// std::runtime_error if the file cannot be written.
void report(const Measured &what, const std::vector<Figure> &figures,
            const std::filesystem::path &directory);

} // namespace sartor::bench

#endif
