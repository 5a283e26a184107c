// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/request_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace sartor::remote {
namespace {

#ifndef SARTOR_SANITIZED // where nothing is limited
rlim_t limit() {
  rlimit now{};
  getrlimit(RLIMIT_AS, &now);
  return now.rlim_cur;
}

TEST(RequestMemory, OfRequestsAtTheSameTimeIsShared) {
  constexpr std::uint64_t kEach = std::uint64_t{1} << 30;
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  RequestMemory memory;
  auto one = memory.begin(kEach);
  const rlim_t of_one = limit();
  EXPECT_GT(of_one, kEach);
  EXPECT_LT(of_one, before.rlim_max);
  auto two = memory.begin(kEach);
  EXPECT_EQ(limit(), of_one + kEach);
  one.reset();
  EXPECT_EQ(limit(), of_one + kEach);
  two.reset();
  EXPECT_EQ(limit(), before.rlim_max);
  setrlimit(RLIMIT_AS, &before);
}
#endif

} // namespace
} // namespace sartor::remote
