// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// read() of an open file that is in the cache, generic against specialized along facts; what that
/// adds to open(), what guards cost in calls that break no fact, and how long a break takes.

#include <array>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "harness.h"
#include "stand.h"

namespace sartor::bench {

const char *const bench_name = "read";

namespace {

using files::Stand;

constexpr std::size_t kRounds = 151;
constexpr std::size_t kBreaks = 151;

struct Size {
  std::size_t bytes;
  std::size_t times; ///< Within the file.
  double goal;       ///< The seed's ratio.
};
constexpr std::array<Size, 3> kSizes = {{{1, 20'000, 3.6}, {8'192, 32, 1.35}, {65'536, 4, 1.13}}};

std::vector<Figure> reads(Stand &stand) {
  std::vector<Figure> figures;
  for (const Size &size : kSizes) {
    const auto run = [&] { stand.read(size.bytes, size.times); };
    const auto samples = interleave({{"generic", run, [&] { stand.rewind(false); }},
                                     {"specialized", run, [&] { stand.rewind(true); }}},
                                    kRounds);
    figures.push_back({"generic_over_specialized_" + std::to_string(size.bytes), "ratio",
                       ratio(samples[0], samples[1]), at_least(size.goal), size.goal});
    const auto ticks_each = [&](const Samples &of) {
      Interval ticks = median(of);
      const auto calls = static_cast<double>(size.times);
      return Interval{ticks.value / calls, ticks.low / calls, ticks.high / calls};
    };
    figures.push_back({"generic_ticks_" + std::to_string(size.bytes), "ticks",
                       ticks_each(samples[0])});
    figures.push_back({"specialized_ticks_" + std::to_string(size.bytes), "ticks",
                       ticks_each(samples[1])});
  }
  return figures;
}

/// From before a call that breaks a fact to after it: what remains is in force then, and nobody is
/// inside. That is all of lseek() or attach(), and nobody else uses the file.
Figure breaks(Stand &stand) {
  Samples microseconds;
  for (std::size_t i = 0; i < kBreaks; ++i) {
    stand.rewind(true);
    stand.read(1, 1);
    const auto begin = std::chrono::steady_clock::now();
    stand.service().attach(stand.client());
    const auto end = std::chrono::steady_clock::now();
    if (files::FileService::facts_in_force(stand.client(), stand.descriptor()) == files::kAllFacts)
      throw std::runtime_error("a fact did not break");
    stand.service().detach(stand.client());
    microseconds.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
  }
  return {"replug_us", "us", median(microseconds), at_most(5)};
}

} // namespace

std::vector<Figure> measure() {
  std::vector<Figure> figures;
  {
    Stand stand;
    figures = reads(stand);
    figures.push_back(breaks(stand));
  }
  return figures;
}

} // namespace sartor::bench
