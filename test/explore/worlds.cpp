// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "worlds.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "tuner/exploration.h"
#include "tuner/limits.h"
#include "tuner/measure/window_meter.h"

namespace sartor::worlds {

namespace {

Configuration variant_number(std::size_t i) {
  return i == 0 ? Configuration() : Configuration{{"B", i}};
}

std::size_t number_of(const Configuration &configuration) {
  const Setting *setting = configuration.find("B");
  return setting ? static_cast<std::size_t>(setting->values.front().integer()) : 0;
}

SearchSpace space_of(std::size_t variants) {
  Dimension dimension{.label = "B", .settings = {}};
  for (std::size_t i = 1; i < variants; ++i)
    dimension.settings.push_back(i);
  return SearchSpace({dimension});
}

/// A program in simulated time.
class Simulated final : public MeasuredProgram {
public:
  explicit Simulated(World &world) : world_(world), by_cost_(!world.is_saturated()) {}

  void activate(const Configuration &configuration) override { active_ = number_of(configuration); }
  std::optional<ObjectiveSample> read_sample(std::chrono::nanoseconds at_least,
                                             double hopeless_below,
                                             const std::stop_token & /*stop*/) override {
    return read(std::max(std::chrono::duration<double>(at_least).count(), step_seconds),
                hopeless_below);
  }
  std::optional<ObjectiveSample> rest(std::chrono::nanoseconds long_enough,
                                      const std::stop_token & /*stop*/) override {
    return read(std::chrono::duration<double>(long_enough).count(), 0);
  }

  double seconds = 0;
  double lost = 0;

private:
  ObjectiveSample read(double at_least, double hopeless_below) {
    double work = 0, lasted = 0, busy = 0;
    do {
      const World::Step step = world_.step(active_);
      work += step.work;
      busy += step.busy;
      lasted += step_seconds;
    } while (lasted < at_least - step_seconds / 2 || (by_cost_ && (work < 1 || busy <= 0)));
    double took = lasted;
    if (by_cost_) {
      seconds += took;
      return {work / busy, took, work / busy, busy};
    }
    // A hopeless sample is cut off in the middle of its only step.
    if (work / lasted < hopeless_below)
      took = lasted / 2, work /= 2, lasted /= 2;
    seconds += took;
    return {work / lasted, took, work / took, lasted};
  }

  World &world_;
  const bool by_cost_; ///< The objective is units of work per second of CPU time.
  std::size_t active_ = 0;
};

/// Speed of a variant as a share of the usual one's; has its own state for each world.
using Factor = std::function<double(std::mt19937_64 &)>;
double uniform(std::mt19937_64 &random) { return std::uniform_real_distribution<double>()(random); }
double normal(std::mt19937_64 &random) { return std::normal_distribution<double>()(random); }

Factor always(double value) {
  return [value](std::mt19937_64 &) { return value; };
}
/// Runs at `stalled` in a share of the steps, which are drawn independently.
Factor stalls(double usual, double share, double stalled) {
  return [=](std::mt19937_64 &random) { return uniform(random) < share ? stalled : usual; };
}

/// A world made of a factor for each variant, one for the machine, and kinds of requests that come
/// in sessions.
class Made final : public World {
public:
  std::vector<double> truths;
  std::vector<Factor> factors;
  double noise = 0.05;                     ///< Deviation of the logarithm, for each step.
  std::function<double(double)> machine{}; ///< Factor by time; 1 on average for each variant.
  double memory = 0;                       ///< Correlation of the noise from step to step.
  double robbed_share = 0;                 ///< Share of steps that a neighbor takes most of.
  double rare_share = 0; ///< Share of the time in which a rare kind of requests arrives ...
  double session = 0;    ///< ... in sessions of this many steps on average.
  std::vector<double> rare_factors{};
  double lag = 0; ///< Share of the previous variant's speed in a step after the switch.

  explicit Made(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] const std::vector<double> &truth() const override { return truths; }
  Step step(std::size_t variant) override {
    time_ += step_seconds;
    if (session > 0 && left_-- <= 0) {
      left_ = static_cast<int>(-std::log(1 - uniform(random_)) * session);
      is_rare_ = uniform(random_) < rare_share;
    }
    const double own = is_rare_ ? rare_factors[variant] : factors[variant](random_);
    carried_ = carried_ < 0 ? own : lag * carried_ + (1 - lag) * own;
    state_ = memory * state_ + std::sqrt(1 - memory * memory) * normal(random_);
    double factor = carried_ * std::exp(noise * state_ - noise * noise / 2);
    if (machine)
      factor *= machine(time_);
    if (uniform(random_) < robbed_share)
      factor *= uniform(random_);
    return {1000 * factor * step_seconds, step_seconds};
  }

private:
  std::mt19937_64 random_;
  double time_ = 0, state_ = 0, carried_ = -1;
  int left_ = 0;
  bool is_rare_ = false;
};

/// Requests arrive at random and wait for the one thread that serves them.
class OpenLoop final : public World {
public:
  /// `load`: share of what the best of `worths` can do. `burst`: average number of requests that
  /// arrive at a time.
  OpenLoop(std::uint64_t seed, std::vector<double> worths, double load, double burst)
      : worths_(std::move(worths)), gap_(burst * mean_service / (load * std::ranges::max(worths_))),
        burst_(burst), random_(seed) {
    next_ = gap_ * exponential();
  }

