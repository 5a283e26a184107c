// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Structures of every shape as bound arguments, and parameters around them.
#include "structures.h"

#include <array>
#include <cstring>

#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

extern "C" {
#define DECLARE_HANDLERS(name, digest, initial, ...)                                               \
  long c_o0_##name(long, name, int);                                                               \
  long c_o2_##name(long, name, int);                                                               \
  long cxx_o0_##name(long, name, int);                                                             \
  long cxx_o2_##name(long, name, int);
STRUCTURES(DECLARE_HANDLERS)
long c_o2_changes(Large, long);
long c_o2_interprets(Steps, long);
long cxx_o2_interprets(Steps, long);
long cxx_o0_crowded(long, long, long, long, long, TwoLongs, long);
Large c_o2_returns_large(TwoLongs, Large, long);
LongDouble cxx_o2_returns_mixed(DoubleLong, double);
long c_o2_folds(Large, FourFloats);
}

namespace {

using sartor::_;
using sartor::BoundArgument;
using Arguments = std::map<unsigned, BoundArgument>;

constexpr std::array kPrefixes{"c_o0_", "c_o2_", "cxx_o0_", "cxx_o2_"};

sartor::Runtime &runtime() {
  static sartor::Runtime instance;
  return instance;
}

/// Calls a binding's plain function, while it still runs native code and afterwards.
template <class Function, class... Rest>
void expect_bound(const std::string &name, const Arguments &arguments, long expected,
                  const Rest &...rest) {
  const auto share = runtime().bind(name, arguments);
  auto *function = reinterpret_cast<Function *>(share.function(arguments));
  EXPECT_EQ(function(rest...), expected) << name << " at once";
  share.wait();
  EXPECT_EQ(function(rest...), expected) << name;
}

template <class S>
void expect_same(const char *structure, std::array<long (*)(long, S, int), 4> natives,
                 const S &value) {
  for (std::size_t i = 0; i < natives.size(); ++i) {
    const std::string name = kPrefixes[i] + std::string(structure);
    const long expected = natives[i](-5, value, 3);
    const BoundArgument object = BoundArgument::object(&value, sizeof value);
    expect_bound<long(long, int)>(name, {{1, object}}, expected, -5L, 3);
    expect_bound<long(S)>(name, {{0, -5}, {2, 3}}, expected, value);
    expect_bound<long()>(name, {{0, -5}, {1, object}, {2, 3}}, expected);
  }
}

} // namespace

#define SHAPE_TEST(name, digest, initial, ...)                                                     \
  TEST(Structures, name) {                                                                         \
    const struct name value = initial;                                                             \
    expect_same<name>(#name, {&c_o0_##name, &c_o2_##name, &cxx_o0_##name, &cxx_o2_##name}, value); \
    const long expected = c_o2_##name(-5, value, 3);                                               \
    const auto object = runtime().bind<&c_o2_##name>(_, value, _);                                 \
    const auto numbers = runtime().bind<&c_o2_##name>(-5, _, 3);                                   \
    object.wait();                                                                                 \
    numbers.wait();                                                                                \
    EXPECT_EQ(object(-5, 3), expected);                                                            \
    EXPECT_EQ(numbers(value), expected);                                                           \
  }
STRUCTURES(SHAPE_TEST)

namespace {

Large large_of(long first) {
  Large large{};
  for (int i = 0; i < 20; ++i)
    large.a[i] = first + i;
  large.b = 5;
  return large;
}

} // namespace

TEST(BoundStructure, IsACopyThatEachCallMayChange) {
  const Large value = large_of(1);
  const auto bound = runtime().bind<&c_o2_changes>(value, _);
  bound.wait();
  for (int times = 0; times < 3; ++times)
    for (long where = 0; where < 16; ++where)
      EXPECT_EQ(bound(where), c_o2_changes(value, where));
}

TEST(BoundStructure, MayBeWhatAResultIsMadeOf) {
  const Large value = large_of(7);
  const auto bound = runtime().bind<&c_o2_returns_large>(TwoLongs{3, 4}, value, _);
  bound.wait();
  const Large made = bound(2);
  const Large expected = c_o2_returns_large({3, 4}, value, 2);
  EXPECT_TRUE(std::equal(made.a, made.a + 20, expected.a));
  const auto mixed = runtime().bind<&cxx_o2_returns_mixed>(DoubleLong{2.5, 9}, _);
  mixed.wait();
  EXPECT_EQ(mixed(2).a, 18);
  EXPECT_EQ(mixed(2).b, 5.0);
}

TEST(BoundStructure, BecomesConstants) {
  const auto bound = runtime().bind<&c_o2_folds>(large_of(30), FourFloats{1, 2, 3, 4});
  EXPECT_NO_THROW(bound.wait());
  EXPECT_EQ(bound(), 43);
}

TEST(BoundStructure, SteersLoopsThatAreFollowed) {
  // Adds 3 and doubles until the value is at least 100, then subtracts 1.
  const Steps steps{{{1, 3}, {2, 2}, {3, 0}, {1, -1}, {0, 0}}};
  const auto c = runtime().bind<&c_o2_interprets>(steps, _);
  const auto cxx = runtime().bind<&cxx_o2_interprets>(steps, _);
  EXPECT_NO_THROW(c.wait());
  EXPECT_NO_THROW(cxx.wait());
  for (long value = -3; value < 120; ++value) {
    EXPECT_EQ(c(value), c_o2_interprets(steps, value));
    EXPECT_EQ(cxx(value), c_o2_interprets(steps, value));
  }
}

TEST(BoundStructure, ThatComesInMemoryForWantOfRegistersIsCalledRightOrNotAtAll) {
  const auto bound = runtime().bind<&cxx_o0_crowded>(1, 2, _, _, _, _, _);
  bound.wait();
  EXPECT_EQ(bound(3, 4, 5, TwoLongs{6, 7}, 8), cxx_o0_crowded(1, 2, 3, 4, 5, {6, 7}, 8));
  const Arguments some{{0, 1}, {1, 2}};
  try {
    (void)runtime().bind("cxx_o0_crowded", some).function(some);
    ADD_FAILURE() << "a function that passes the structure elsewhere";
  } catch (const sartor::Error &error) {
    EXPECT_EQ(error.code(), sartor::ErrorCode::bad_binding);
    EXPECT_NE(std::string(error.what()).find("parameter 5"), std::string::npos) << error.what();
  }
  const TwoLongs value{6, 7};
  expect_bound<long(long, long, long, long, long, long)>(
      "cxx_o0_crowded", {{5, BoundArgument::object(&value, sizeof value)}},
      cxx_o0_crowded(1, 2, 3, 4, 5, value, 8), 1L, 2L, 3L, 4L, 5L, 8L);
  expect_bound<long(long, long, long, long, long, TwoLongs)>(
      "cxx_o0_crowded", {{6, 8}}, cxx_o0_crowded(1, 2, 3, 4, 5, value, 8), 1L, 2L, 3L, 4L, 5L,
      value);
}
