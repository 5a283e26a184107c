// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// xdp [INTERFACE]: filters the packets of INTERFACE, or those of a test network.
#include <chrono>
#include <iostream>
#include <optional>

#include <arpa/inet.h>

#include <sartor/bpf/object.h>
#include <sartor/bpf/runtime.hpp>

#include "network.h"
#include "rules.h"

SARTOR_BPF_OBJECT(filter) // the object compiled from filter.bpf.c

namespace {

constexpr std::uint16_t kPort = 4000;

peer peer_at(const char *address) {
  peer made{};
  inet_pton(AF_INET, address, &made.address);
  made.port = htons(kPort);
  return made;
}

void report(const sartor::BpfVariant &variant) {
  std::cout << "active: " << variant.name << ", " << variant.instructions << " instructions\n";
  for (const sartor::Remark &remark : variant.remarks)
    std::cout << "  " << remark << '\n';
}

/// Returns the better one of two configurations for the current traffic. It stays active.
sartor::Configuration best_of(sartor::BpfRuntime &filter, Network &network) {
  const auto packets_per_second = [&] {
    const auto begin = std::chrono::steady_clock::now();
    const int arrived = network.send("10.0.0.2", kPort, 100);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    return arrived / passed.count();
  };
  return filter.autotune({sartor::Configuration().set("words", 5)}, packets_per_second,
                         {.most_samples = 5});
}

void run(sartor::BpfRuntime &filter, const std::string &interface, Network *network) {
  const auto try_it = [&](const char *what) {
    if (network)
      std::cout << what << ": " << network->send("10.0.0.2", kPort, 10) << " and "
                << network->send("10.0.0.3", kPort, 10) << " of 10 packets\n";
  };
  filter.update("peers", peer_at("10.0.0.2"), rule{1000});
  filter.attach_xdp("filter", interface);
  report(filter.active("filter"));
  try_it("generic");

  // Record the values at a point, in each call; with much traffic, in one call in 100.
  filter.instrument({"words"}, 1);
  try_it("counted");
  const sartor::Profile profile = filter.profile();
  if (const sartor::PointProfile *words = profile.find("words")) // null with SARTOR=off
    std::cout << words->count << " packets seen\n";
  filter.instrument({});

  // Assume headers of five words: other packets take a side exit into generic code of the same
  // program. The map's content becomes constants, guarded by a comparison of the map's version.
  filter.declare_invariant("peers", sartor::BpfWriters::ours);
  for (const sartor::BpfVariant &variant :
       filter.specialize(sartor::Configuration().set("words", 5)))
    report(variant);
  try_it("specialized");

  filter.update("peers", peer_at("10.0.0.3"), rule{1000}); // takes effect at once
  try_it("changed");
  std::cout << (filter.refresh() ? "recompiled\n" : "up to date\n"); // call it regularly
  try_it("refreshed");
  if (network)
    std::cout << "best: " << best_of(filter, *network).text() << '\n';
  std::cout << "guard of words failed: " << filter.guard_failures("words") << '\n';
}

} // namespace

int main(int count, char **arguments) {
  try {
    sartor::BpfRuntime filter = sartor::BpfRuntime::open(filter_object(), {.name = "filter"});
    std::optional<Network> network;
    if (count < 2)
      network.emplace();
    run(filter, network ? network->interface() : arguments[1], network ? &*network : nullptr);
  } catch (const sartor::Error &error) {
    std::cout << error.what() << '\n';
    return error.code() == sartor::ErrorCode::not_permitted ? 77 : 1;
  } catch (const std::exception &error) {
    std::cout << "skipped: " << error.what() << '\n';
    return 77;
  }
}
