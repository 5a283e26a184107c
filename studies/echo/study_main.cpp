// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The figures of the study, measured in process: the explorer's choice; latencies by offered
/// load with that choice, without batches, with TAS's batch size and with the largest; throughput
/// by batch size. Writes the data for plot.gp.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <vector>

#include <CLI/CLI.hpp>

#include "stand.h"

namespace {

using namespace sartor::echo;

constexpr std::uint64_t answers = 8'000; // answers in one run

struct Arguments {
  std::filesystem::path output = "build/studies/echo";
  std::size_t rounds = 25;
};

double middle(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

/// The runs of one setting.
struct Stretches {
  std::vector<double> rates;
  Counts latencies;
  void add(const Stretch &measured) {
    rates.push_back(measured.rate);
    sartor::echo::add(latencies, measured.latencies);
  }
  /// A percentile over all runs.
  [[nodiscard]] double microseconds(double share) const {
    return 1e6 * percentile(latencies, share);
  }
};

/// Measures all settings in turns.
std::vector<Stretches> measure_all(Stand &stand, std::size_t rounds) {
  const std::vector<Batches> all = all_batches();
  std::vector<Stretches> result(all.size());
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) {
      stand.activate(all[i]);
      result[i].add(stand.stretch(Stand::too_much, Stand::under_way, answers));
    }
  return result;
}

Batches explore(Stand &stand, double bound) {
  stand.activate({});
  stand.load().settle();
  stand.load().offer(Stand::too_much, Stand::under_way);
  stand.work();
  sartor::Explorer explorer(stand.runtime(), stand.throughput_within(bound), Stand::exploring());
  const sartor::Decision decision = explorer.explore();
  stand.stop();
  const Batches chosen = batches_of(decision.configuration);
  std::printf("99th percentile bounded by %.0f us: %s chosen, gain %.1f %% [%.1f, %.1f]%s\n",
              1e6 * bound, chosen.text().c_str(), 100 * decision.gain.mean, 100 * decision.gain.low,
              100 * decision.gain.high,
              decision.keeps_bounds ? "" : ", not known to keep the bound");
  return chosen;
}

/// Measures latencies at loads that are low enough for no request to be rejected.
void by_load(const Arguments &arguments, Stand &stand, const std::vector<Batches> &compared,
             double most) {
  std::ofstream file(arguments.output / "latencies.dat");
  for (const Batches &batches : compared) {
    file << (batches == compared.front() ? "" : "\n\n") << "\"" << batches.text() << "\"\n";
    stand.activate(batches);
    for (const double share : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95}) {
      Stretches stretches;
      for (std::size_t round = 0; round < arguments.rounds; ++round)
        stretches.add(stand.stretch(share * most, Load::no_limit, answers));
      file << 1e-6 * middle(stretches.rates) << ' ' << stretches.microseconds(0.5) << ' '
           << stretches.microseconds(0.99) << ' ' << stretches.microseconds(0.999) << '\n';
    }
  }
}

/// Writes throughput and percentile at full load of all settings, and of those that are compared.
void by_batches(const Arguments &arguments, const std::vector<Stretches> &measured,
                const Batches &chosen, double bound) {
  std::ofstream file(arguments.output / "batches.dat");
  std::ofstream chosen_file(arguments.output / "chosen.dat");
  std::printf("%10s %14s %12s %12s %12s\n", "batches", "answers/s", "median", "p99", "p99.9");
  const std::vector<Batches> all = all_batches();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Stretches &each = measured[i];
    const double rate = middle(each.rates);
    const double p99 = each.microseconds(0.99);
    file << all[i].rx << ' ' << all[i].queues << ' ' << all[i].qman << ' ' << 1e-6 * rate << ' '
         << p99 << ' ' << (p99 <= 1e6 * bound ? 1 : 0) << '\n';
    if (all[i] == chosen)
      chosen_file << chosen.rx << ' ' << 1e-6 * rate << ' ' << p99 << " \"" << chosen.text()
                  << "\" " << chosen.qman << '\n';
    if (all[i].is_single() || all[i] == chosen)
      std::printf("%10s %12.2f M %9.1f us %9.1f us %9.1f us%s\n", all[i].text().c_str(),
                  1e-6 * rate, each.microseconds(0.5), p99, each.microseconds(0.999),
                  all[i] == chosen ? " chosen" : "");
  }
}

} // namespace

int main(int count, char **values) {
  Arguments arguments;
  CLI::App app("Measures the server over a cable in memory.");
  app.add_option("--output", arguments.output, "Folder for data")->capture_default_str();
  app.add_option("--rounds", arguments.rounds, "Stretches of each kind")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, count, values);
  try {
    std::filesystem::create_directories(arguments.output);
    sartor::Options options;
    options.event_log = arguments.output / "events.jsonl";
    std::filesystem::remove(options.event_log); // otherwise the log is appended to
    Stand stand(options);
    const std::vector<Stretches> measured = measure_all(stand, arguments.rounds);
    const std::vector<Batches> all = all_batches();
    const auto generic = static_cast<std::size_t>(std::ranges::find(all, Batches{}) - all.begin());
    const double bound = Stand::allowance * 1e-6 * measured[generic].microseconds(0.99);
    const Batches chosen = explore(stand, bound);
    by_batches(arguments, measured, chosen, bound);
    std::ofstream(arguments.output / "bound.dat") << 1e6 * bound << '\n';
    std::vector<Batches> compared{chosen};
    for (const Batches &each : {Batches{}, Batches{16, 16, 16}, Batches{64, 64, 64}})
      if (each != chosen)
        compared.push_back(each);
    by_load(arguments, stand, compared, middle(measured[generic].rates));
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "echo_study: %s\n", error.what());
    return 1;
  }
}
