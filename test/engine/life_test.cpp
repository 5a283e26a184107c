// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/life.h"

#include <array>
#include <atomic>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sartor::base {
namespace {

std::atomic<int> repaired = 0;
std::atomic<bool> resumed_too_early = false;

/// Records if it resumes before all others have been repaired.
class Noting final : public Resident {
public:
  Noting() { add(*this); }
  ~Noting() override { remove(*this); }

private:
  void after_fork_in_child() override { ++repaired; }
  void resume_in_child() override;
};

constexpr int kResidents = 8;

void Noting::resume_in_child() {
  std::thread([] {
    if (repaired != kResidents)
      resumed_too_early = true;
  }).join();
}

TEST(Life, ResidentsOfAChildResumeOnceAllAreRepaired) {
  const std::array<Noting, kResidents> residents;
  const pid_t child = fork();
  if (child == 0)
    _exit(repaired == kResidents && !resumed_too_early ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(repaired, 0);
}

} // namespace
} // namespace sartor::base
