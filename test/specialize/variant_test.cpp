// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The code of variants.
#include <array>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fold_shapes.h"
#include "folding.h"

extern "C" {
extern long variant_state;
long variant_goes_deep(long n, long sum);
long variant_finds(long *cells, long key);
void variant_adds_products(long n, double *sums, const double *factor, const double *numbers);
}

namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Folding &folding() {
  static Folding one;
  return one;
}

std::string ir(const std::string &handler, const sartor::Configuration &configuration) {
  return folding().specialized(folding().context(handler, configuration)).text;
}

TEST(Variant, DoesNotAssumeThatLoopsOfTheRareCaseEnd) {
  const std::string text = ir("variant_spins", {{"variant_spins", 5}});
  EXPECT_THAT(text, Not(HasSubstr("llvm.loop.mustprogress"))) << text;
}

TEST(Variant, KeepsLoopsOfTheRareCaseSmallByItself) {
  const std::string text = ir("variant_loops", {{"variant_loops", 5}});
  EXPECT_THAT(text, HasSubstr("llvm.loop.vectorize.enable")) << text;
}

TEST(Variant, BeginsAnewOnlyWhereLittleIsComputedTwice) {
  EXPECT_THAT(ir("variant_loads_first", {{"variant_loads_first", 1}}), HasSubstr("musttail"));
  EXPECT_THAT(ir("variant_hashes_first", {{"variant_hashes_first", 1}}),
              Not(HasSubstr("musttail")));
}

TEST(Variant, OfTheQuickTierGoesAsDeepAsNativeCode) {
  auto *quick = folding().made<long(long, long)>(
      folding().context("variant_goes_deep", {{"variant_goes_deep", 3}}),
      sartor::core::Tier::quick);
  ASSERT_TRUE(quick);
  for (const long sum : {3, 4}) {
    variant_state = 0;
    const long expected = variant_goes_deep(2'000'000, sum);
    variant_state = 0;
    EXPECT_EQ(quick(2'000'000, sum), expected);
  }
}

TEST(Variant, SeesThroughAnArgumentWhatItStoresThroughAnAnswer) {
  long cells[4] = {};
  for (const std::size_t answers : {1, 2, 3}) {
    auto context = folding().context("variant_finds", {{"variant_finds", 3}});
    auto &known = context.answers["variant_finds"];
    for (std::size_t i = 0; i < answers; ++i)
      known.list.push_back({{reinterpret_cast<std::uintptr_t>(cells), i},
                            reinterpret_cast<std::uintptr_t>(cells + i)});
    auto *variant = folding().made<long(long *, long)>(context, sartor::core::Tier::full);
    ASSERT_TRUE(variant);
    for (long key = 0; key < 4; ++key)
      EXPECT_EQ(variant(cells, key), 6) << "of key " << key << " with " << answers << " answers";
  }
}

TEST(Variant, SaysWhichArgumentIsBoundForNothing) {
  auto context = folding().context("variant_ignores", {{"variant_ignores", 3}});
  context.arguments.emplace(1, 5);
  EXPECT_THAT(folding().specialized(context).remarks,
              Contains(HasSubstr("argument 2 is bound, and the handler makes no use of it")));
}

TEST(Variant, SaysWhichPointIsSetForNothing) {
  const auto made = folding().specialized(
      folding().context("variant_ignores", {{"variant_ignores", 3}, {"variant_ignores.value", 3}}));
  EXPECT_THAT(made.remarks, Contains(HasSubstr("nothing is computed from its value")));
}

TEST(Variant, HasNothingToSayWhereEverythingTookEffect) {
  EXPECT_THAT(
      folding().specialized(folding().context("variant_ignores", {{"variant_ignores", 3}})).remarks,
      IsEmpty());
}

class BehindAFastPath : public testing::Test {
protected:
  BehindAFastPath() {
    for (std::uint32_t i = 0; i < 32; ++i)
      rules_.push_back({i * 3, 0xff, i + 100});
    config_.rules = rules_.data();
    config_.count = static_cast<std::uint32_t>(rules_.size());
    invariant_.add(&config_, offsetof(Config, counter));
    invariant_.add(rules_.data(), rules_.size() * sizeof(Rule));
  }

