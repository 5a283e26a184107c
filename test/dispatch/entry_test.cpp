// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/dispatch/entry.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/dispatch/retire.h"
#include "runtime/dispatch/variant_cache.h"

namespace sartor::runtime {
namespace {

/// Code that is never run; counts live objects.
class FakeCode final : public Code {
public:
  FakeCode(std::size_t bytes, int &alive) : bytes_(bytes), alive_(alive) { ++alive_; }
  ~FakeCode() override { --alive_; }
  FakeCode(const FakeCode &) = delete;
  FakeCode &operator=(const FakeCode &) = delete;

  [[nodiscard]] void *entry() const override { return const_cast<FakeCode *>(this); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

private:
  std::size_t bytes_;
  int &alive_;
};

class Dispatch : public testing::Test {
protected:
  ~Dispatch() override { wait_for_retired(); }

  VariantRef variant(std::size_t bytes = 100, bool quick = false,
                     std::vector<std::uint64_t> invariants = {}) {
    auto made = std::make_shared<Variant>();
    made->quick = quick;
    made->code = std::make_unique<FakeCode>(bytes, alive_);
    made->code->invariants = std::move(invariants);
    return made;
  }

  int alive_ = 0;
  int native_ = 0;
};

using EntryTest = Dispatch;
using VariantCacheTest = Dispatch;
using AlternativesTest = Dispatch;

TEST_F(EntryTest, CallsTheGenericCodeAtFirst) {
  const Entry entry("f", &native_);
  EXPECT_EQ(entry.code.load(), &native_);
  EXPECT_EQ(entry.variant(), nullptr);
}

TEST_F(EntryTest, CallsTheActiveVariant) {
  Entry entry("f", &native_);
  const auto made = variant();
  EXPECT_TRUE(entry.activate(made, 1));
  EXPECT_EQ(entry.code.load(), made->code->entry());
  EXPECT_TRUE(entry.activate(nullptr, 2));
  EXPECT_EQ(entry.code.load(), &native_);
}

TEST_F(EntryTest, IgnoresAnOlderRequest) {
  Entry entry("f", &native_);
  const auto made = variant();
  entry.activate(made, 2);
  EXPECT_FALSE(entry.activate(variant(), 1));
  EXPECT_EQ(entry.variant(), made);
}

TEST_F(EntryTest, TakesTheBetterTierOfOneRequestOnly) {
  Entry entry("f", &native_);
  EXPECT_TRUE(entry.activate(variant(100, /*quick=*/true), 1));
  const auto full = variant();
  EXPECT_TRUE(entry.activate(full, 1));
  EXPECT_FALSE(entry.activate(variant(100, /*quick=*/true), 1));
  EXPECT_EQ(entry.variant(), full);
}

TEST_F(EntryTest, RestoresWhatARequestThatFailsHasReplaced) {
  Entry entry("f", &native_);
  const auto first = variant(100, /*quick=*/true);
  entry.activate(first, 1);
  entry.activate(variant(100, /*quick=*/true), 2);
  EXPECT_TRUE(entry.restore(first, 1));
  EXPECT_EQ(entry.variant(), first);
  EXPECT_EQ(entry.code.load(), first->code->entry());
  const auto full = variant();
  EXPECT_TRUE(entry.activate(full, 1)); // of the request that goes on
  EXPECT_EQ(entry.variant(), full);
  EXPECT_FALSE(entry.restore(full, 1));
}

TEST_F(EntryTest, ReportsWhenNothingChanges) {
  Entry entry("f", &native_);
  EXPECT_FALSE(entry.activate(nullptr, 1));
  const auto made = variant();
  entry.activate(made, 2);
  EXPECT_FALSE(entry.activate(made, 3));
}

TEST_F(EntryTest, DropsWhatItReplacesAfterAGracePeriod) {
  Entry entry("f", &native_);
  entry.activate(variant(), 1);
  entry.activate(variant(), 2);
  wait_for_retired();
  EXPECT_EQ(alive_, 1);
}

TEST_F(EntryTest, DropsItsVariantWhenItGoes) {
  {
    Entry entry("f", &native_);
    entry.activate(variant(), 1);
  }
  wait_for_retired();
  EXPECT_EQ(alive_, 0);
}

TEST_F(VariantCacheTest, FindsWhatWasPutIn) {
  VariantCache cache(1000);
  const auto made = variant();
  cache.insert("a", "kind", made);
  EXPECT_EQ(cache.find("a"), made);
  EXPECT_EQ(cache.find("b"), nullptr);
}

TEST_F(VariantCacheTest, DropsTheLeastRecentlyUsedFirst) {
  VariantCache cache(250);
  cache.insert("a", "kind", variant());
  cache.insert("b", "kind", variant());
  EXPECT_NE(cache.find("a"), nullptr);
  cache.insert("c", "kind", variant());
  EXPECT_EQ(cache.find("b"), nullptr);
  EXPECT_NE(cache.find("a"), nullptr);
  EXPECT_NE(cache.find("c"), nullptr);
  wait_for_retired();
  EXPECT_EQ(alive_, 2);
}

TEST_F(VariantCacheTest, KeepsTheNewestHoweverLarge) {
  VariantCache cache(250);
  cache.insert("a", "kind", variant());
  cache.insert("b", "kind", variant(10'000));
  EXPECT_EQ(cache.find("a"), nullptr);
  EXPECT_NE(cache.find("b"), nullptr);
}

TEST_F(VariantCacheTest, KeepsTheFirstOfTwoWithOneKey) {
  VariantCache cache(1000);
  const auto first = variant();
  cache.insert("a", "kind", first);
  cache.insert("a", "kind", variant());
  EXPECT_EQ(cache.find("a"), first);
}

TEST_F(VariantCacheTest, ReportsAllOfAKind) {
  VariantCache cache(1000);
  const auto first = variant();
  cache.insert("a", "kind", first);
  cache.insert("b", "other", variant());
  cache.insert("c", "kind", variant());
  const auto count = [&](const char *kind) {
    std::size_t seen = 0;
    if (const Alternatives *alternatives = cache.of_kind(kind))
      (void)alternatives->best([&](std::span<const std::uint64_t>) { return ++seen == 0; });
    return seen;
  };
  EXPECT_EQ(count("kind"), 2U);
  cache.drop_if([&](const Variant &each) { return &each == first.get(); });
  EXPECT_EQ(count("kind"), 1U);
  EXPECT_EQ(count("another"), 0U);
}

TEST_F(AlternativesTest, GivesTheBestWhoseInvariantsAreValid) {
  Alternatives alternatives;
  const auto quick = variant(100, /*quick=*/true, {1, 2});
  const auto most = variant(100, false, {1, 2, 3});
  const auto full = variant(100, false, {1, 2});
  const auto other = variant(100, false, {7});
  for (const auto &each : {quick, other, most, full})
    alternatives.add(each);
  const auto without = [&](std::uint64_t broken) {
    return alternatives.best([&](std::span<const std::uint64_t> invariants) {
      return !std::ranges::binary_search(invariants, broken);
    });
  };
  EXPECT_EQ(without(9), most);
  EXPECT_EQ(without(3), full);
  EXPECT_EQ(without(2), other);
  alternatives.remove(*full);
  EXPECT_EQ(without(3), quick);
  alternatives.remove(*other);
  EXPECT_EQ(without(1), nullptr);
}

TEST_F(VariantCacheTest, DropsAllWhenItGoes) {
  {
    VariantCache cache(1000);
    cache.insert("a", "kind", variant());
    cache.insert("b", "kind", variant());
  }
  wait_for_retired();
  EXPECT_EQ(alive_, 0);
}

} // namespace
} // namespace sartor::runtime
