// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures libpcap's packet filters with Sartor (studies/pcap): CPU time of filters of all
/// kinds by stock libpcap, the better of gcc -O2 and clang -O3 -march=native for each, over that
/// with specialized code: for packets in memory, and including the reading of a file. Also measures
/// the overhead with nothing specialized.

#include <algorithm>

#include "harness.h"
#include "measure.h"

namespace sartor::bench {

const char *const bench_name = "pcap";

namespace {

constexpr std::size_t kRounds = 11;

double most(const std::vector<double> &values) { return *std::ranges::max_element(values); }

/// Indexed by filter.
struct Ratios {
  std::vector<Samples> faster, idle;

  void add(const pcap::Times &times) {
    faster.push_back(ratios(times.stock(), times.sartor));
    idle.push_back(ratios(times.idle, times.stock()));
  }
};

Figure figure(const char *name, Interval measured) {
  return {.name = name, .unit = "ratio", .measured = measured};
}

} // namespace

std::vector<Figure> measure() {
  Ratios alone;
  Ratios reading;
  std::vector<Samples> shares;
  std::vector<Figure> each;
  for (const pcap::Filter &filter : pcap::measure(kRounds)) {
    alone.add(filter.in_memory);
    reading.add(filter.of_file);
    shares.push_back(ratios(filter.in_memory.stock(), filter.of_file.stock()));
    each.push_back(
        {.name = filter.name(), .unit = "ratio", .measured = median(alone.faster.back())});
  }
  std::vector<Figure> figures = {
      {.name = "interpreter_over_sartor_mean",
       .unit = "ratio",
       .measured = over_all(alone.faster, mean),
       .goal = at_least(2)},
      figure("interpreter_over_sartor_geometric", over_all(alone.faster, geometric_mean)),
      {.name = "interpreter_over_sartor_worst",
       .unit = "ratio",
       .measured = over_all(alone.faster, least),
       .goal = at_least(0.98)},
      {.name = "idle_over_stock",
       .unit = "ratio",
       .measured = over_all(alone.idle, mean),
       .goal = at_most(1.02)},
      figure("reading_stock_over_sartor_mean", over_all(reading.faster, mean)),
      figure("reading_stock_over_sartor_best", over_all(reading.faster, most)),
      figure("reading_stock_over_sartor_worst", over_all(reading.faster, least)),
      figure("reading_idle_over_stock", over_all(reading.idle, mean)),
      figure("filter_share_of_reading_mean", over_all(shares, mean)),
      figure("filter_share_of_reading_most", over_all(shares, most)),
      {.name = "lines_changed",
       .unit = "lines",
       .measured = exactly(pcap::lines_changed()),
       .goal = at_most(100)},
      {.name = "lines_beside", .unit = "lines", .measured = exactly(pcap::lines_beside())}};
  figures.insert(figures.end(), each.begin(), each.end());
  return figures;
}

} // namespace sartor::bench
