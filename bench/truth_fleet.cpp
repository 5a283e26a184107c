// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "truth_fleet.h"

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "../test/sidecar.h"
#include "../test/store.h"
#include "tuner/fleet/fleet.h"

namespace sartor::bench {

namespace {

using namespace std::chrono_literals;

/// The programs' simulated time passes faster than the sidecar's: no trial is given up because of
/// it.
constexpr auto kPatience = 120s;
constexpr double kMoreTraffic = 1.5;

/// A program with more traffic than another: all its variants have `times` times the throughput.
class Busier final : public worlds::World {
public:
  Busier(std::unique_ptr<World> world, double times) : world_(std::move(world)), times_(times) {}

  [[nodiscard]] const std::vector<double> &truth() const override { return world_->truth(); }
  Step step(std::size_t variant) override {
    Step step = world_->step(variant);
    step.work *= times_;
    return step;
  }

private:
  const std::unique_ptr<World> world_;
  const double times_;
};

} // namespace

struct TruthFleet::Services {
  testing_aids::Store store;
  std::filesystem::path socket = store.directory() / "sidecar";
  testing_aids::Sidecar sidecar{store.address(), socket};
};

TruthFleet::TruthFleet() : services_(std::make_unique<Services>()) {
  if (services_->sidecar.is_missing())
    throw std::runtime_error("the sidecar's Python packages cannot be had");
}

TruthFleet::~TruthFleet() = default;

std::vector<worlds::Outcome> TruthFleet::explore(const worlds::Cell &cell,
                                                 const ExplorerOptions &options, std::uint64_t seed,
                                                 std::size_t replicas) {
  std::vector<worlds::Outcome> outcomes(replicas);
  FleetOptions fleet{.socket = services_->socket,
                     .study = "truth " + std::to_string(++studies_),
                     .most_trials = options.most_trials,
                     .seed = seed,
                     .patience = kPatience};
  const auto log = [](std::string_view event, std::string_view fields) {
    if (event == "fleet_lost") // the strategy was not a fleet
      std::printf("fleet_lost: %.*s\n", static_cast<int>(fields.size()), fields.data());
  };
  const auto replica = [&](std::size_t i) {
    FleetOptions own = fleet;
    own.replica = std::to_string(i);
    ExplorerOptions how = options;
    how.strategy = [&](const SearchSpace &space) {
      return std::make_unique<FleetSearch>(space, own, "truth", log);
    };
    // The same variants, in the same order.
    Busier world(cell.make(seed), std::pow(kMoreTraffic, static_cast<double>(i)));
    for (std::size_t step = 0; step < 1000 * i; ++step)
      world.step(0); // but at another moment
    outcomes[i] = worlds::explore(world, how, seed + 1'000'003 * i);
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < replicas; ++i)
    threads.emplace_back(replica, i);
  threads.clear();
  return outcomes;
}

} // namespace sartor::bench
