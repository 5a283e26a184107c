// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures a dynamic site (studies/web) whose servers are all started by sartor-ld, against
/// the same servers started by the stock loader: throughput of a closed loop, mean and 99th
/// percentile of an open loop, processor time, starts, restarts, and counted events. Ratios are
/// sartor-ld ÷ stock. Takes an hour; exits with 77 where the site cannot be started.

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "harness.h"
#include "measure.h"

namespace sartor::bench {

const char *const bench_name = "ld-web";

namespace {

constexpr std::size_t kRounds = 10;

web::Measured measured_or_skipped() {
  try {
    return web::measure(kRounds);
  } catch (const web::Skipped &) {
    std::exit(web::kSkipped);
  }
}

} // namespace

std::vector<Figure> measure() {
  const web::Measured measured = measured_or_skipped();
  std::vector<Figure> figures;
  const auto add_ratio = [&](const std::string &name, const std::string &quantity) {
    if (measured.has(quantity))
      figures.push_back({.name = name, .unit = "ratio", .measured = measured.ratio(quantity)});
  };
  add_ratio("throughput_ratio", "throughput");
  add_ratio("p99_ratio", "p99.all");
  add_ratio("mean_ratio", "mean.all");
  add_ratio("processor_time_ratio", "processor");
  for (const std::string &kind : measured.kinds) {
    if (kind == "all")
      continue;
    add_ratio("p99_ratio_" + kind, "p99." + kind);
    add_ratio("mean_ratio_" + kind, "mean." + kind);
  }
  add_ratio("start_ratio", "start.all");
  add_ratio("restart_ratio", "restart.all");
  for (const std::string &server : web::kServers) {
    add_ratio("start_ratio_" + server, "start." + server);
    add_ratio("restart_ratio_" + server, "restart." + server);
  }
  for (const std::string &event : web::kEvents)
    add_ratio(event + "_ratio", "count." + event);

  for (const auto &[way, quantities] :
       {std::pair{"stock", &measured.stock}, std::pair{"loader", &measured.loader}}) {
    const auto add = [&](const std::string &name, const std::string &unit,
                         const std::string &quantity) {
      figures.push_back({.name = std::string(way) + "_" + name,
                         .unit = unit,
                         .measured = median(quantities->at(quantity))});
    };
    add("throughput", "1/s", "throughput");
    for (const std::string &kind : measured.kinds)
      add("p99_" + kind, "ms", "p99." + kind);
    add("start", "ms", "start.all");
    add("restart", "ms", "restart.all");
  }
  for (const std::string &server : web::kServers)
    figures.push_back({.name = "first_start_" + server,
                       .unit = "ms",
                       .measured = median(measured.loader.at("first." + server))});
  return figures;
}

} // namespace sartor::bench
