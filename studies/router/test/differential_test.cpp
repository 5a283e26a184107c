// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Specialized routers against the generic one, byte by byte, on valid and damaged frames.
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <sartor/sartor.hpp>

#include "packet.h"
#include "ranges.h"
#include "router.h"
#include "traffic.h"

namespace router {
namespace {

constexpr Mac own{2, 0, 0, 0, 0, 1};
constexpr std::uint32_t generator = 0x0a01'0002;
constexpr std::size_t burst = 32;
using Bytes = std::vector<std::uint8_t>;

/// The outcome of a burst.
struct Result {
  std::vector<Bytes> frames;
  std::vector<std::string_view> outcomes;
  std::vector<unsigned> ports;
  bool operator==(const Result &) const = default;
};

void PrintTo(const Result &result, std::ostream *out) {
  for (std::size_t i = 0; i < result.frames.size(); ++i)
    *out << result.outcomes[i] << " by port " << result.ports[i] << '\n';
}

class SpecializedRouter : public testing::Test {
protected:
  SpecializedRouter()
      : lines(made_up_routes(
            200, 4,
            std::vector<std::uint32_t>{0x0a01'0010, 0x0a01'0011, 0x0a02'0010, 0x0a02'0011})),
        router({{own, 0x0a01'0001, 16}, {{2, 0, 0, 0, 0, 2}, 0x0a02'0001, 16}}) {
    lines.pop_back(); // so that some addresses have no route
    router.set_routes(lines);
    for (const RouteLine &line : lines) // one gateway stays unresolved
      if (line.gateway != 0x0a02'0011)
        announce(line.gateway);
    for (int i = 0; i < 40; ++i)
      popular.push_back(random_host(random, lines));
    search.adopt(router.tables());
    runtime.add_custom("ranges",
                       [this](const sartor::GeneratorInput &) { return search.generate(); });
  }

  void announce(std::uint32_t gateway) {
    const std::uint16_t port = gateway >> 16 == 0x0a01 ? 0 : 1;
    Bytes frame(arp_frame_size);
    write_arp(
        frame.data(),
        {ArpOperation::request, {2, 9}, gateway, {}, port == 0 ? 0x0a01'0001U : 0x0a02'0001U});
    Frame one{frame.data(), arp_frame_size, port, Outcome::arp};
    router.finish(one, {});
  }

  /// A random frame, usually valid, sometimes with bytes overwritten or cut off anywhere.
  Bytes any_frame() {
    std::uint32_t destination = popular[random() % popular.size()];
    if (random() % 3 == 0)
      destination = random_host(random, lines);
    else if (random() % 8 == 0)
      destination = static_cast<std::uint32_t>(random());
    Packet packet{.to = own,
                  .from = {2, 9},
                  .source = generator,
                  .destination = destination,
                  .ttl = static_cast<std::uint8_t>(random() % 8 == 0 ? random() % 3 : 64),
                  .payload = Bytes(random() % 80)};
    if (random() % 8 == 0)
      packet.options = {static_cast<std::uint8_t>(random() % 2 == 0 ? 131 : 148),
                        static_cast<std::uint8_t>(random() % 6), 0, 0};
    Bytes frame = frame_of(packet);
    if (random() % 4 == 0)
      frame[random() % frame.size()] = static_cast<std::uint8_t>(random());
    if (random() % 8 == 0)
      write_checksum(frame.data()); // damaged frames get a correct checksum, so that their other
                                    // flaws are examined
    if (random() % 16 == 0)
      frame.resize(random() % frame.size());
    return frame;
  }

  template <class Route> Result run(Route &&route, std::vector<Bytes> frames) {
    std::vector<Frame> burst_frames;
    for (Bytes &frame : frames)
      burst_frames.push_back(
          {frame.data(), static_cast<std::uint32_t>(frame.size()), 0, Outcome::forwarded});
    route(&router.tables(), burst_frames.data(), static_cast<std::uint32_t>(frames.size()));
    Result result;
    result.frames = std::move(frames);
    for (const Frame &frame : burst_frames) {
      result.outcomes.push_back(name_of(frame.outcome));
      result.ports.push_back(frame.port);
    }
    return result;
  }

  void expect_same_on_random_traffic() {
    const auto specialized = runtime.handler<&route_burst>();
    for (int i = 0; i < 200; ++i) {
      std::vector<Bytes> frames(random() % (burst + 1));
      for (Bytes &frame : frames)
        frame = any_frame();
      ASSERT_EQ(run(specialized, frames), run(route_burst, frames));
    }
  }

  void learn_popular() {
    runtime.instrument({{"lookup", 1}});
    const auto route = runtime.handler<&route_burst>();
    for (int i = 0; i < 100; ++i) {
      std::vector<Bytes> frames(burst);
      for (Bytes &frame : frames)
        frame = any_frame();
      run(route, frames);
    }
    runtime.instrument({});
  }

  std::mt19937_64 random{1};
  std::vector<RouteLine> lines;
  std::vector<std::uint32_t> popular;
  Router router;
  RangeSearch search;
  sartor::Runtime runtime;
};

TEST_F(SpecializedRouter, RoutesWithASmallFastPathAsTheGenericOne) {
  learn_popular();
  runtime.specialize({{"lookup", 4}});
  expect_same_on_random_traffic();
}

TEST_F(SpecializedRouter, RoutesWithALargeFastPathAsTheGenericOne) {
  learn_popular();
  runtime.specialize({{"lookup", 64}});
  expect_same_on_random_traffic();
}

TEST_F(SpecializedRouter, RoutesWhileItIsInstrumentedAsTheGenericOne) {
  runtime.instrument({{"lookup", 3}});
  expect_same_on_random_traffic();
}

TEST_F(SpecializedRouter, RoutesWithARangeSearchAsTheGenericOne) {
  runtime.specialize({{"search", 1}});
  expect_same_on_random_traffic();
}

TEST_F(SpecializedRouter, RoutesWithBothAsTheGenericOne) {
  learn_popular();
  runtime.specialize({{"lookup", 64}, {"search", 1}});
  expect_same_on_random_traffic();
}

TEST_F(SpecializedRouter, NeverGivesAnAnswerOfRoutesThatAreGone) {
  learn_popular();
  runtime.specialize({{"lookup", 64}, {"search", 1}});
  router.on_change([this] { search.retract(); }, [] {});
  router.set_routes(made_up_routes(100, 9, std::vector<std::uint32_t>{0x0a01'0010, 0x0a02'0010}));
  expect_same_on_random_traffic();
}

TEST_F(SpecializedRouter, SearchesTheRangesThatTheRoutesComeTo) {
  const std::vector<Range> ranges = ranges_of(router.tables());
  for (int i = 0; i < 5000; ++i) {
    const std::uint32_t address =
        i % 2 == 0 ? random_host(random, lines) : static_cast<std::uint32_t>(random());
    const auto after = std::upper_bound(
        ranges.begin(), ranges.end(), address,
        [](std::uint32_t value, const Range &range) { return value < range.first; });
    ASSERT_EQ(std::prev(after)->adjacency, lookup(&router.tables(), address));
  }
}

} // namespace
} // namespace router
