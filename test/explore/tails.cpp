// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tails.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <random>
#include <string_view>
#include <utility>

#include "tuner/evidence/percentile.h"
#include "tuner/exploration.h"
#include "tuner/measure/window_meter.h"
#include "worlds.h"

namespace sartor::tails {

namespace {

constexpr double step_seconds = 0.002;
constexpr double tail = 0.01;

Configuration variant_number(std::size_t i) {
  return i == 0 ? Configuration() : Configuration{{"B", i}};
}

std::size_t number_in(const Configuration &configuration) {
  const Setting *setting = configuration.find("B");
  return setting ? static_cast<std::size_t>(setting->values.front().integer()) : 0;
}

/// The server, as a meter sees it: latencies are in the buckets of a histogram, as in a real
/// program.
class Simulated final : public MeasuredProgram {
public:
  Simulated(const Server &server, bool is_bounded, std::uint64_t seed)
      : server_(server), is_bounded_(is_bounded), random_(seed) {}

  void activate(const Configuration &configuration) override { active_ = number_in(configuration); }
  std::optional<ObjectiveSample> read_sample(std::chrono::nanoseconds at_least,
                                             double /*hopeless_below*/,
                                             const std::stop_token & /*stop*/) override {
    return read(std::max(std::chrono::duration<double>(at_least).count(), step_seconds));
  }
  std::optional<ObjectiveSample> rest(std::chrono::nanoseconds long_enough,
                                      const std::stop_token & /*stop*/) override {
    return read(std::chrono::duration<double>(long_enough).count());
  }
  void set_guard(Guard guard) override { guard_ = std::move(guard); }

  double seconds = 0, all = 0, above = 0;

private:
  double uniform() { return std::uniform_real_distribution<double>()(random_); }

  void step() {
    const Variant &variant = server_.variants[active_];
    seconds += step_seconds;
    stall_left_ = std::max(stall_left_ - step_seconds, 0.0);
    const double stalls_begin =
        variant.stalled_share / (1 - variant.stalled_share) * step_seconds / variant.stall;
    if (stall_left_ <= 0 && uniform() < stalls_begin)
      stall_left_ = variant.stall;
    const bool is_stalled = stall_left_ > 0 && variant.stalled_share > 0;
    const int count = std::poisson_distribution<int>(server_.requests * step_seconds)(random_);
    for (int i = 0; i < count; ++i) {
      double latency = variant.body * (0.5 + uniform());
      if (is_stalled)
        latency += variant.stall;
      else if (uniform() < variant.slow_share)
        latency = from - variant.slow_by * std::log(1 - uniform());
      if (server_.machine)
        latency *= server_.machine(seconds);
      const auto bucket = std::ranges::lower_bound(Histogram::bounds(), latency);
      ++counts_[static_cast<std::uint32_t>(bucket - Histogram::bounds().begin())];
      ++number_;
      above_ += latency > most;
      ++all;
      above += latency > most;
    }
  }

  ObjectiveSample read(double at_least) {
    const Percentile percentile(Histogram::bounds(), 1 - tail);
    counts_.clear();
    number_ = above_ = 0;
    ObjectiveSample measured{};
    double lasted = 0;
    const double fewest = is_bounded_ ? 0 : 1 / tail;
    do {
      step();
      lasted += step_seconds;
      if (is_bounded_)
        measured.bounds = {{number_ > 0 ? above_ / number_ : 0, number_}};
      if (guard_ && guard_(measured.bounds))
        break;
    } while (lasted < at_least - step_seconds / 2 || number_ < fewest);
    for (const auto &[bucket, count] : counts_)
      measured.requests.push_back({bucket, count});
    measured.seconds = lasted;
    if (is_bounded_) {
      const double noise = std::exp(0.1 * std::normal_distribution<double>()(random_) - 0.005);
      measured.value = measured.average = server_.variants[active_].rate * noise;
      measured.weight = lasted;
      measured.requests.clear();
      return measured;
    }
    measured.value = measured.average = 1 / percentile.mean(measured.requests);
    measured.weight = number_ / measured.value;
    return measured;
  }

