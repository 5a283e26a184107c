// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures handlers in the kernel (studies/xdp): nanoseconds per packet of generic code over
/// those of variants, by the kernel's own test runs, without their overhead of presenting a packet;
/// the same with packets that arrive on one virtual cable (veth) and leave on another; the time
/// from a request until a variant is active; the cost of profiling; and whether packets are lost or
/// wrongly changed while variants are switched.

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <bpf/libbpf.h>

#include <sartor/bpf/runtime.hpp>

#include "balancer.h"
#include "harness.h"
#include "kernel_map.h"
#include "live.h"
#include "route_search.h"
#include "scenario.h"
#include "sequence.h"
#include "stand.h"

namespace sartor::bench {

const char *const bench_name = "xdp";

namespace {

constexpr std::size_t kRounds = 25;
constexpr std::uint32_t kPackets = 32 * sequence_length;
constexpr std::uint32_t kRoutes = 1000;

xdp::Scenario scenario_of(const std::string &name) {
  for (const xdp::Scenario &scenario : xdp::scenarios())
    if (scenario.name == name)
      return scenario;
  throw std::runtime_error("there is no scenario " + name);
}

/// Makes flows of many clients to one service.
xdp::Scenario one_service() {
  xdp::Scenario made = scenario_of("balancer");
  made.popular = [of_all = made.popular](std::uint64_t number) {
    return of_all(number * max_services);
  };
  return made;
}

double nanoseconds_of(const std::function<void()> &work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

/// Adds a search that also handles misses.
void search_routes(BpfRuntime &runtime) {
  runtime.add_custom("routes", [&runtime](const sartor::GeneratorInput &) {
    return xdp::route_search(xdp::KernelMap(runtime.map("routes")).first<Route>(kRoutes));
  });
  runtime.tie("search", "routes");
  runtime.declare_invariant("routes", BpfWriters::ours);
}

/// Compares the active variant with generic code.
Interval gain(xdp::Stand &stand) {
  if (stand.active() == stand.generic())
    throw std::runtime_error("no variant is active, so there is nothing to measure");
  const xdp::Stand::Times times = stand.compare(kRounds, kPackets);
  return ratio(times.generic, times.active);
}

Interval forward(double hits, bool with_search) {
  xdp::Stand stand(scenario_of("forward"), {.hits = hits, .popular = 64});
  stand.profile(1);
  if (with_search)
    search_routes(stand.runtime());
  Configuration configuration{{"route", 64}};
  if (with_search)
    configuration.set("search", 1);
  stand.runtime().specialize(configuration);
  return gain(stand);
}

Interval with_fast_path(const xdp::Scenario &scenario, const xdp::Mix &mix, unsigned answers) {
  xdp::Stand stand(scenario, mix);
  stand.profile(1);
  stand.runtime().specialize(
      {{scenario.fast_path, answers}, {"untagged", true}, {"without_options", true}});
  return gain(stand);
}

/// A fast path without hits: its cost, and the remaining cost when the explorer may choose.
struct Uniform {
  Interval forced, chosen;
};
Uniform uniform(const xdp::Scenario &scenario) {
  xdp::Stand stand(scenario, {.hits = 0, .popular = 64});
  stand.profile(1);
  const Configuration with{{scenario.fast_path, 64}};
  stand.runtime().specialize(with);
  const Interval forced = gain(stand);
  stand.runtime().specialize({});
  stand.runtime().autotune({with}, [&] { return 1e9 / stand.time(stand.active(), kPackets); });
  const xdp::Stand::Times times = stand.compare(kRounds, kPackets); // perhaps no variant
  return {forced, ratio(times.generic, times.active)};
}

/// Loads the object as a program without Sartor does.
void load_plainly(std::string_view object) {
  bpf_object *loaded = bpf_object__open_mem(object.data(), object.size(), nullptr);
  if (!loaded || bpf_object__load(loaded) != 0)
    throw std::runtime_error("an object cannot be loaded");
  bpf_object__close(loaded);
}

/// The time from a request until a variant of a handler with traffic of its own is active, and the
/// time to load the unmodified object.
struct Latency {
  Samples active, plain;
};
Latency latency() {
  constexpr std::size_t kTimes = 9;
  Latency found;
  for (const xdp::Scenario &scenario : xdp::scenarios()) {
    xdp::Stand stand(scenario, {.hits = 1, .popular = 64});
    stand.profile(1);
    for (std::size_t i = 0; i < kTimes; ++i) {
      stand.runtime().specialize({});
      found.active.push_back(1e-6 * nanoseconds_of([&] {
                               stand.runtime().specialize(
                                   {{scenario.fast_path, static_cast<unsigned>(16 + i)}});
                             }));
      found.plain.push_back(1e-6 * nanoseconds_of([&] { load_plainly(scenario.object); }));
    }
  }
  return found;
}

/// Measures the cost per packet of profiling one call in a hundred.
Interval profile_cost() {
  xdp::Stand stand(scenario_of("forward_by_trie"), {.hits = 1, .popular = 64});
  stand.runtime().instrument({"route_in_trie"}, 100);
  const xdp::Stand::Times times = stand.compare(kRounds, kPackets);
  return difference(times.active, times.generic, 1);
}

/// Measures packets per second over virtual cables (veth), from sender to receiver: through the
/// forwarder with a thousand routes, to 64 popular addresses.
Interval over_veth() {
  constexpr std::uint32_t kSent = 1U << 16;
  xdp::LiveLine line({.hits = 1, .popular = 64});
  line.runtime().instrument({"route"}, 1);
  line.packets_per_second(kSent);
  line.runtime().instrument({});
  Samples generic;
  Samples specialized;
  for (std::size_t i = 0; i < kRounds; ++i) {
    line.runtime().specialize({});
    generic.push_back(line.packets_per_second(kSent));
    line.runtime().specialize({{"route", 64}});
    specialized.push_back(line.packets_per_second(kSent));
  }
  return ratio(specialized, generic);
}

/// Counts packets that were lost, or changed otherwise than by generic code, during many switches
/// of variants.
Interval lost_or_wrong() {
  constexpr int kSwitches = 1000;
  xdp::LiveLine line;
  const xdp::Delivered delivered = line.send_during([&] {
    for (int i = 0; i < kSwitches; ++i)
      line.runtime().specialize(i % 2 == 0 ? Configuration{{"untagged", true}} : Configuration());
  });
  const auto count = static_cast<double>(delivered.lost() + delivered.wrong);
  return {count, count, count};
}

} // namespace

std::vector<Figure> measure() {
  const Latency times = latency();
  const xdp::Mix zipf{.hits = 1, .popular = 1000, .is_zipf = true};
  std::vector<Figure> figures = {
      {.name = "forward_hits_100",
       .unit = "ratio",
       .measured = forward(1, false),
       .goal = at_least(15),
       .paper = 15},
      {.name = "forward_hits_50",
       .unit = "ratio",
       .measured = forward(0.5, true),
       .goal = at_least(5),
       .paper = 5},
      {.name = "forward_hits_50_without_search", .unit = "ratio", .measured = forward(0.5, false)},
      {.name = "forward_by_trie_hits_100",
       .unit = "ratio",
       .measured = with_fast_path(scenario_of("forward_by_trie"), {.hits = 1, .popular = 64}, 64)},
      {.name = "balancer_ratio",
       .unit = "ratio",
       .measured = with_fast_path(one_service(), zipf, 256),
       .goal = at_least(2),
       .paper = 2},
      {.name = "firewall_ratio",
       .unit = "ratio",
       .measured = with_fast_path(scenario_of("firewall"), {.hits = 0.9, .popular = 10}, 64),
       .goal = at_least(1.5)},
      {.name = "veth_ratio", .unit = "ratio", .measured = over_veth(), .goal = at_least(1)},
      {.name = "in_force_ms", .unit = "ms", .measured = median(times.active), .goal = at_most(100)},
      {.name = "plain_load_ms", .unit = "ms", .measured = median(times.plain)},
      {.name = "lost_or_wrong", .unit = "packets", .measured = lost_or_wrong(), .goal = at_most(0)},
      {.name = "profile_ns", .unit = "ns", .measured = profile_cost(), .goal = at_most(3)}};
  Interval worst{.value = 1e9};
  for (const char *scenario : {"forward", "forward_by_trie", "firewall", "balancer"}) {
    const Uniform found = uniform(scenario_of(scenario));
    figures.push_back({.name = std::string("uniform_forced_") + scenario,
                       .unit = "ratio",
                       .measured = found.forced});
    if (found.chosen.value < worst.value)
      worst = found.chosen;
  }
  figures.push_back(
      {.name = "uniform_ratio", .unit = "ratio", .measured = worst, .goal = at_least(0.98)});
  return figures;
}

} // namespace sartor::bench
