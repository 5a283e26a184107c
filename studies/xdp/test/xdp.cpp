// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "xdp.h"

#include "outcome_names.h"

namespace xdp::test {

namespace {

std::string name_of(Outcome outcome) {
  return outcome == outcome_count ? "none" : kOutcomeNames.at(outcome);
}

} // namespace

Ran Handlers::run(const std::string &handler, const std::string &frame) {
  const std::vector<std::uint64_t> before = counts();
  Ran ran = xdp::run(runtime_.program(handler), frame);
  const std::vector<std::uint64_t> after = counts();
  outcome_ = outcome_count;
  for (std::uint32_t i = 0; i < after.size(); ++i)
    if (after[i] != before[i]) {
      EXPECT_EQ(after[i], before[i] + 1) << name_of(static_cast<Outcome>(i));
      EXPECT_EQ(outcome_, outcome_count) << "counted twice";
      outcome_ = static_cast<Outcome>(i);
    }
  return ran;
}

void Handlers::expect(const std::string &handler, const Expected &expected) {
  const Ran ran = run(handler, expected.frame);
  EXPECT_EQ(ran.verdict, expected.verdict) << expected.name;
  EXPECT_EQ(name_of(outcome_), name_of(expected.outcome)) << expected.name;
  if (expected.verdict == XDP_PASS || expected.verdict == XDP_DROP)
    EXPECT_EQ(ran.frame, expected.frame) << expected.name;
}

std::vector<std::uint64_t> Handlers::counts() const {
  std::vector<std::uint64_t> counts;
  const KernelMap outcomes = map("outcomes");
  for (std::uint32_t i = 0; i < outcome_count; ++i)
    counts.push_back(outcomes.sums(i).at(0));
  return counts;
}

} // namespace xdp::test
