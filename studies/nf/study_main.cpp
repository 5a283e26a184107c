// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures a function between two rings in memory, without the kernel: packets at the
/// external port, then at the internal one, and the explorer's choice for each. Writes the data for
/// plot.gp.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <sartor/sartor.hpp>

#include "stand.h"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::array<const char *, nf_sides> kNames = {"external", "internal"};
constexpr int kRounds = 101;

struct Arguments {
  std::filesystem::path output = "build/studies/nf";
  std::string function;
  double most_seconds = 300;
};

double middle(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
  return values[values.size() / 2];
}

/// Million packets per second.
double rate(double nanoseconds) { return 1e3 / nanoseconds; }

/// The batch size of a variant.
std::string batch_of(const sartor::Configuration &configuration, const nf::Function &function) {
  const sartor::Setting *const set = configuration.find(std::string(function.name) + ".BATCH_SIZE");
  return set ? set->values.front().text() : "generic";
}

/// Measures packets/s over time, while the explorer works, phase by phase. Returns the choice for
/// each.
std::array<sartor::Configuration, nf_sides> over_time(const Arguments &arguments, nf::Stand &stand,
                                                      sartor::Runtime &runtime) {
  const std::string name(stand.function().name);
  std::ofstream samples(arguments.output / (name + "_time.dat"));
  std::ofstream steps(arguments.output / (name + "_steps.dat"));
  samples << "# seconds, million packets/s\n";
  steps << "# seconds, what begins\n";
  const auto begin = Clock::now();
  const auto now = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  std::array<sartor::Configuration, nf_sides> chosen;
  runtime.specialize({});
  nf::Tuning tuning(runtime, stand.function(), stand.work(), {.regression_budget = 1});
  for (const NfSide side : {nf_external, nf_internal}) {
    steps << now() << " \"" << kNames[side] << "\"\n";
    const double latest = now() + arguments.most_seconds;
    double sampled = now();
    std::uint64_t packets = stand.work().all_packets();
    std::uint64_t nanoseconds = stand.work().nanoseconds;
    const auto sample = [&] {
      if (now() < sampled + 0.05)
        return;
      sampled = now();
      samples << sampled << ' '
              << rate(static_cast<double>(stand.work().nanoseconds - nanoseconds) /
                      static_cast<double>(stand.work().all_packets() - packets))
              << '\n';
      packets = stand.work().all_packets();
      nanoseconds = stand.work().nanoseconds;
    };
    const auto decision = stand.explore(side, tuning, [&] {
      sample();
      return now() < latest;
    });
    if (!decision)
      throw std::runtime_error(name + ": the explorer has not decided in time");
    chosen[side] = decision->configuration;
    steps << now() << " \"" << batch_of(chosen[side], stand.function()) << "\"\n";
    for (const double end = now() + 1; now() < end;) { // measures the final choice
      stand.specialized(side);
      sample();
    }
  }
  return chosen;
}

/// Measures packets/s for each batch size, interleaved; the other points are as chosen.
void by_batch(const Arguments &arguments, nf::Stand &stand, sartor::Runtime &runtime,
              const std::array<sartor::Configuration, nf_sides> &chosen) {
  const std::string name(stand.function().name);
  const std::vector<std::uint32_t> batches = nf::Choices().batches;
  std::ofstream file(arguments.output / (name + "_batches.dat"));
  std::ofstream marks(arguments.output / (name + "_chosen.dat"));
  file << "# batch; million packets/s: external specialized, generic, internal specialized, "
          "generic\n";
  marks << "# index of the batch, million packets/s, phase\n";
  std::printf("\n%s\n%9s", name.c_str(), "batch");
  for (const char *const phase : kNames)
    std::printf(" %10s %10s", phase, "generic");
  std::printf("  million packets/s\n");
  using Samples = std::array<std::vector<double>, nf_sides>;
  std::vector<Samples> specialized(batches.size());
  std::vector<Samples> generic(batches.size());
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < batches.size(); ++i)
      for (const NfSide side : {nf_external, nf_internal}) {
        sartor::Configuration configuration = chosen[side];
        configuration.set(name + ".BATCH_SIZE", sartor::unguarded(batches[i]));
        runtime.specialize(configuration);
        // The first fillings warm up the caches.
        for (int filling = 0; filling < 4; ++filling)
          if (const double taken = stand.specialized(side); filling >= 2)
            specialized[i][side].push_back(taken);
        for (int filling = 0; filling < 4; ++filling)
          if (const double taken = stand.native(side, batches[i]); filling >= 2)
            generic[i][side].push_back(taken);
      }
  for (std::size_t i = 0; i < batches.size(); ++i) {
    file << batches[i];
    std::printf("%9u", batches[i]);
    for (const NfSide side : {nf_external, nf_internal}) {
      const double here = rate(middle(specialized[i][side]));
      const double plain = rate(middle(generic[i][side]));
      const bool is_chosen = batch_of(chosen[side], stand.function()) == std::to_string(batches[i]);
      file << ' ' << here << ' ' << plain;
      std::printf(" %9.2f%c %10.2f", here, is_chosen ? '*' : ' ', plain);
      if (is_chosen)
        marks << i << ' ' << here << ' ' << kNames[side] << '\n';
    }
    file << '\n';
    std::printf("\n");
  }
  for (const NfSide side : {nf_external, nf_internal})
    std::printf("%9s %s: %s\n", "", kNames[side], chosen[side].text().c_str());
}

void run(const Arguments &arguments) {
  std::filesystem::create_directories(arguments.output);
  nf::Lab lab;
  for (const nf::Function *const function : nf::all_functions()) {
    if (!arguments.function.empty() && arguments.function != function->name)
      continue;
    const auto log = arguments.output / (std::string(function->name) + "_events.jsonl");
    std::filesystem::remove(log); // the log would be appended to
    sartor::Runtime runtime(nf::runtime_options(log));
    nf::Stand stand(lab, runtime, *function);
    const auto chosen = over_time(arguments, stand, runtime);
    by_batch(arguments, stand, runtime, chosen);
  }
}

} // namespace

int main(int count, char **values) {
  Arguments arguments;
  CLI::App app("Network functions between rings in memory, in two phases.");
  app.add_option("--output", arguments.output, "Folder for data")->capture_default_str();
  app.add_option("--function", arguments.function, "This one alone");
  app.add_option("--most-seconds", arguments.most_seconds, "How long the explorer may take a phase")
      ->capture_default_str();
  CLI11_PARSE(app, count, values);
  try {
    if (!arguments.function.empty() && !nf::function_named(arguments.function))
      throw nf::BadConfiguration(arguments.function + ": there is no function of that name");
    run(arguments);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "nf_study: %s\n", error.what());
    return 1;
  }
}