  const Server &server_;
  const bool is_bounded_;
  std::mt19937_64 random_;
  std::map<std::uint32_t, std::uint64_t> counts_; ///< Counts of the sample under way, by bucket.
  double number_ = 0, above_ = 0;
  Guard guard_;
  std::size_t active_ = 0;
  double stall_left_ = 0;
};

class LoggedVariants final : public worlds::SimulatedVariants {
public:
  LoggedVariants(MeasuredProgram &program, std::vector<std::string> &events)
      : SimulatedVariants(program), events_(events) {}
  void log(std::string_view event, std::string_view /*fields*/) override {
    events_.emplace_back(event);
  }

private:
  std::vector<std::string> &events_;
};

/// A variant with this percentile, reached by slow requests that take longer.
Variant with_p99(double p99) {
  Variant variant;
  variant.slow_by = (p99 - from) / std::log(variant.slow_share / tail);
  return variant;
}

std::vector<Variant> with_p99s(const std::vector<double> &p99s) {
  std::vector<Variant> variants;
  for (const double p99 : p99s)
    variants.push_back(with_p99(p99));
  return variants;
}

} // namespace

double Variant::share_above(double limit) const {
  return (1 - stalled_share) * slow_share * std::exp(-(limit - from) / slow_by) +
         (limit < stall ? stalled_share : 0);
}

double Variant::p99() const {
  double low = from, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (share_above(middle) > tail ? low : high) = middle;
  }
  return high;
}

std::vector<Server> servers() {
  Variant fast_with_stalls = with_p99(1.3e-3);
  fast_with_stalls.body = 50e-6;
  fast_with_stalls.stalled_share = 0.015;
  Variant slow_with_short_tail = with_p99(1.6e-3);
  slow_with_short_tail.body = 400e-6;
  Variant harmless_stalls = with_p99(1.5e-3);
  harmless_stalls.stalled_share = 0.002;
  return {
      {"two, 30 % apart", with_p99s({2e-3, 1.4e-3})},
      {"two, 10 % apart", with_p99s({2e-3, 1.8e-3})},
      {"two, the best active", with_p99s({1.6e-3, 2e-3})},
      {"two equals", with_p99s({2e-3, 2e-3})},
      {"seven", with_p99s({2.5e-3, 2e-3, 1.9e-3, 1.5e-3, 2.2e-3, 3e-3, 4e-3})},
      {"stalls: three requests in 200", {with_p99(2e-3), fast_with_stalls}},
      {"stalls: one request in 500", {with_p99(2e-3), harmless_stalls}},
      {"slower as a rule", {with_p99(3e-3), slow_with_short_tail}},
      {"few requests", with_p99s({3e-3, 1.5e-3}), 2'000},
      {"latencies that drift", with_p99s({2e-3, 1.4e-3}), 10'000,
       [](double time) { return std::exp(time / 60); }},
      {"latencies with a period of a second", with_p99s({2e-3, 1.4e-3}), 10'000,
       [](double time) { return 1 + 0.3 * std::sin(2 * std::numbers::pi * time); }},
  };
}

std::vector<Server> bounded_servers() {
  const auto made = [](double rate, double p99) {
    Variant variant = with_p99(p99);
    variant.rate = rate;
    return variant;
  };
  const auto many_slow = [](double rate, double p99) {
    Variant variant{.slow_share = 0.06, .rate = rate};
    variant.slow_by = (p99 - from) / std::log(variant.slow_share / tail);
    return variant;
  };
  Variant stalls = made(1500, 1.3e-3);
  stalls.stalled_share = 0.02;
  return {
      {"the fastest breaks it", {made(1000, 1.3e-3), made(1300, 4e-3), made(1150, 1.3e-3)}},
      {"the fastest breaks it by little", {made(1000, 1.3e-3), made(1300, 2.4e-3)}},
      {"the fastest stalls", {made(1000, 1.3e-3), stalls, made(1100, 1.2e-3)}},
      {"what is active breaks it", {made(1000, 4e-3), made(900, 1.3e-3), made(1200, 5e-3)}},
      {"all keep it", {made(1000, 1.2e-3), made(1100, 1.3e-3), made(900, 1.1e-3)}},
      {"nothing keeps it", {many_slow(1000, 6e-3), many_slow(1200, 8e-3), made(800, 3e-3)}},
  };
}

Outcome explore(const Server &server, bool is_bounded, const ExplorerOptions &options,
                std::uint64_t seed) {
  Outcome outcome;
  Simulated program(server, is_bounded, seed);
  LoggedVariants variants(program, outcome.events);
  Dimension dimension{.label = "B", .settings = {}};
  for (std::size_t i = 1; i < server.variants.size(); ++i)
    dimension.settings.push_back(i);
  const SearchSpace space({dimension});
  const Objective p99 =
      Objective::percentile_of({.bounds = Histogram::bounds(), .counts = {}}, 100 * (1 - tail));
  const Objective rate{.read = [] { return 0; }};
  const Objective objective = is_bounded ? rate.subject_to(p99, {.most = most}) : p99;
  WindowMeter meter(program, {options.regression_budget, options.error_probability, seed,
                              options.settle, &objective});
  Exploration exploration(variants, meter, objective, options, space,
                          {.incumbent = variant_number(0), .seed = seed});
  outcome.decision = exploration.run({}).value();
  outcome.chosen = number_in(outcome.decision.configuration);
  outcome.seconds = program.seconds;
  outcome.above = program.above / program.all;
  return outcome;
}

} // namespace sartor::tails
