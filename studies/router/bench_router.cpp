// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures packets per second of the whole router loop between two rings in memory,
/// specialized ÷ generic. There are 1,000 routes including the default route; packets go to
/// arbitrary hosts, so that nearly all take the default route, which a linear search finds last.
/// All or half of the packets go to the 64 hosts in the fast path.
///
/// The specialized code is the fast path, followed by a search that is generated from the routes.
/// If the linear search follows instead, the misses gain only by its compilation at run time:
/// fast_path_alone_1000_hits_50. near_1000_hits_100 equals speedup_1000_hits_100, except that all
/// routes get equally many packets, so that a linear search examines half of the routes on average.

#include <memory>
#include <stdexcept>

#include <sartor/sartor.hpp>

#include "harness.h"
#include "lab.h"
#include "ranges.h"
#include "traffic.h"

namespace sartor::bench {

const char *const bench_name = "router";

namespace {

constexpr std::size_t kRounds = 201;
constexpr std::size_t kRoutes = 1000;
constexpr std::size_t kPopular = 64;
using Route = Handler<void(const router::Tables *, router::Frame *, std::uint32_t)>;

std::vector<router::RouteLine> routes() {
  std::vector<std::uint32_t> gateways;
  for (std::uint32_t i = 0; i < 8; ++i)
    gateways.push_back(0x0a02'0010 + i);
  return router::made_up_routes(kRoutes, 1, gateways);
}

std::vector<std::uint32_t> near_hosts() {
  std::mt19937_64 random(5);
  std::vector<std::uint32_t> hosts(kPopular);
  for (std::uint32_t &host : hosts)
    host = router::random_host(random, routes());
  return hosts;
}

/// The router of this process, for both handlers.
class Rig {
public:
  Rig()
      : lab_([this](const auto *tables, auto *frames,
                    auto count) { (*handler_)(tables, frames, count); },
             routes()),
        destinations_(router::Lab::frames_at_once) {}

  void fill(router::Traffic &traffic) {
    for (std::uint32_t &destination : destinations_)
      destination = traffic.next();
    if (lab_.drain() != expected_)
      throw std::runtime_error("packets were lost");
    lab_.fill(destinations_);
    expected_ = destinations_.size();
  }

  void route(const Route &handler) {
    handler_ = &handler;
    lab_.route();
  }

  [[nodiscard]] const router::Tables &tables() { return lab_.router().tables(); }

private:
  const Route *handler_ = nullptr;
  router::Lab lab_;
  std::vector<std::uint32_t> destinations_;
  std::size_t expected_ = 0;
};

/// A runtime whose handler has a fast path for the popular hosts of a traffic.
struct Specialized {
  Specialized(Rig &rig, const router::Traffic &like, const Configuration &configuration,
              const Verification &verify = Verification::on())
      : search(std::make_shared<router::RangeSearch>()), runtime({.verify = verify}),
        handler(runtime.handler<&route_burst>()) {
    search->adopt(rig.tables());
    runtime.add_custom(
        "ranges", [kept = search](const sartor::GeneratorInput &) { return kept->generate(); });
    runtime.instrument({{"lookup", 1}});
    router::Traffic popular(like.popular(), 1, 2);
    for (int i = 0; i < 20; ++i) {
      rig.fill(popular);
      rig.route(handler);
    }
    runtime.instrument({});
    runtime.specialize(configuration);
  }
  std::shared_ptr<router::RangeSearch> search;
  Runtime runtime;
  Route handler;
};

} // namespace

std::vector<Figure> measure() {
  Rig rig;
  router::Traffic all(kPopular, 1, 1);
  router::Traffic half(all.popular(), 0.5, 3);
  router::Traffic near(near_hosts(), 1, 4);

  Runtime generic_runtime;
  const Route generic = generic_runtime.handler<&route_burst>();
  const Specialized both(rig, all, {{"lookup", kPopular}, {"search", 1}});
  const Specialized unverified(rig, all, {{"lookup", kPopular}, {"search", 1}},
                               Verification::off());
  const Specialized alone(rig, all, {{"lookup", kPopular}});
  const Specialized both_near(rig, near, {{"lookup", kPopular}, {"search", 1}});

  const auto way = [&rig](const char *name, const Route &handler, router::Traffic &traffic) {
    return Alternative{name, [&rig, &handler] { rig.route(handler); },
                       [&rig, &traffic] { rig.fill(traffic); }};
  };
  const std::vector<Samples> samples = interleave(
      {way("generic, all", generic, all), way("both, all", both.handler, all),
       way("generic, half", generic, half), way("both, half", both.handler, half),
       way("alone, half", alone.handler, half), way("generic, near", generic, near),
       way("both, near", both_near.handler, near), way("unverified, all", unverified.handler, all)},
      kRounds);
  const auto per_packet = [&](std::size_t i) {
    Interval interval = median(samples[i]);
    for (double *value : {&interval.value, &interval.low, &interval.high})
      *value /= router::Lab::frames_at_once;
    return interval;
  };
  return {
      {"speedup_1000_hits_100", "ratio", ratio(samples[0], samples[1]), at_least(15), 15},
      {"speedup_1000_hits_50", "ratio", ratio(samples[2], samples[3]), at_least(5), 5},
      {"fast_path_alone_1000_hits_50", "ratio", ratio(samples[2], samples[4])},
      {"near_1000_hits_100", "ratio", ratio(samples[5], samples[6])},
      {"idle_cost_of_verification", "ratio", ratio(samples[7], samples[1]), at_least(0.995)},
      {"generic_ticks_per_packet", "ticks", per_packet(0)},
      {"specialized_ticks_per_packet", "ticks", per_packet(1)},
  };
}

} // namespace sartor::bench
