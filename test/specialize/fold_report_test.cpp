// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Remarks about folding: loads by invariant, loops, and remaining code.
#include <cstddef>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fold_shapes.h"
#include "folding.h"

namespace {

using sartor::FoldReport;
using sartor::InvariantReport;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class FoldReportTest : public testing::Test {
protected:
  FoldReport fold_report(const char *handler) {
    EXPECT_TRUE(folding().variant<Handler3>(handler, config_.get(), invariant_));
    return folding().fold_report();
  }

  std::uint64_t declare_config() {
    return invariant_.add(config_.get(), offsetof(Config, counter));
  }
  std::uint64_t declare_rules() {
    return invariant_.add(rules_.data(), rules_.size() * sizeof(Rule));
  }

  void give_rules(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i)
      rules_.push_back({3 * i, 0xff, i + 100});
    config_->rules = rules_.data();
    config_->count = count;
  }

  static Folding &folding() {
    static Folding one;
    return one;
  }

  static InvariantReport of(const FoldReport &fold_report, std::uint64_t invariant) {
    for (const InvariantReport &each : fold_report.invariants)
      if (each.invariant == invariant)
        return each;
    ADD_FAILURE() << "no remark on invariant " << invariant;
    return {};
  }

  std::unique_ptr<Config> config_ = std::make_unique<Config>();
  std::vector<Rule> rules_;
  InvariantFixture invariant_;
};

TEST_F(FoldReportTest, CountsLoadsByInvariantAndLoopsThatWereFollowed) {
  give_rules(32);
  const std::uint64_t config = declare_config();
  const std::uint64_t rules = declare_rules();
  const FoldReport fold_report = this->fold_report("fold_array");
  EXPECT_GE(of(fold_report, config).loads, 2U); // the pointer to the rules and their number
  EXPECT_GE(of(fold_report, rules).loads, 64U); // net and mask of each rule
  EXPECT_TRUE(of(fold_report, config).depended_on);
  EXPECT_TRUE(of(fold_report, rules).depended_on);
  ASSERT_THAT(fold_report.loops, SizeIs(1));
  EXPECT_GE(fold_report.loops[0].copies, 32U);
  EXPECT_EQ(fold_report.loops[0].why_not, "");
}

TEST_F(FoldReportTest, ReportsThatALoopWouldGrowTooMuch) {
  give_rules(10000);
  declare_config();
  declare_rules();
  const FoldReport fold_report = this->fold_report("fold_array");
  ASSERT_THAT(fold_report.loops, SizeIs(1));
  EXPECT_EQ(fold_report.loops[0].copies, 0U);
  EXPECT_THAT(fold_report.loops[0].why_not, HasSubstr("the code would grow too much"));
}

TEST_F(FoldReportTest, ReportsWhatIsNotKnownOfALoopThatIsNotFollowed) {
  give_rules(32);
  invariant_.add(config_->rules);
  declare_rules();
  const FoldReport fold_report = this->fold_report("fold_array");
  ASSERT_THAT(fold_report.loops, SizeIs(1));
  EXPECT_THAT(fold_report.loops[0].why_not, HasSubstr("a load of memory that is not invariant"));
}

TEST_F(FoldReportTest, ReportsInvariantsThatDoNothing) {
  give_rules(4);
  config_->mode = 2;
  const std::uint64_t config = declare_config();
  const std::uint64_t rules = declare_rules();
  const FoldReport fold_report = this->fold_report("fold_mode"); // which reads no rule
  EXPECT_TRUE(of(fold_report, config).depended_on);
  EXPECT_FALSE(of(fold_report, rules).depended_on);
  EXPECT_EQ(of(fold_report, rules).loads, 0U);
}

TEST_F(FoldReportTest, CountsCallsByPointersThatAreLeft) {
  Hook hook{};
  hook.step = fold_twice;
  Hook *hooks[] = {&hook};
  config_->hooks = hooks;
  config_->hook_count = 1;
  declare_config();
  invariant_.add(hooks);
  EXPECT_EQ(fold_report("fold_hooks").indirect_calls, 1U);
  invariant_.add(hook.step);
  EXPECT_EQ(fold_report("fold_hooks").indirect_calls, 0U);
}

TEST_F(FoldReportTest, CountsJumpsByPointersThatAreLeft) {
  // The encoding of fold_run_threaded(): 1 loads, 2 adds, 0 leaves.
  Instruction program[] = {{1, 0, 0, 0, 5}, {2, 0, 0, 0, 3}, {2, 0, 0, 0, 4}, {0, 0, 0, 0, 0}};
  config_->program = program;
  EXPECT_GT(fold_report("fold_run_threaded").indirect_jumps, 0U);
  declare_config();
  invariant_.add(program);
  EXPECT_EQ(fold_report("fold_run_threaded").indirect_jumps, 0U);
}

TEST_F(FoldReportTest, ReportsNothingWhereNothingIsInvariant) {
  const FoldReport fold_report = this->fold_report("fold_mode");
  EXPECT_THAT(fold_report.invariants, IsEmpty());
  EXPECT_THAT(fold_report.loops, IsEmpty());
}

} // namespace
