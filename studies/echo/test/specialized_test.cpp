// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Clients get the same bytes whatever configuration is active, and whenever it changes.
#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <sartor/sartor.hpp>

#include "rig.h"

namespace sartor::echo {
namespace {

constexpr std::size_t kClients = 40;
constexpr int kSteps = 600;

struct Seen {
  std::vector<Bytes> got;
  std::vector<Peer::State> states;
  EchoCounters counters;
};

/// Random clients that depend on the seed: requests of all sizes in arbitrary pieces, resets, ends
/// of connections, and data that is no request. `change` is called before each step.
Seen run(std::uint64_t seed, const Rig::Poll &poll, const std::function<void(Rig &)> &change) {
  Rig rig(kClients, poll);
  std::mt19937_64 random(seed);
  rig.open(0, kClients);
  std::vector<Bytes> unsent(kClients);
  std::uint32_t number = 0;
  for (int step = 0; step < kSteps; ++step) {
    change(rig);
    const std::size_t client = random() % kClients;
    if (rig.peer.state(client) != Peer::State::open) {
      rig.peer.vanish(client);
      unsent[client].clear();
      rig.open(client, 1);
      continue;
    }
    // When a fault occurs, the progress of other clients must not depend on the active
    // configuration.
    switch (random() % 40) {
    case 0:
      rig.settle();
      rig.peer.reset(client);
      rig.settle();
      break;
    case 1:
      rig.settle();
      rig.send(client, Bytes(random() % 100 + 8, 0x11));
      break;
    case 2:
      rig.settle();
      rig.send(client, {}, true);
      break;
    default:
      for (std::uint64_t i = random() % 20; i > 0; --i)
        unsent[client] =
            unsent[client] +
            request(number++, echo_header + random() % (echo_longest - echo_header + 1));
      const std::size_t most =
          std::min<std::size_t>({unsent[client].size(), 1460, rig.peer.window(client)});
      const std::size_t size = random() % (most + 1);
      const auto end = unsent[client].begin() + static_cast<std::ptrdiff_t>(size);
      if (size > 0)
        rig.peer.send(client, Bytes(unsent[client].begin(), end));
      unsent[client].erase(unsent[client].begin(), end);
      if (random() % 3 == 0)
        rig.settle();
    }
  }
  rig.settle();
  Seen seen{rig.got, {}, rig.counted()};
  for (std::size_t i = 0; i < kClients; ++i)
    seen.states.push_back(rig.peer.state(i));
  return seen;
}

class EchoSpecializedTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(EchoSpecializedTest, GivesTheSameAnswers) {
  const Seen generic = run(GetParam(), echo_poll, [](Rig & /*rig*/) {});

  Runtime runtime;
  const auto poll = runtime.handler<&echo_poll>();
  // With guards, which fail when the program uses another batch size, and without guards.
  const std::vector<Configuration> configurations{
      {},
      {{"rx_batch", 1}},
      {{"rx_batch", 64}, {"queues_batch", 4}, {"qman_batch", 1}},
      {{"rx_batch", unguarded(4)}, {"queues_batch", unguarded(64)}},
      {{"rx_batch", unguarded(1)}, {"queues_batch", unguarded(1)}, {"qman_batch", unguarded(1)}}};
  for (const Configuration &each : configurations)
    runtime.prepare(each).get();
  std::mt19937_64 random(GetParam() + 1000);
  const Seen specialized = run(GetParam(), poll, [&](Rig &rig) {
    if (random() % 5 == 0)
      runtime.specialize(configurations[random() % configurations.size()]);
    const auto batch = [&random] { return static_cast<std::uint32_t>(1U << random() % 7); };
    if (random() % 5 == 0)
      echo_set_batches(rig.server(), {batch(), batch(), batch()});
  });

  EXPECT_EQ(generic.got, specialized.got);
  EXPECT_EQ(generic.states, specialized.states);
  EXPECT_GT(generic.counters.answers, 1000U);
  EXPECT_EQ(generic.counters.answers, specialized.counters.answers);
  EXPECT_EQ(generic.counters.malformed, specialized.counters.malformed);
  EXPECT_EQ(generic.counters.reset, specialized.counters.reset);
  EXPECT_EQ(generic.counters.truncated, specialized.counters.truncated);
  EXPECT_GT(generic.counters.malformed + generic.counters.reset + generic.counters.closed, 10U);
  EXPECT_GT(runtime.statistics().switches, 20U);
  EXPECT_FALSE(runtime.statistics().guard_failures.empty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, EchoSpecializedTest, testing::Range<std::uint64_t>(1, 4));

TEST(EchoPointsTest, AreOnePerBatch) {
  const Runtime runtime;
  std::vector<std::string> labels;
  for (const Point &point : runtime.space().points())
    labels.push_back(point.label);
  EXPECT_THAT(labels, testing::UnorderedElementsAre("rx_batch", "queues_batch", "qman_batch"));
}

} // namespace
} // namespace sartor::echo
