// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Programs whose truth is known, in simulated time: the mean speed of each variant is a parameter.
/// Explorations of them are real: strategy, race, confirmation, meter and budget are the product's,
/// with their defaults.
#ifndef SARTOR_TEST_EXPLORE_WORLDS_H
#define SARTOR_TEST_EXPLORE_WORLDS_H

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <sartor/explorer.hpp>

#include "tuner/measure/window_meter.h"
#include "tuner/variants.h"

namespace sartor::worlds {

/// Variants of a simulated program, which are compiled at once.
class SimulatedVariants : public Variants {
public:
  explicit SimulatedVariants(MeasuredProgram &program) : program_(program) {}
  std::function<bool()> prepare(const Configuration & /*configuration*/) override {
    return [] { return true; };
  }
  void activate(const Configuration &configuration) override { program_.activate(configuration); }
  [[nodiscard]] std::chrono::steady_clock::time_point compile_clock() const override { return {}; }
  void log(std::string_view /*event*/, std::string_view /*fields*/) override {}

private:
  MeasuredProgram &program_;
};

/// The performance of a program under each of its variants. Variant 0 is the generic code and
/// active at first.
class World {
public:
  virtual ~World() = default;
  /// The mean performance of each variant, to any scale.
  [[nodiscard]] virtual const std::vector<double> &truth() const = 0;
  /// The work done in the next two milliseconds if the given variant is active.
  struct Step {
    double work;
    double busy; ///< CPU seconds that it took.
  };
  virtual Step step(std::size_t variant) = 0;
  /// True if the program does as much as it can, as processor_use() would find; if not, the cost of
  /// a unit of work is compared, as the Explorer does.
  virtual bool is_saturated() { return true; }
};

/// The length of a step, in seconds.
constexpr double step_seconds = 0.002;

struct Cell {
  std::string name;
  std::function<std::unique_ptr<World>(std::uint64_t seed)> make;
};

/// All kinds of difficulties: stalls, sessions, foreign load, drift, periods, ties, lag, many
/// variants, requests that arrive independently of the service.
std::vector<Cell> cells();

/// A hundred variants whose worths vary by a few per cent around that of the active one. They are
/// for strategies that try each only a few times: the luckiest trial looks far better than any
/// variant is.
std::vector<Cell> wide_cells();

/// Result of one exploration.
struct Outcome {
  Verdict verdict = Verdict::undecided;
  double chosen = 0;        ///< The truth of the chosen variant.
  double best = 0;          ///< The truth of the best variant.
  double incumbent = 0;     ///< The truth of the variant that was active before.
  bool gain_is_true = true; ///< True if the truth lies in the interval of the gain.
  double seconds = 0;       ///< In the program's time.
  double lost = 0;          ///< Share of work lost compared with the best known variant.
};

/// Explores a program once. All options except `error_probability` are the defaults.
Outcome explore(World &world, const ExplorerOptions &options, std::uint64_t seed);

} // namespace sartor::worlds

#endif
