// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

#include "problems.h"
#include "tuning.h"

namespace hydro {

namespace {

constexpr Index kThin = 4;

std::ofstream create(const std::filesystem::path &path) {
  std::ofstream file;
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file.open(path);
  return file;
}

double center(Index i, Index cells) {
  return (static_cast<double>(i) + 0.5) / static_cast<double>(cells);
}

Gas exact_sod(double x) { return riemann(kSodLeft, kSodRight, (x - 0.5) / kSodTime); }

Simulation sod_tube(Index cells) {
  const double thin = static_cast<double>(kThin) / static_cast<double>(cells);
  Simulation tube(Grid(cells, kThin, 1, thin), [](double x, double) { return sod(x); });
  tube.run_until(kSodTime);
  return tube;
}

/// What a point is set to, or "generic".
std::string setting_of(const sartor::Configuration &configuration, const std::string &label) {
  const sartor::Setting *setting = configuration.find(label);
  return setting ? setting->values.front().text() : "generic";
}

using Loops = std::array<sartor::bench::Samples, kLoops>;

} // namespace

void write_sod(const std::filesystem::path &folder) {
  auto table = create(folder / "validation.md");
  table << "# Sod's problem\n\n| cells | mean error of the density | order |\n|---|---|---|\n";
  double last = 0;
  for (const Index cells : {50, 100, 200, 400, 800}) {
    const Simulation tube = sod_tube(cells);
    double error = 0;
    for (Index i = 0; i < cells; ++i)
      error += std::fabs(tube.density().at_origin()[i] - exact_sod(center(i, cells)).density) /
               static_cast<double>(cells);
    table << "| " << cells << " | " << error << " | ";
    if (last != 0)
      table << std::log2(last / error);
    table << " |\n";
    last = error;
    auto data = create(folder / ("sod" + std::to_string(cells) + ".dat"));
    for (Index i = 0; i < cells; ++i)
      data << center(i, cells) << ' ' << tube.density().at_origin()[i] << ' '
           << exact_sod(center(i, cells)).density << '\n';
  }

  table << "\n# Dense gas in a corner, 128 x 128 cells\n\n"
           "| time | mass | internal energy | kinetic energy | energy, in all | mean pressure |\n"
           "|---|---|---|---|---|---|\n";
  Simulation box(Grid(128, 128, 1, 1), corner);
  for (int i = 0; i <= 6; ++i) {
    box.run_until(0.5 * i);
    const Summary sums = box.summary();
    std::array<char, 160> line{};
    std::snprintf(line.data(), line.size(), "| %.1f | %.15f | %.6f | %.6f | %.6f | %.6f |\n",
                  box.time(), sums.mass, sums.internal, sums.kinetic, sums.internal + sums.kinetic,
                  sums.mean_pressure);
    table << line.data();
  }
}

void write_trials(const std::filesystem::path &folder, const std::vector<Search> &searches,
                  const std::vector<Search> &random, double longest) {
  auto data = create(folder / "trials.dat");
  const std::size_t trials = searches.front().best.size();
  for (std::size_t i = 0; i < trials; ++i) {
    data << i + 1;
    for (const auto *group : {&searches, &random})
      for (const Search &one : *group)
        data << ' ' << (i < one.best.size() ? one.best[i] : one.best.back());
    data << ' ' << longest << '\n';
  }
}

void write_loops(const std::filesystem::path &folder, Stand &stand,
                 const sartor::Configuration &chosen, std::size_t rounds) {
  std::array<Loops, 2> ticks; // default, chosen
  for (std::size_t round = 0; round < rounds; ++round)
    for (const std::size_t which : {0, 1}) {
      stand.iteration(which == 0 ? sartor::Configuration() : chosen);
      for (std::size_t loop = 0; loop < kLoops; ++loop)
        ticks[which][loop].push_back(stand.loops()[loop]);
    }
  auto data = create(folder / "loops.dat");
  auto table = create(folder / "loops.md");
  table
      << "| loop | tile | Mticks, default tile | Mticks, chosen | ratio |\n|---|---|---|---|---|\n";
  for (std::size_t loop = 0; loop < kLoops; ++loop) {
    const std::string number = std::to_string(loop + 1);
    const std::string i = setting_of(chosen, "Ti" + number);
    const std::string j = setting_of(chosen, "Tj" + number);
    const double before = sartor::bench::median(ticks[0][loop]).value / 1e6;
    const double after = sartor::bench::median(ticks[1][loop]).value / 1e6;
    data << '"' << kLoopNames[loop] << "\" \"" << i << " x " << j << "\" " << before << ' ' << after
         << '\n';
    std::array<char, 120> line{};
    std::snprintf(line.data(), line.size(), "| %s | %s × %s | %.1f | %.1f | %.2f |\n",
                  kLoopNames[loop], i.c_str(), j.c_str(), before, after, before / after);
    table << line.data();
  }
}

} // namespace hydro
