// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "problems.h"

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

std::unique_ptr<Simulation> sod_tube(Index cells) {
  const double thin = static_cast<double>(kThin) / static_cast<double>(cells);
  auto tube = std::make_unique<Simulation>(Grid(cells, kThin, 1, thin),
                                           [](double x, double) { return sod(x); });
  tube->run_until(kSodTime);
  return tube;
}

} // namespace

void write_sod(const std::filesystem::path &folder) {
  auto table = create(folder / "validation.md");
  table << "# Sod's problem\n\n| cells | mean error of the density | order |\n|---|---|---|\n";
  double last = 0;
  for (const Index cells : {50, 100, 200, 400, 800}) {
    const auto tube = sod_tube(cells);
    double error = 0;
    for (Index i = 0; i < cells; ++i)
      error += std::fabs(tube->density().at_origin()[i] - exact_sod(center(i, cells)).density) /
               static_cast<double>(cells);
    table << "| " << cells << " | " << error << " | ";
    if (last != 0)
      table << std::log2(last / error);
    table << " |\n";
    last = error;
    auto data = create(folder / ("sod" + std::to_string(cells) + ".dat"));
    for (Index i = 0; i < cells; ++i)
      data << center(i, cells) << ' ' << tube->density().at_origin()[i] << ' '
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

void write_plans(const std::filesystem::path &folder, const std::vector<Measured> &plans) {
  auto data = create(folder / "plans.dat");
  auto table = create(folder / "plans.md");
  table << "| plan | configuration | Mticks | rows / it |\n|---|---|---|---|\n";
  for (const Measured &plan : plans) {
    const double mega = sartor::bench::median(plan.ticks).value / 1e6;
    const auto over = sartor::bench::ratio(plans.front().ticks, plan.ticks);
    data << '"' << plan.name << "\" " << mega << '\n';
    std::array<char, 80> numbers{};
    std::snprintf(numbers.data(), numbers.size(), "%.1f | %.2f [%.2f, %.2f] |\n", mega, over.value,
                  over.low, over.high);
    table << "| " << plan.name << " | `" << plan.configuration.text() << "` | " << numbers.data();
  }
}

} // namespace hydro
