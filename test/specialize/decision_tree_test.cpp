// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Generated decision trees compared with the generic search in the same table.
#include <algorithm>
#include <random>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "build_point.h"

namespace sartor::testing_custom {
namespace {

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

template <class T> std::string c_type() {
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? "float" : "double";
  else
    return std::string("__") + (std::is_signed_v<T> ? "INT" : "UINT") +
           std::to_string(8 * sizeof(T)) + "_TYPE__";
}

template <class T> std::string literal(T value) {
  std::ostringstream text;
  if constexpr (std::is_floating_point_v<T>)
    text << std::hexfloat << value;
  else
    text << std::uint64_t(value) << "u";
  return "(" + c_type<T>() + ")" + text.str();
}

/// Writes a binary decision between two halves at each step. Hides the key from LLVM at the root of
/// each part of about a hundred comparisons.
template <class Key, class Result>
void write_tree(std::string &text, std::size_t low, std::size_t high) {
  const auto &table = intervals<Key, Result>;
  if (low == high) {
    text += "return " + literal(low == 0 ? Result{} : table.values[low - 1]) + ";\n";
    return;
  }
  constexpr std::size_t kHidden = 128;
  if (!std::is_floating_point_v<Key> && high - low <= kHidden && high - low > kHidden / 2)
    text += "__asm__(\"# " + std::to_string(low) + "\" : \"+r\"(key));\n";
  const std::size_t middle = (low + high) / 2;
  text += "if (key < " + literal(table.bounds[middle]) + ") {\n";
  write_tree<Key, Result>(text, low, middle);
  text += "} else {\n";
  write_tree<Key, Result>(text, middle + 1, high);
  text += "}\n";
}

template <class Key, class Result> GeneratedCode build_tree(const GeneratorInput &) {
  std::string text = c_type<Result>() + " specialized(" + c_type<Key>() + " key) {\n";
  write_tree<Key, Result>(text, 0, intervals<Key, Result>.bounds.size());
  return {.text = text + "}\n"};
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
