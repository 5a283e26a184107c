// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// lwIP's send path on emulated devices, generic and with code from a server: the packets must be
/// equal byte for byte, and also the results.

#include <algorithm>
#include <iterator>

#include <gtest/gtest.h>

#include "run.h"

namespace sartor::send {
namespace {

constexpr std::size_t kSteps = 150;

class SendDevice : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    if (std::ranges::count(device_architectures(), GetParam()) == 0)
      GTEST_SKIP() << "there is no compiler for " << GetParam();
  }
};

TEST_P(SendDevice, SendsTheSamePackets) {
  const ServerProcess server(device_server_options());
  for (const std::uint64_t seed : {1, 2}) {
    const DeviceRun generic = run_device(GetParam(), seed, kSteps, nullptr);
    const DeviceRun specialized = run_device(GetParam(), seed, kSteps, &server);
    EXPECT_EQ(generic.status, 0);
    EXPECT_EQ(specialized.status, 0);
    EXPECT_GT(generic.seen.size(), 10'000U);
    const auto differs = std::ranges::mismatch(generic.seen, specialized.seen).in1;
    EXPECT_EQ(std::distance(generic.seen.begin(), differs),
              static_cast<std::ptrdiff_t>(generic.seen.size()));
    EXPECT_EQ(generic.seen.size(), specialized.seen.size());
    // Not all calls ran generic code.
    EXPECT_GT(specialized.by_variants, specialized.calls / 10);
    EXPECT_GT(specialized.requests, 2U);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, SendDevice, testing::Values("aarch64", "armv7"),
                         [](const auto &machine) { return machine.param; });

} // namespace
} // namespace sartor::send