  sartor::core::Context context() {
    auto context = folding().context("fold_behind_fast_path", &config_, invariant_,
                                     {{"fold_behind_fast_path", 3}});
    for (const std::uint64_t input : {3, 6, 9})
      context.answers["fold_behind_fast_path"].list.push_back(
          {{reinterpret_cast<std::uintptr_t>(&config_), input},
           fold_behind_fast_path(&config_, input, 0)});
    return context;
  }

  Config config_{};
  std::vector<Rule> rules_;
  InvariantFixture invariant_;
};

TEST_F(BehindAFastPath, InvariantMemoryFoldsAllTheSame) {
  const Shape shape = folding().shape(context());
  EXPECT_EQ(shape.loops + shape.loops_elsewhere, 0U);
  auto *variant = folding().made<Handler3>(context(), sartor::core::Tier::full);
  ASSERT_TRUE(variant);
  for (std::uint64_t a = 0; a < 128; ++a)
    EXPECT_EQ(variant(&config_, a, 2), fold_behind_fast_path(&config_, a, 2)) << a;
}

TEST_F(BehindAFastPath, AGuardedPointerToInvariantMemoryFolds) {
  sartor::core::Context context = folding().context(
      "fold_guarded_pointer",
      sartor::Configuration{
          {"fold_guarded_pointer", sartor::Value(reinterpret_cast<std::uintptr_t>(&config_))}});
  context.memory = invariant_.memory();
  const Shape shape = folding().shape(context);
  auto *variant = folding().made<Handler3>(context, sartor::core::Tier::full);
  ASSERT_TRUE(variant);
  Config other = config_;
  other.count = 5;
  for (std::uint64_t a = 0; a < 128; ++a) {
    EXPECT_EQ(variant(&config_, a, 2), fold_guarded_pointer(&config_, a, 2)) << a;
    EXPECT_EQ(variant(&other, a, 2), fold_guarded_pointer(&other, a, 2)) << a;
  }
  EXPECT_EQ(shape.loops, 0U) << shape.text;
}

} // namespace

// Unrolled first, such a loop remains scalar: each sum may change the factor.
TEST(Variant, VectorizesLoopsOfKnownLengthThatCompareAddresses) {
  for (const long n : {16, 25, 37}) {
    const auto shape =
        folding().shape(folding().context("variant_adds_products", {{"variant_adds_products", n}}));
    EXPECT_THAT(shape.text, HasSubstr(" x double>")) << n << "\n" << shape.text;
    EXPECT_THAT(shape.text, Not(HasSubstr("sartor.loop.kept"))) << n;
  }
}

TEST(Variant, UnrollsLoopsWhoseTablesAreConstant) {
  const auto shape =
      folding().shape(folding().context("variant_adds_weighted", {{"variant_adds_weighted", 16}}));
  EXPECT_EQ(shape.loops, 0) << shape.text;
  EXPECT_THAT(shape.text, Not(HasSubstr("variant_weights")));
}

TEST(Variant, ComparesTheAddressesOfAllArrays) {
  constexpr long kLength = 25;
  auto *adds = folding().made<void(long, double *, const double *, const double *)>(
      folding().context("variant_adds_products", {{"variant_adds_products", kLength}}),
      sartor::core::Tier::full);
  ASSERT_TRUE(adds);
  using Cells = std::array<double, 3 * kLength>;
  for (long factor = 0; factor < 2 * kLength; ++factor)
    for (long numbers = 0; numbers < 2 * kLength; ++numbers) {
      Cells native{};
      std::iota(native.begin(), native.end(), 0.25);
      Cells made = native;
      const auto run = [&](auto *function, Cells &cells) {
        function(kLength, &cells[kLength], &cells[static_cast<std::size_t>(factor)],
                 &cells[static_cast<std::size_t>(numbers)]);
      };
      run(variant_adds_products, native);
      run(adds, made);
      ASSERT_EQ(native, made) << "factor at " << factor << ", numbers at " << numbers;
    }
}