  [[nodiscard]] const std::vector<double> &truth() const override { return worths_; }
  Step step(std::size_t variant) override {
    const double end = now_ + step_seconds;
    const double speed = worths_[variant] * std::exp(noise * normal(random_) - noise * noise / 2);
    Step step{0, 0};
    while (now_ < end) {
      const double until = std::min(next_, end);
      while (queue_ > 0 && now_ < until) {
        const double served = std::min(left_ / speed, until - now_);
        now_ += served;
        step.busy += served;
        left_ -= served * speed;
        if (left_ > 1e-3 * mean_service)
          continue;
        ++step.work;
        --queue_;
        left_ = mean_service * exponential();
      }
      now_ = until;
      if (until < next_)
        continue;
      queue_ += 1;
      if (burst_ > 1)
        queue_ += std::geometric_distribution<int>(1 / burst_)(random_);
      next_ += gap_ * exponential();
    }
    return step;
  }
  bool is_saturated() override {
    constexpr int looks = 25; // 50 ms together
    double busy = 0;
    for (int i = 0; i < looks; ++i)
      busy += step(0).busy;
    return busy >= limits::saturated * looks * step_seconds;
  }

private:
  static constexpr double mean_service = 1e-4; ///< Seconds, for a variant of worth 1.
  static constexpr double noise = 0.1;         ///< Deviation of the machine from step to step.

  double exponential() { return std::exponential_distribution<double>()(random_); }

