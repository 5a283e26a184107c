// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/registry.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sartor::runtime {
namespace {

using core::Extent;
using core::Region;

struct Node {
  std::uint64_t changes; ///< Never promised.
  Node *next;
  std::uint64_t key;
};

template <class T> Extent extent_of(const T &object) {
  const auto address = reinterpret_cast<std::uintptr_t>(&object);
  return {address, address + sizeof(T)};
}

std::uintptr_t address_of(const void *memory) { return reinterpret_cast<std::uintptr_t>(memory); }

class Code final : public Dependent {
public:
  TakenOut take_out(std::uint64_t promise, const sartor::runtime::Holding &) override {
    taken_out.push_back(promise);
    return {};
  }
  void forget(std::uint64_t promise) override { forgotten.push_back(promise); }
  void look_again() override {}
  void not_waited_for(std::uint64_t) override {}
  std::vector<std::uint64_t> taken_out;
  std::vector<std::uint64_t> forgotten;
};

class RegistryTest : public testing::Test {
protected:
  RegistryTest() { registry_.add(code_, {address_of(&variable_)}); }
  ~RegistryTest() override { registry_.remove(code_); }
  RegistryTest(const RegistryTest &) = delete;
  RegistryTest &operator=(const RegistryTest &) = delete;

  std::uint64_t promise(Extent object, Extent part, std::uint64_t to = 0) {
    auto promised = registry_.promise(to, object, part);
    EXPECT_TRUE(promised);
    return promised.value_or(0);
  }
  template <class T> std::uint64_t promise(const T &object, std::uint64_t to = 0) {
    return promise(extent_of(object), extent_of(object), to);
  }
  /// All of a node but its first field.
  std::uint64_t promise_rest(const Node &node, std::uint64_t to = 0) {
    return promise(extent_of(node), {extent_of(node.next).address, extent_of(node).end}, to);
  }

  std::shared_ptr<Reach> reach(std::initializer_list<const void *> addresses) {
    std::vector<std::uintptr_t> roots;
    for (const void *address : addresses)
      roots.push_back(address_of(address));
    return registry_.reach(code_, roots);
  }
  std::vector<std::uint64_t> reached(std::initializer_list<const void *> addresses) {
    const auto found = reach(addresses);
    std::vector<std::uint64_t> promises;
    if (found)
      for (const Region &region : found->read()->regions)
        promises.push_back(region.promise);
    std::ranges::sort(promises);
    return promises;
  }

