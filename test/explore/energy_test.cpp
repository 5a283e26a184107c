// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/objective/energy.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace sartor {
namespace {

/// A directory with the layout of /sys/class/powercap.
class Powercap : public testing::Test {
protected:
  Powercap()
      : root_(std::filesystem::temp_directory_path() / ("powercap_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(root_);
  }
  ~Powercap() override { std::filesystem::remove_all(root_); }

  void zone(const std::string &which, const std::string &name) {
    std::filesystem::create_directories(root_ / which);
    std::ofstream(root_ / which / "name") << name << '\n';
    std::ofstream(root_ / which / "max_energy_range_uj") << 262'143'328'850 << '\n';
  }
  void set(const std::string &which, std::uint64_t microjoules) {
    std::ofstream(root_ / which / "energy_uj") << microjoules << '\n';
  }

  const std::filesystem::path root_;
};

TEST_F(Powercap, AllPackagesAreCountedOnce) {
  zone("intel-rapl:0", "package-0");
  zone("intel-rapl:1", "package-1");
  zone("intel-rapl:2", "psys");
  zone("intel-rapl:0:0", "core");
  zone("intel-rapl-mmio:0", "package-0");
  for (const char *which :
       {"intel-rapl:0", "intel-rapl:1", "intel-rapl:2", "intel-rapl:0:0", "intel-rapl-mmio:0"})
    set(which, 1'000'000);
  Energy energy = Energy::open(root_).value();
  EXPECT_EQ(energy.joules(), 0);
  set("intel-rapl:0", 3'000'000);
  set("intel-rapl:1", 1'500'000);
  set("intel-rapl:2", 9'000'000);
  set("intel-rapl:0:0", 9'000'000);
  set("intel-rapl-mmio:0", 9'000'000);
  EXPECT_DOUBLE_EQ(energy.joules(), 2.5);
}

TEST_F(Powercap, CountersWrap) {
  zone("intel-rapl:0", "package-0");
  set("intel-rapl:0", 262'143'000'000);
  Energy energy = Energy::open(root_).value();
  set("intel-rapl:0", 671'150);
  EXPECT_NEAR(energy.joules(), 1, 1e-6);
  set("intel-rapl:0", 1'671'150);
  EXPECT_NEAR(energy.joules(), 2, 1e-6);
}

TEST_F(Powercap, WhereThereIsNothingToReadItSaysSo) {
  EXPECT_EQ(Energy::open(root_ / "nowhere").error().code, ErrorCode::bad_objective);
  EXPECT_EQ(Energy::open(root_).error().code, ErrorCode::bad_objective);
  // Without energy_uj, as for a user without permission to read it.
  zone("intel-rapl:0", "package-0");
  const auto unreadable = Energy::open(root_);
  EXPECT_NE(unreadable.error().message.find("cannot be read"), std::string::npos);
}

} // namespace
} // namespace sartor
