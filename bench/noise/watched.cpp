// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "watched.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sartor::bench {

namespace {

// Format after the magic: the microseconds of a step, of the rival in it, and of a pair's own work;
// the number of steps, and that of windows; then three numbers for each step, eight for each
// window. All are little-endian, the first five of 32 bits, the others of 16.
constexpr std::string_view kMagic = "SARTORWATCH2\n";
/// The first format: the active variant was measured for three samples on one side of the rival's,
/// chosen at random.
constexpr std::string_view kFirstMagic = "SARTORWATCH1\n";
/// Milliseconds of a sample, and of the active variant in a pair, in the first format.
constexpr double kSampleLasts = 25, kOursLasted = 6;
/// Costs are logarithms in steps of 0.05 %, from about 4.5e-5 of their unit up. 0: none.
constexpr double kSteps = 2000;
constexpr double kZero = 20'000;
constexpr double kMost = 65535;

unsigned packed(double cost) {
  return cost > 0 ? static_cast<unsigned>(
                        std::lround(std::clamp(kSteps * std::log(cost) + kZero, 1.0, kMost)))
                  : 0;
}

double unpacked(unsigned number) {
  return number == 0 ? std::numeric_limits<double>::quiet_NaN()
                     : std::exp((static_cast<double>(number) - kZero) / kSteps);
}

} // namespace

Watched Watched::read(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const bool is_first = bytes.starts_with(kFirstMagic);
  if (!is_first && !bytes.starts_with(kMagic))
    throw std::runtime_error(path.string() + ": no recording of what the watch saw");
  std::size_t at = kMagic.size();
  const auto number = [&](int of_bytes) {
    unsigned value = 0;
    for (int i = 0; i < of_bytes; ++i)
      value += static_cast<unsigned>(static_cast<unsigned char>(bytes.at(at++))) << (8 * i);
    return value;
  };
  Watched watched;
  for (double *seconds : {&watched.step_seconds, &watched.sample_seconds, &watched.work_seconds})
    *seconds = 1e-6 * number(4);
  watched.steps.resize(number(4));
  watched.kinds.resize(number(4));
  for (Step &step : watched.steps)
    for (double *cost : {&step.sample, &step.ours, &step.rivals})
      *cost = unpacked(number(2));
  for (Kinds &kinds : watched.kinds)
    for (std::uint64_t &kind : kinds)
      kind = number(2);
  if (is_first)
    watched.take_samples_for_ours(kSampleLasts, kOursLasted);
  return watched;
}

void Watched::take_samples_for_ours(double sample_lasts, double ours_lasted) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    double sum = 0, seconds = 0;
    const auto add = [&](double cost, double lasted) {
      if (std::isfinite(cost))
        sum += cost * lasted, seconds += lasted;
    };
    add(steps[i].sample, sample_lasts);
    add(steps[i].ours, ours_lasted);
    if (i + 1 < steps.size())
      add(steps[i + 1].sample, sample_lasts);
    if (std::isfinite(steps[i].ours))
      steps[i].ours = sum / seconds;
  }
}

void Watched::write(const std::filesystem::path &path) const {
  std::string bytes{kMagic};
  const auto number = [&](unsigned value, int of_bytes) {
    for (int i = 0; i < of_bytes; ++i)
      bytes += static_cast<char>(value >> (8 * i) & 255U);
  };
  for (const double seconds : {step_seconds, sample_seconds, work_seconds})
    number(static_cast<unsigned>(std::lround(1e6 * seconds)), 4);
  number(static_cast<unsigned>(steps.size()), 4);
  number(static_cast<unsigned>(kinds.size()), 4);
  for (const Step &step : steps)
    for (const double cost : {step.sample, step.ours, step.rivals})
      number(packed(cost), 2);
  for (const Kinds &window : kinds)
    for (const std::uint64_t kind : window)
      number(static_cast<unsigned>(kind), 2);
  if (!(std::ofstream(path, std::ios::binary) << bytes))
    throw std::runtime_error(path.string() + ": cannot be written");
}

} // namespace sartor::bench