  Registry registry_;
  Code code_;
  std::array<Node, 4> variable_ = {};
};

TEST_F(RegistryTest, APointerIntoAnObjectReachesAPartThatBeginsLater) {
  const Node node{};
  const auto rest = promise_rest(node);
  EXPECT_THAT(reached({&node}), testing::ElementsAre(rest));
  EXPECT_THAT(reached({&node.key}), testing::ElementsAre(rest));
  EXPECT_EQ(reach({&node + 1}), nullptr);
  EXPECT_EQ(reach({}), nullptr);
  const auto &read = reach({&node})->read();
  EXPECT_EQ(read->regions.front().address, extent_of(node.next).address);
  EXPECT_EQ(read->objects.front().address, address_of(&node));
}

TEST_F(RegistryTest, PointersInAPartAreFollowedToObjects) {
  const Node last{};
  Node middle{};
  Node first{};
  middle.next = const_cast<Node *>(&last);
  first.next = &middle;
  first.changes = address_of(&last); // is not promised
  const auto ends = promise_rest(first);
  EXPECT_THAT(reached({&first}), testing::ElementsAre(ends));
  promise_rest(last, ends);
  EXPECT_THAT(reached({&first}), testing::ElementsAre(ends));
  const auto between = promise_rest(middle);
  EXPECT_THAT(reached({&first}), testing::ElementsAre(ends, ends, between));
}

TEST_F(RegistryTest, VariablesReachTheirLaterFields) {
  const auto key = promise(variable_[1].key);
  EXPECT_THAT(reached({}), testing::ElementsAre(key));
}

TEST_F(RegistryTest, GivesTheSameAsLongAsNothingMakesADifference) {
  Node node{};
  const Node other{};
  node.next = const_cast<Node *>(&other);
  promise_rest(node);
  const auto before = reach({&node});
  EXPECT_FALSE(before->is_read());
  const std::uint64_t unrelated = promise(code_);
  EXPECT_EQ(reach({&node}), before);
  EXPECT_TRUE(before->read());
  registry_.withdraw(unrelated);
  EXPECT_EQ(reach({&node}), before);
  const auto related = promise(other);
  const auto after = reach({&node});
  EXPECT_NE(after, before);
  EXPECT_EQ(after->read()->regions.size(), 2U);
  EXPECT_NE(after->name(), before->name());
  registry_.withdraw(related);
  const auto again = reach({&node});
  EXPECT_NE(again, after);
  EXPECT_TRUE(again->read());
  EXPECT_EQ(again->name(), before->name());
}

TEST_F(RegistryTest, KnowsWhatIsNewAmongThousands) {
  const Node node{};
  promise_rest(node);
  const auto before = reach({&node});
  EXPECT_TRUE(before->read());
  std::vector<std::uint64_t> others(10'000);
  constexpr std::size_t near = 1'000; // what lies this near to the variable may be a part of it
  for (const std::uint64_t &other : std::span(others).subspan(near))
    promise(other);
  const auto after = reach({&node});
  EXPECT_TRUE(after->read());
  EXPECT_EQ(after->name(), before->name()); // the same code will do
}

TEST_F(RegistryTest, FindsAnewWhatItCouldNotKeep) {
  std::vector<std::uintptr_t> table(600'000);
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = 0x100000000 + i; // what may be pointers
  const auto start = address_of(table.data());
  const Extent whole{start, start + table.size() * sizeof table[0]};
  promise(whole, whole);
  Node one{};
  Node other{};
  one.next = other.next = reinterpret_cast<Node *>(table.data());
  promise(one);
  promise(other);
  auto found = reach({&one});
  const std::uint64_t number = found->number();
  EXPECT_TRUE(found->read());
  const std::string name = found->name();
  found.reset();
  EXPECT_EQ(reach({&one})->number(), number);
  EXPECT_TRUE(reach({&other})->read());
  found = reach({&one});
  EXPECT_NE(found->number(), number);
  EXPECT_TRUE(found->read());
  EXPECT_EQ(found->name(), name);
}

TEST_F(RegistryTest, ReadsNothingThatWasTakenBackBefore) {
  const Node node{};
  const auto kept = promise(node.key);
  const auto taken = promise_rest(node);
  const auto found = reach({&node.key});
  registry_.withdraw(taken);
  ASSERT_TRUE(found->read());
  ASSERT_EQ(found->read()->regions.size(), 1U);
  EXPECT_EQ(found->read()->regions.front().promise, kept);
  EXPECT_FALSE(found->while_holding(std::array{kept, taken}, [] { ADD_FAILURE(); }));
  bool done = false;
  EXPECT_TRUE(found->while_holding(std::array{kept}, [&] { done = true; }));
  EXPECT_TRUE(done);
}

TEST_F(RegistryTest, TellsOfMemoryThatCannotBeReadUntilItIsTakenBack) {
  const Node node{};
  promise(node);
  const auto gone = promise({4096, 4096 + 16}, {4096, 4096 + 16});
  const void *nowhere = reinterpret_cast<const void *>(std::uintptr_t{4096});
  const auto &read = reach({&node, nowhere})->read();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::unreadable_memory);
  registry_.withdraw(gone);
  EXPECT_EQ(reached({&node, nowhere}).size(), 1U);
}

TEST_F(RegistryTest, RefusesAPartOutsideOfItsObject) {
  const Node node{};
  EXPECT_FALSE(registry_.promise(0, extent_of(node.next), extent_of(node.key)));
  EXPECT_FALSE(registry_.promise(0, {0, 8}, {0, 8}));
  EXPECT_FALSE(registry_.promise(0, {8, 8}, {8, 8}));
  EXPECT_EQ(registry_.promise(0, extent_of(node.next), extent_of(node.key)).error().code,
            ErrorCode::bad_invariant);
}

TEST_F(RegistryTest, IsOverWhenNobodyReadsAnyMore) {
  const Node node{};
  const auto number = promise(node);
  const auto found = reach({&node});
  EXPECT_TRUE(found->while_holding(std::array{number}, [&] {
    EXPECT_TRUE(registry_.withdraw(number));
    registry_.note_when_over(number);
    EXPECT_FALSE(registry_.holds(number));
    EXPECT_FALSE(registry_.is_over(number));
  }));
  while (!registry_.is_over(number))
    std::this_thread::yield();
  EXPECT_THAT(code_.taken_out, testing::ElementsAre(number));
}

TEST_F(RegistryTest, WaitsForWhoReadsThePromiseAndForNobodyElse) {
  const Node node{};
  const Node other{};
  const auto number = promise(node);
  const auto unread = promise(other);
  const auto found = reach({&node});
  std::thread taker;
  std::atomic<bool> taken_back = false;
  EXPECT_TRUE(found->while_holding(std::array{number}, [&] {
    std::thread([&] {
      registry_.withdraw(unread);
      registry_.wait_until_over(unread);
    }).join();
    EXPECT_TRUE(registry_.is_over(unread));
    taker = std::thread([&] {
      registry_.withdraw(number);
      registry_.wait_until_over(number);
      taken_back = true;
    });
    while (registry_.holds(number))
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(taken_back);
    EXPECT_FALSE(registry_.is_over(number));
  }));
  taker.join();
  EXPECT_TRUE(registry_.is_over(number));
}

TEST_F(RegistryTest, AFactHoldsAgainUnderItsNumberIfNothingHasChanged) {
  Node node{};
  const auto fact =
      registry_.promise(0, extent_of(node), extent_of(node.key), Lasting::while_it_holds);
  ASSERT_TRUE(fact);
  EXPECT_TRUE(Registry::is_fact(*fact));
  EXPECT_FALSE(registry_.holds(*fact));
  EXPECT_EQ(reach({&node}), nullptr);
  EXPECT_EQ(registry_.resume(*fact, /*anew=*/false), *fact);
  EXPECT_THAT(reached({&node}), testing::ElementsAre(*fact));
  const std::string name = reach({&node})->name();
  EXPECT_TRUE(registry_.suspend(*fact).held);
  EXPECT_FALSE(registry_.suspend(*fact).held);
  EXPECT_FALSE(registry_.hold({&*fact, 1}));
  EXPECT_EQ(reach({&node}), nullptr);
  EXPECT_FALSE(registry_.is_over(*fact));
  registry_.wait_until_over(*fact);
  EXPECT_TRUE(registry_.is_over(*fact));
  EXPECT_EQ(registry_.resume(*fact, /*anew=*/false), *fact);
  EXPECT_THAT(reached({&node}), testing::ElementsAre(*fact));
  EXPECT_EQ(reach({&node})->name(), name);
  EXPECT_THAT(code_.taken_out, testing::ElementsAre(*fact));
  EXPECT_THAT(code_.forgotten, testing::IsEmpty());
}

TEST_F(RegistryTest, AFactHasAnotherNumberWhereSomethingHas) {
  Node node{};
  const auto fact =
      registry_.promise(0, extent_of(node), extent_of(node.key), Lasting::while_it_holds);
  ASSERT_TRUE(fact && registry_.resume(*fact, false) == *fact);
  EXPECT_THAT(reached({&node}), testing::ElementsAre(*fact));
  registry_.suspend(*fact);
  node.key = 5;
  const auto changed = registry_.resume(*fact, false);
  ASSERT_TRUE(changed);
  EXPECT_NE(*changed, *fact);
  EXPECT_FALSE(registry_.holds(*fact));
  EXPECT_THAT(reached({&node}), testing::ElementsAre(*changed));
  EXPECT_THAT(code_.forgotten, testing::ElementsAre(*fact));
  registry_.suspend(*changed); // somebody may have read half of a write
  const auto anew = registry_.resume(*changed, /*anew=*/true);
  ASSERT_TRUE(anew);
  EXPECT_NE(*anew, *changed);
  registry_.withdraw(*anew);
  EXPECT_FALSE(registry_.has_facts());
  EXPECT_FALSE(registry_.resume(*anew, false));
}

TEST_F(RegistryTest, WhatWasFoundWithoutAFactIsFoundAnewWithIt) {
  Node node{};
  Node other{};
  node.next = &other;
  promise_rest(node);
  const auto fact =
      registry_.promise(0, extent_of(other), extent_of(other.key), Lasting::while_it_holds);
  ASSERT_TRUE(fact);
  const auto before = reach({&node});
  EXPECT_EQ(before->read()->regions.size(), 1U);
  ASSERT_TRUE(registry_.resume(*fact, false));
  const auto after = reach({&node});
  EXPECT_NE(after, before);
  EXPECT_EQ(after->read()->regions.size(), 2U);
  registry_.suspend(*fact);
  const auto again = reach({&node});
  EXPECT_NE(again, after);
  EXPECT_EQ(again->read()->regions.size(), 1U);
}

TEST_F(RegistryTest, NeverGivesBytesOfAnotherTimeThanThePromise) {
  constexpr int kRounds = 300;
  std::array<Node, 50> nodes = {};
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i)
    nodes[i].next = &nodes[i + 1];
  std::atomic<bool> done = false;
  const auto read = [&] {
    while (!done) {
      const auto found = reach({&nodes[0]});
      if (!found)
        continue;
      const auto &outcome = found->read();
      if (!outcome)
        continue;
      for (const Region &region : outcome->regions) {
        std::uint64_t key = 0;
        std::memcpy(&key, region.bytes->data() + region.bytes->size() - sizeof key, sizeof key);
        EXPECT_EQ(key, region.promise * 3); // each promise was made of another content
      }
    }
  };
  {
    const std::jthread first(read);
    const std::jthread second(read);
    std::uint64_t number = 0;
    for (int round = 0; round < kRounds; ++round) {
      for (Node &node : nodes)
        node.key = (number + 2) * 3; // the next promise's
      for (const Node &node : nodes)
        number = promise_rest(node, number);
      std::this_thread::yield();
      registry_.withdraw(number);
      registry_.wait_until_over(number);
    }
    done = true;
  }
}

} // namespace
} // namespace sartor::runtime
