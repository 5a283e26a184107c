// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Generated decision trees compared with the generic search in the same table.
#include <sartor/builder.hpp>

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "build_point.h"

namespace sartor::testing_custom {
namespace {

using Predicate = Builder::Predicate;

/// Maps a key to an interval: values[i] belongs to keys from bounds[i] up to the next bound.
template <class Key, class Result> struct Intervals {
  std::vector<Key> bounds; ///< Sorted, distinct, not empty.
  std::vector<Result> values;
};

template <class Key, class Result> Intervals<Key, Result> intervals;

template <class Key, class Result> Result find(Key key) {
  const auto &table = intervals<Key, Result>;
  const auto above = std::upper_bound(table.bounds.begin(), table.bounds.end(), key);
  return above == table.bounds.begin() ? Result{} : table.values[above - table.bounds.begin() - 1];
}

/// Generates a binary decision between two halves at each step. Keeps an explicit list of tasks.
template <class Key, class Result> void build_tree(Builder &b) {
  const auto &table = intervals<Key, Result>;
  constexpr bool kSigned = std::is_signed_v<Key> && !std::is_floating_point_v<Key>;
  struct Task {
    Builder::Block block;
    std::size_t low, high; ///< From low to high bounds are less than or equal to the key.
    Builder::Operand key;
    bool large; ///< The range above it had more than kHidden bounds.
  };
  constexpr std::size_t kHidden = 128;
  const auto root = b.block();
  b.jump(root);
  std::vector<Task> tasks{{root, 0, table.bounds.size(), b.argument(0), true}};
  while (!tasks.empty()) {
    Task task = tasks.back();
    tasks.pop_back();
    b.enter(task.block);
    if (task.low == task.high) {
      b.result(task.low == 0 ? b.constant(Result{}) : b.constant(table.values[task.low - 1]));
      continue;
    }
    const bool large = task.high - task.low > kHidden;
    if (!std::is_floating_point_v<Key> && task.large && !large)
      task.key = b.hide(task.key);
    const std::size_t middle = (task.low + task.high) / 2;
    const auto below = b.block();
    const auto above = b.block();
    b.branch(b.compare(kSigned ? Predicate::signed_less : Predicate::less, task.key,
                       b.constant(table.bounds[middle])),
             below, above);
    tasks.push_back({below, task.low, middle, task.key, large});
    tasks.push_back({above, middle + 1, task.high, task.key, large});
  }
}

template <class Number> Number random_number(std::mt19937_64 &random) {
  if constexpr (std::is_floating_point_v<Number>)
    return static_cast<Number>(static_cast<double>(random()) / 1e17 - 92);
  else
    return static_cast<Number>(random());
}

template <class Key, class Result> void fill(std::mt19937_64 &random, std::size_t size) {
  auto &table = intervals<Key, Result>;
  table = {};
  for (std::size_t i = 0; i < size; ++i)
    table.bounds.push_back(random_number<Key>(random));
  std::sort(table.bounds.begin(), table.bounds.end());
  table.bounds.erase(std::unique(table.bounds.begin(), table.bounds.end()), table.bounds.end());
  for (std::size_t i = 0; i < table.bounds.size(); ++i)
    table.values.push_back(random_number<Result>(random));
}

template <class Types> class DecisionTreeTest : public testing::Test {};

template <class K, class R> struct Of {
  using Key = K;
  using Result = R;
};
using Widths = testing::Types<Of<std::uint8_t, std::int8_t>, Of<std::int8_t, std::uint16_t>,
                              Of<std::uint16_t, std::int16_t>, Of<std::int16_t, float>,
                              Of<std::uint32_t, std::uint64_t>, Of<std::int32_t, std::uint8_t>,
                              Of<std::uint64_t, double>, Of<std::int64_t, std::int64_t>,
                              Of<float, std::int32_t>, Of<double, std::uint32_t>>;
TYPED_TEST_SUITE(DecisionTreeTest, Widths, );

TYPED_TEST(DecisionTreeTest, FindsWhatTheGenericSearchFinds) {
  using Key = typename TypeParam::Key;
  using Result = typename TypeParam::Result;
  std::mt19937_64 random(7);
  for (const std::size_t size : {1, 2, 5, 40}) {
    fill<Key, Result>(random, size);
    const Built code(find<Key, Result>, build_tree<Key, Result>);
    ASSERT_TRUE(code) << code.failure().text();
    for (int i = 0; i < 2000; ++i) {
      const Key key = random_number<Key>(random);
      ASSERT_EQ(code(key), (find<Key, Result>(key))) << +key;
    }
    for (const Key bound : intervals<Key, Result>.bounds)
      ASSERT_EQ(code(bound), (find<Key, Result>(bound))) << +bound;
  }
}

TEST(LargeDecisionTreeTest, TenThousandRoutesAreBuiltAndCompiled) {
  std::mt19937_64 random(11);
  fill<std::uint32_t, std::uint32_t>(random, 10'000);
  const Built code(find<std::uint32_t, std::uint32_t>, build_tree<std::uint32_t, std::uint32_t>);
  ASSERT_TRUE(code) << code.failure().text();
  for (int i = 0; i < 100'000; ++i) {
    const auto key = static_cast<std::uint32_t>(random());
    ASSERT_EQ(code(key), (find<std::uint32_t, std::uint32_t>(key)));
  }
}

} // namespace
} // namespace sartor::testing_custom