  const std::vector<double> worths_;
  const double gap_, burst_;
  std::mt19937_64 random_;
  double now_ = 0, next_ = 0;
  double left_ = mean_service; ///< Remaining time of the request that is served.
  int queue_ = 0;
};

/// Shuffles the variants, because their order must not matter, except for the generic code.
std::vector<double> shuffled(std::vector<double> worths, std::uint64_t seed) {
  std::mt19937_64 random(seed + 1000);
  std::ranges::shuffle(worths.begin() + 1, worths.end(), random);
  return worths;
}

/// Variants of constant worth.
std::unique_ptr<Made> steady(std::uint64_t seed, std::vector<double> worths) {
  auto made = std::make_unique<Made>(seed);
  worths = shuffled(std::move(worths), seed);
  made->truths = worths;
  for (const double worth : worths)
    made->factors.push_back(always(worth));
  return made;
}

const std::vector<double> seven{0.8, 1, 0.95, 0.92, 0.88, 0.65, 0.5};

std::vector<double> many(std::size_t count) {
  std::vector<double> worths;
  for (std::size_t i = 0; i < count; ++i)
    worths.push_back(1 - 0.6 * static_cast<double>(i) / static_cast<double>(count));
  std::ranges::rotate(worths, worths.begin() + static_cast<std::ptrdiff_t>(count / 2));
  return worths;
}

Cell cell(std::string name, std::function<void(Made &)> with, std::vector<double> worths = seven) {
  return {std::move(name), [=](std::uint64_t seed) -> std::unique_ptr<World> {
            auto made = steady(seed, worths);
            with(*made);
            return made;
          }};
}

/// The generic code, and a variant that is `usual` and stalls.
Cell stalling(std::string name, double usual, double share, double stalled) {
  return {std::move(name), [=](std::uint64_t seed) -> std::unique_ptr<World> {
            auto made = std::make_unique<Made>(seed);
            made->truths = {1, usual * (1 - share) + stalled * share};
            made->factors = {always(1), stalls(usual, share, stalled)};
            return made;
          }};
}

/// The generic code, and a variant that is slow on a rare kind of requests, which comes in
/// sessions.
Cell in_sessions(std::string name, double usual, double share, double rare, double session) {
  return {std::move(name), [=](std::uint64_t seed) -> std::unique_ptr<World> {
            auto made = std::make_unique<Made>(seed);
            made->truths = {1, usual * (1 - share) + rare * share};
            made->factors = {always(1), always(usual)};
            made->rare_factors = {1, rare};
            made->rare_share = share;
            made->session = session;
            return made;
          }};
}

Cell open_loop(int load_percent, double burst = 1, std::vector<double> worths = seven) {
  std::string name = "open loop at " + std::to_string(load_percent) + " %";
  if (burst > 1)
    name += ", in bursts";
  if (worths.size() == 2)
    name += ", two equals";
  return {std::move(name), [=](std::uint64_t seed) -> std::unique_ptr<World> {
            return std::make_unique<OpenLoop>(seed, shuffled(worths, seed), load_percent / 100.0,
                                              burst);
          }};
}

} // namespace

std::vector<Cell> cells() {
  return {
      stalling("stalls: one step in five, -90 %", 1.06, 0.2, 0.106),
      stalling("stalls: one step in ten, -90 %", 1.06, 0.1, 0.106),
      stalling("stalls: one step in 50, standing still", 1.01, 0.02, 0),
      {"stalls: the fastest of three",
       [](std::uint64_t seed) -> std::unique_ptr<World> {
         auto made = std::make_unique<Made>(seed);
         made->truths = {1, 0.965, 1.05};
         made->factors = {always(1), stalls(1.06, 0.1, 0.106), always(1.05)};
         return made;
       }},
      stalling("bursts: slower as a rule, faster on the whole", 0.97, 0.1, 2.2),
      in_sessions("sessions of 10 steps, 15 % at 0.3", 1.06, 0.15, 0.3, 10),
      in_sessions("sessions of 50 steps, 15 % at 0.3", 1.06, 0.15, 0.3, 50),
      in_sessions("sessions of 20 steps, 20 % at 0.2", 1.1, 0.2, 0.2, 20),
      in_sessions("sessions of 50 steps, 40 % at 0.2", 1.5, 0.4, 0.2, 50),
      cell("quiet", [](Made &made) { made.noise = 0.01; }),
      cell("loud", [](Made &made) { made.noise = 0.3; }),
      cell("noise that remembers", [](Made &made) { made.noise = 0.2, made.memory = 0.9; }),
      cell("robbed by neighbours", [](Made &made) { made.robbed_share = 0.1; }),
      cell("load that drifts",
           [](Made &made) { made.machine = [](double time) { return std::exp(-time / 30); }; }),
      cell("load with a period of a second",
           [](Made &made) {
             made.machine = [](double time) {
               return 1 + 0.5 * std::sin(2 * std::numbers::pi * time);
             };
           }),
      cell("load with a period of 40 ms",
           [](Made &made) {
             made.machine = [](double time) {
               return 1 + 0.5 * std::sin(2 * std::numbers::pi * time / 0.04);
             };
           }),
      cell("lag of half a step", [](Made &made) { made.lag = 0.5; }),
      cell("lag of nine tenths of a step", [](Made &made) { made.lag = 0.9; }),
      cell("two, 2 % apart", [](Made &) {}, {1, 1.02}),
      cell("two, 2 % apart, the best active", [](Made &) {}, {1.02, 1}),
      cell("two equals", [](Made &) {}, {1, 1}),
      cell(
          "seven equals", [](Made &) {}, std::vector<double>(7, 1)),
      open_loop(20),
      open_loop(50),
      open_loop(80),
      open_loop(95),
      open_loop(50, 20),
      open_loop(50, 1, {1, 1}),
      cell(
          "32", [](Made &) {}, many(32)),
      cell(
          "64", [](Made &) {}, many(64)),
  };
}

std::vector<Cell> wide_cells() {
  std::vector<Cell> cells;
  for (const double spread : {0.02, 0.05, 0.1})
    for (const double noise : {0.1, 0.3}) {
      std::mt19937_64 random(7);
      std::vector<double> worths{1};
      while (worths.size() < 100)
        worths.push_back(std::exp(spread * normal(random)));
      cells.push_back(cell(
          "100 within " + std::to_string(std::lround(100 * spread)) + " %, noise " +
              std::to_string(std::lround(100 * noise)) + " %",
          [noise](Made &made) { made.noise = noise; }, worths));
    }
  return cells;
}

Outcome explore(World &world, const ExplorerOptions &options, std::uint64_t seed) {
  Simulated program(world);
  SimulatedVariants variants(program);
  const SearchSpace space = space_of(world.truth().size());
  WindowMeter meter(program, {options.regression_budget, options.error_probability, seed});
  const Objective objective{.read = [] { return 0; }};
  Exploration exploration(variants, meter, objective, options, space,
                          {.incumbent = variant_number(0), .seed = seed});
  const Decision decision = exploration.run({}).value();
  const auto &truth = world.truth();
  Outcome outcome{
      .verdict = decision.verdict,
      .chosen = truth[number_of(decision.configuration)],
      .best = std::ranges::max(truth),
      .incumbent = truth.front(),
      .seconds = program.seconds,
      .lost = meter.budget().seconds() > 0 ? meter.budget().lost() / meter.budget().seconds() : 0};
  if (decision.verdict == Verdict::better) {
    const double gain = outcome.chosen / outcome.incumbent - 1;
    outcome.gain_is_true = decision.gain.low <= gain && gain <= decision.gain.high;
  }
  return outcome;
}

} // namespace sartor::worlds
