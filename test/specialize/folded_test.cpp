// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is told of folding: loads by promise, loops, what is left.
#include <cstddef>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fold_shapes.h"
#include "folding.h"

namespace {

using sartor::Folded;
using sartor::FoldedPromise;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class FoldedTest : public testing::Test {
protected:
  Folded folded(const char *handler) {
    EXPECT_TRUE(folding().variant<Handler3>(handler, config_.get(), promised_));
    return folding().folded();
  }

  std::uint64_t promise_config() { return promised_.add(config_.get(), offsetof(Config, counter)); }
  std::uint64_t promise_rules() {
    return promised_.add(rules_.data(), rules_.size() * sizeof(Rule));
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

  static FoldedPromise of(const Folded &folded, std::uint64_t promise) {
    for (const FoldedPromise &each : folded.promises)
      if (each.promise == promise)
        return each;
    ADD_FAILURE() << "nothing is told of promise " << promise;
    return {};
  }

  std::unique_ptr<Config> config_ = std::make_unique<Config>();
  std::vector<Rule> rules_;
  Promised promised_;
};

TEST_F(FoldedTest, CountsLoadsByPromiseAndLoopsThatWereFollowed) {
  give_rules(32);
  const std::uint64_t config = promise_config();
  const std::uint64_t rules = promise_rules();
  const Folded folded = this->folded("fold_array");
  EXPECT_GE(of(folded, config).loads, 2U); // where the rules are, and how many
  EXPECT_GE(of(folded, rules).loads, 64U); // net and mask of each
  EXPECT_TRUE(of(folded, config).leant_on);
  EXPECT_TRUE(of(folded, rules).leant_on);
  ASSERT_THAT(folded.loops, SizeIs(1));
  EXPECT_GE(folded.loops[0].copies, 32U);
  EXPECT_EQ(folded.loops[0].why_not, "");
}

TEST_F(FoldedTest, TellsThatALoopWouldGrowTooMuch) {
  give_rules(10000);
  promise_config();
  promise_rules();
  const Folded folded = this->folded("fold_array");
  ASSERT_THAT(folded.loops, SizeIs(1));
  EXPECT_EQ(folded.loops[0].copies, 0U);
  EXPECT_THAT(folded.loops[0].why_not, HasSubstr("the code would grow too much"));
}

TEST_F(FoldedTest, TellsWhatIsNotKnownOfALoopThatIsNotFollowed) {
  give_rules(32);
  promised_.add(config_->rules);
  promise_rules();
  const Folded folded = this->folded("fold_array");
  ASSERT_THAT(folded.loops, SizeIs(1));
  EXPECT_THAT(folded.loops[0].why_not, HasSubstr("a load of what is not promised"));
}

TEST_F(FoldedTest, TellsOfPromisesThatDoNothing) {
  give_rules(4);
  config_->mode = 2;
  const std::uint64_t config = promise_config();
  const std::uint64_t rules = promise_rules();
  const Folded folded = this->folded("fold_mode"); // which looks at no rule
  EXPECT_TRUE(of(folded, config).leant_on);
  EXPECT_FALSE(of(folded, rules).leant_on);
  EXPECT_EQ(of(folded, rules).loads, 0U);
}

TEST_F(FoldedTest, CountsCallsByPointersThatAreLeft) {
  Hook hook{};
  hook.step = fold_twice;
  Hook *hooks[] = {&hook};
  config_->hooks = hooks;
  config_->hook_count = 1;
  promise_config();
  promised_.add(hooks);
  EXPECT_EQ(folded("fold_hooks").indirect_calls, 1U);
  promised_.add(hook.step);
  EXPECT_EQ(folded("fold_hooks").indirect_calls, 0U);
}

TEST_F(FoldedTest, CountsJumpsByPointersThatAreLeft) {
  // As fold_run_threaded() has them: 1 loads, 2 adds, 0 leaves.
  Instruction program[] = {{1, 0, 0, 0, 5}, {2, 0, 0, 0, 3}, {2, 0, 0, 0, 4}, {0, 0, 0, 0, 0}};
  config_->program = program;
  EXPECT_GT(folded("fold_run_threaded").indirect_jumps, 0U);
  promise_config();
  promised_.add(program);
  EXPECT_EQ(folded("fold_run_threaded").indirect_jumps, 0U);
}

TEST_F(FoldedTest, TellsNothingWhereNothingIsPromised) {
  const Folded folded = this->folded("fold_mode");
  EXPECT_THAT(folded.promises, IsEmpty());
  EXPECT_THAT(folded.loops, IsEmpty());
}

} // namespace
