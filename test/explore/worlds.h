// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Programs whose truth is known, in a time of their own: what each variant does on the whole is
/// part of what they are made from. Explorations of them are real: strategy, race, confirmation,
/// meter and budget are the program's, with their defaults.
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

/// Variants of a program in a time of its own, which are compiled at once.
class SimulatedVariants : public Variants {
public:
  explicit SimulatedVariants(MeasuredProgram &program) : program_(program) {}
  std::function<bool()> prepare(const Configuration & /*configuration*/) override {
    return [] { return true; };
  }
  void put_in_force(const Configuration &configuration) override {
    program_.put_in_force(configuration);
  }
  void log(std::string_view /*event*/, std::string_view /*fields*/) override {}

private:
  MeasuredProgram &program_;
};

/// How a program does under each of its variants. Variant 0 is the generic code, and in force at
/// first.
class World {
public:
  virtual ~World() = default;
  /// What variant does on the whole, to any scale.
  [[nodiscard]] virtual const std::vector<double> &truth() const = 0;
  /// What is done in the next two milliseconds, if this variant is in force.
  struct Step {
    double work;
    double busy; ///< Seconds of the processor that it took.
  };
  virtual Step step(std::size_t variant) = 0;
  /// Whether it does as much as it can, as busy_share() would see it: if not, what a unit of work
  /// costs is compared, as the Explorer does.
  virtual bool is_saturated() { return true; }
};

/// How long a step is, in seconds.
constexpr double step_seconds = 0.002;

struct Cell {
  std::string name;
  std::function<std::unique_ptr<World>(std::uint64_t seed)> make;
};

/// All kinds of trouble: stalls, sessions, foreign load, drift, periods, ties, lag, many variants,
/// requests that come when they come.
std::vector<Cell> cells();

/// A hundred variants whose worths are spread by a few per cent around that of what is in force,
/// for strategies that try each a few times only: the luckiest trial is far better than any.
std::vector<Cell> wide_cells();

/// What came of one exploration.
struct Outcome {
  Verdict verdict = Verdict::undecided;
  double chosen = 0;        ///< The truth of the chosen variant.
  double best = 0;          ///< Of the best.
  double incumbent = 0;     ///< Of what was in force before.
  bool gain_is_true = true; ///< Whether the truth lies in the interval of the gain.
  double seconds = 0;       ///< Of the program's time.
  double lost = 0;          ///< The share of work lost against the best known.
};

/// Explores a program once. `options` but for `error_probability` are the defaults.
Outcome explore(World &world, const ExplorerOptions &options, std::uint64_t seed);

} // namespace sartor::worlds

#endif
