// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures unmodified programs with automatic handlers (studies/auto): work per second, over
/// that of the same sources by clang -O3 -march=native. Processes are started in turn, in random
/// order. Each warms up in its first half and is measured in its second half. Also measures gcc's
/// build, clang's build against itself, which is chance, and the cost: processor time of the whole
/// process, and resident memory.
///
/// STUDY_AUTO_SECONDS is the time of each process, STUDY_AUTO_ROUNDS the number of rounds,
/// STUDY_AUTO_ONLY the beginnings of the names of cases.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "cases.h"
#include "harness.h"

namespace sartor::bench {

const char *const bench_name = "auto";

namespace {

using automatic::Case;
using automatic::Run;

constexpr double kSeconds = 12;
constexpr double kRounds = 5;
constexpr long kLeastUnits = 10;   // of work in the measured half
constexpr double kMostNoise = 0.2; // width of an interval, over its value

double setting(const char *name, double otherwise) {
  const char *text = std::getenv(name);
  const double value = text ? std::strtod(text, nullptr) : 0;
  return value > 0 ? value : otherwise;
}

/// The runs of one build.
struct Build {
  const char *kind;
  Samples rate{};
  Samples elapsed{};
  Samples seconds{};
  Samples mebibytes{};

  void add(const Run &run) {
    rate.push_back(run.rate);
    elapsed.push_back(run.elapsed);
    seconds.push_back(run.seconds);
    mebibytes.push_back(run.mebibytes);
  }
};

/// One case, measured.
struct Measurement {
  Case of;
  bool is_too_short = false;
  Build gcc{"gcc"};
  Build clang{"clang"};
  Build again{"clang"};
  Build ours{"auto"};

  /// The faster of the builds without Sartor.
  [[nodiscard]] const Build &faster() const {
    return median(gcc.rate).value > median(clang.rate).value ? gcc : clang;
  }
};

/// gcc may round differently: it contracts more products and sums.
bool is_about_equal(double one, double other) {
  constexpr double kTolerance = 1e-3;
  return std::abs(one - other) <= kTolerance * std::max(std::abs(one), std::abs(other));
}

Measurement measure_case(const Case &of, double seconds, std::size_t rounds) {
  Measurement made{.of = of};
  std::string hash;
  double value = NAN;
  std::mt19937_64 random(5); // NOLINT(*-random-generator-seed): runs can be repeated
  std::array<Build *, 4> order = {&made.gcc, &made.clang, &made.again, &made.ours};
  for (std::size_t round = 0; round < rounds; ++round) {
    std::ranges::shuffle(order, random);
    for (Build *build : order) {
      const Run run = automatic::run(of, build->kind, seconds);
      if (build != &made.gcc && hash.empty())
        hash = run.hash;
      if (std::isnan(value))
        value = run.value;
      if ((build != &made.gcc && run.hash != hash) || !is_about_equal(run.value, value))
        throw std::runtime_error(of.name + ": the results of two programs differ");
      made.is_too_short |= run.units < kLeastUnits;
      build->add(run);
    }
  }
  return made;
}

void add_case(std::vector<Figure> &figures, const Measurement &made) {
  const auto interval = [&](const Interval &measured) {
    return made.is_too_short ? Interval::too_short() : measured;
  };
  const std::string &name = made.of.name;
  const Interval gain = ratio(made.ours.rate, made.clang.rate);
  if (gain.high - gain.low > kMostNoise * gain.value)
    std::printf("%s: noise; the interval is wider than a fifth of the ratio\n", name.c_str());
  figures.push_back({.name = name, .unit = "ratio", .measured = interval(gain)});
  figures.push_back({.name = name + "_gcc",
                     .unit = "ratio",
                     .measured = interval(ratio(made.gcc.rate, made.clang.rate))});
  figures.push_back({.name = name + "_cpu",
                     .unit = "s",
                     .measured = difference(made.ours.seconds, made.clang.seconds, 1)});
  figures.push_back({.name = name + "_memory",
                     .unit = "MiB",
                     .measured = difference(made.ours.mebibytes, made.clang.mebibytes, 1)});
}

/// Samples of many cases.
class All {
public:
  void add(const Samples &samples) { samples_.push_back(samples); }
  [[nodiscard]] Figure figure(const char *name, const char *unit,
                              double (*combine)(const std::vector<double> &)) const {
    return {.name = name,
            .unit = unit,
            .measured = samples_.empty() ? Interval::too_short() : over_all(samples_, combine)};
  }

private:
  std::vector<Samples> samples_;
};

Samples differences(const Samples &more, const Samples &less) {
  Samples made;
  for (std::size_t round = 0; round < more.size(); ++round)
    made.push_back(more[round] - less[round]);
  return made;
}

std::vector<Figure> summary(const std::vector<Measurement> &measured) {
  All kernels, kernels_elapsed, kernels_over_faster, kernels_by_chance, all, by_chance, cpu, memory;
  for (const Measurement &made : measured) {
    cpu.add(differences(made.ours.seconds, made.clang.seconds));
    memory.add(differences(made.ours.mebibytes, made.clang.mebibytes));
    if (made.is_too_short)
      continue;
    all.add(ratios(made.ours.rate, made.clang.rate));
    by_chance.add(ratios(made.again.rate, made.clang.rate));
    if (made.of.program != "kernels")
      continue;
    kernels.add(ratios(made.ours.rate, made.clang.rate));
    kernels_elapsed.add(ratios(made.ours.elapsed, made.clang.elapsed));
    kernels_over_faster.add(ratios(made.ours.rate, made.faster().rate));
    kernels_by_chance.add(ratios(made.again.rate, made.clang.rate));
  }
  return {kernels.figure("kernels_geomean", "ratio", geometric_mean),
          kernels_elapsed.figure("kernels_geomean_elapsed", "ratio", geometric_mean),
          kernels_over_faster.figure("kernels_geomean_over_faster", "ratio", geometric_mean),
          kernels_by_chance.figure("kernels_geomean_by_chance", "ratio", geometric_mean),
          all.figure("worst", "ratio", least),
          by_chance.figure("worst_by_chance", "ratio", least),
          cpu.figure("cpu_mean", "s", mean),
          memory.figure("memory_mean", "MiB", mean)};
}

} // namespace

std::vector<Figure> measure() {
  if (STUDY_AUTO_STAND_IN)
    std::printf("clang's programs stand in for those with automatic handlers: all is chance\n");
  const double seconds = setting("STUDY_AUTO_SECONDS", kSeconds);
  const auto rounds = static_cast<std::size_t>(setting("STUDY_AUTO_ROUNDS", kRounds));
  std::vector<Measurement> measured;
  std::vector<Figure> each;
  for (const Case &of : automatic::cases()) {
    measured.push_back(measure_case(of, seconds, rounds));
    add_case(each, measured.back());
  }
  std::vector<Figure> figures = summary(measured);
  figures.insert(figures.end(), each.begin(), each.end());
  return figures;
}

} // namespace sartor::bench
