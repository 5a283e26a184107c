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
  std::uint64_t changes; ///< Never part of an invariant.
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
  Deactivated deactivate(std::uint64_t invariant, const sartor::runtime::Holding &) override {
    taken_out.push_back(invariant);
    return {};
  }
  void forget(std::uint64_t invariant) override { forgotten.push_back(invariant); }
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

  std::uint64_t declare(Extent object, Extent part, std::uint64_t to = 0) {
    auto declared = registry_.declare(to, object, part);
    EXPECT_TRUE(declared);
    return declared.value_or(0);
  }
  template <class T> std::uint64_t declare(const T &object, std::uint64_t to = 0) {
    return declare(extent_of(object), extent_of(object), to);
  }
  /// Declares all of a node except its first field.
  std::uint64_t declare_rest(const Node &node, std::uint64_t to = 0) {
    return declare(extent_of(node), {extent_of(node.next).address, extent_of(node).end}, to);
  }

  std::shared_ptr<Reach> reach(std::initializer_list<const void *> addresses) {
    std::vector<std::uintptr_t> roots;
    for (const void *address : addresses)
      roots.push_back(address_of(address));
    return registry_.reach(code_, roots);
  }
  std::vector<std::uint64_t> reached(std::initializer_list<const void *> addresses) {
    const auto found = reach(addresses);
    std::vector<std::uint64_t> invariants;
    if (found)
      for (const Region &region : found->read()->regions)
        invariants.push_back(region.invariant);
    std::ranges::sort(invariants);
    return invariants;
  }

  Registry registry_;
  Code code_;
  std::array<Node, 4> variable_ = {};
};

TEST_F(RegistryTest, APointerIntoAnObjectReachesAPartThatBeginsLater) {
  const Node node{};
  const auto rest = declare_rest(node);
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
  first.changes = address_of(&last); // not part of an invariant
  const auto ends = declare_rest(first);
  EXPECT_THAT(reached({&first}), testing::ElementsAre(ends));
  declare_rest(last, ends);
  EXPECT_THAT(reached({&first}), testing::ElementsAre(ends));
  const auto between = declare_rest(middle);
  EXPECT_THAT(reached({&first}), testing::ElementsAre(ends, ends, between));
}

TEST_F(RegistryTest, VariablesReachTheirLaterFields) {
  const auto key = declare(variable_[1].key);
  EXPECT_THAT(reached({}), testing::ElementsAre(key));
}

TEST_F(RegistryTest, GivesTheSameAsLongAsNothingMakesADifference) {
  Node node{};
  const Node other{};
  node.next = const_cast<Node *>(&other);
  declare_rest(node);
  const auto before = reach({&node});
  EXPECT_FALSE(before->is_read());
  const std::uint64_t unrelated = declare(code_);
  EXPECT_EQ(reach({&node}), before);
  EXPECT_TRUE(before->read());
  registry_.revoke(unrelated);
  EXPECT_EQ(reach({&node}), before);
  const auto related = declare(other);
  const auto after = reach({&node});
  EXPECT_NE(after, before);
  EXPECT_EQ(after->read()->regions.size(), 2U);
  EXPECT_NE(after->name(), before->name());
  registry_.revoke(related);
  const auto again = reach({&node});
  EXPECT_NE(again, after);
  EXPECT_TRUE(again->read());
  EXPECT_EQ(again->name(), before->name());
}

TEST_F(RegistryTest, KnowsWhatIsNewAmongThousands) {
  const Node node{};
  declare_rest(node);
  const auto before = reach({&node});
  EXPECT_TRUE(before->read());
  std::vector<std::uint64_t> others(10'000);
  constexpr std::size_t near = 1'000; // memory this near to the variable may be a part of it
  for (const std::uint64_t &other : std::span(others).subspan(near))
    declare(other);
  const auto after = reach({&node});
  EXPECT_TRUE(after->read());
  EXPECT_EQ(after->name(), before->name()); // the same code is valid
}

TEST_F(RegistryTest, FindsAnewWhatItCouldNotKeep) {
  std::vector<std::uintptr_t> table(600'000);
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = 0x100000000 + i; // values that may be pointers
  const auto start = address_of(table.data());
  const Extent whole{start, start + table.size() * sizeof table[0]};
  declare(whole, whole);
  Node one{};
  Node other{};
  one.next = other.next = reinterpret_cast<Node *>(table.data());
  declare(one);
  declare(other);
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

TEST_F(RegistryTest, ReadsNothingThatWasRevokedBefore) {
  const Node node{};
  const auto kept = declare(node.key);
  const auto taken = declare_rest(node);
  const auto found = reach({&node.key});
  registry_.revoke(taken);
  ASSERT_TRUE(found->read());
  ASSERT_EQ(found->read()->regions.size(), 1U);
  EXPECT_EQ(found->read()->regions.front().invariant, kept);
  EXPECT_FALSE(found->while_holding(std::array{kept, taken}, [] { ADD_FAILURE(); }));
  bool done = false;
  EXPECT_TRUE(found->while_holding(std::array{kept}, [&] { done = true; }));
  EXPECT_TRUE(done);
}

TEST_F(RegistryTest, ReportsMemoryThatCannotBeReadUntilItIsRevoked) {
  const Node node{};
  declare(node);
  const auto gone = declare({4096, 4096 + 16}, {4096, 4096 + 16});
  const void *nowhere = reinterpret_cast<const void *>(std::uintptr_t{4096});
  const auto &read = reach({&node, nowhere})->read();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::unreadable_memory);
  registry_.revoke(gone);
  EXPECT_EQ(reached({&node, nowhere}).size(), 1U);
}

TEST_F(RegistryTest, RefusesAPartOutsideOfItsObject) {
  const Node node{};
  EXPECT_FALSE(registry_.declare(0, extent_of(node.next), extent_of(node.key)));
  EXPECT_FALSE(registry_.declare(0, {0, 8}, {0, 8}));
  EXPECT_FALSE(registry_.declare(0, {8, 8}, {8, 8}));
  EXPECT_EQ(registry_.declare(0, extent_of(node.next), extent_of(node.key)).error().code,
            ErrorCode::bad_invariant);
}

TEST_F(RegistryTest, IsOverWhenNobodyReadsAnyMore) {
  const Node node{};
  const auto number = declare(node);
  const auto found = reach({&node});
  EXPECT_TRUE(found->while_holding(std::array{number}, [&] {
    EXPECT_TRUE(registry_.revoke(number));
    registry_.note_when_over(number);
    EXPECT_FALSE(registry_.valid(number));
    EXPECT_FALSE(registry_.is_over(number));
  }));
  while (!registry_.is_over(number))
    std::this_thread::yield();
  EXPECT_THAT(code_.taken_out, testing::ElementsAre(number));
}

TEST_F(RegistryTest, WaitsForWhoReadsTheInvariantAndForNobodyElse) {
  const Node node{};
  const Node other{};
  const auto number = declare(node);
  const auto unread = declare(other);
  const auto found = reach({&node});
  std::thread taker;
  std::atomic<bool> revoked = false;
  EXPECT_TRUE(found->while_holding(std::array{number}, [&] {
    std::thread([&] {
      registry_.revoke(unread);
      registry_.wait_until_over(unread);
    }).join();
    EXPECT_TRUE(registry_.is_over(unread));
    taker = std::thread([&] {
      registry_.revoke(number);
      registry_.wait_until_over(number);
      revoked = true;
    });
    while (registry_.valid(number))
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(revoked);
    EXPECT_FALSE(registry_.is_over(number));
  }));
  taker.join();
  EXPECT_TRUE(registry_.is_over(number));
}

TEST_F(RegistryTest, AQuasiInvariantIsValidAgainUnderItsNumberIfNothingHasChanged) {
  Node node{};
  const auto quasi_invariant =
      registry_.declare(0, extent_of(node), extent_of(node.key), Lasting::while_valid);
  ASSERT_TRUE(quasi_invariant);
  EXPECT_TRUE(Registry::is_quasi_invariant(*quasi_invariant));
  EXPECT_FALSE(registry_.valid(*quasi_invariant));
  EXPECT_EQ(reach({&node}), nullptr);
  EXPECT_EQ(registry_.resume(*quasi_invariant, /*anew=*/false), *quasi_invariant);
  EXPECT_THAT(reached({&node}), testing::ElementsAre(*quasi_invariant));
  const std::string name = reach({&node})->name();
  EXPECT_TRUE(registry_.suspend(*quasi_invariant).held);
  EXPECT_FALSE(registry_.suspend(*quasi_invariant).held);
  EXPECT_FALSE(registry_.are_valid({&*quasi_invariant, 1}));
  EXPECT_EQ(reach({&node}), nullptr);
  EXPECT_FALSE(registry_.is_over(*quasi_invariant));
  registry_.wait_until_over(*quasi_invariant);
  EXPECT_TRUE(registry_.is_over(*quasi_invariant));
  EXPECT_EQ(registry_.resume(*quasi_invariant, /*anew=*/false), *quasi_invariant);
  EXPECT_THAT(reached({&node}), testing::ElementsAre(*quasi_invariant));
  EXPECT_EQ(reach({&node})->name(), name);
  EXPECT_THAT(code_.taken_out, testing::ElementsAre(*quasi_invariant));
  EXPECT_THAT(code_.forgotten, testing::IsEmpty());
}

TEST_F(RegistryTest, AQuasiInvariantHasAnotherNumberWhereSomethingHas) {
  Node node{};
  const auto quasi_invariant =
      registry_.declare(0, extent_of(node), extent_of(node.key), Lasting::while_valid);
  ASSERT_TRUE(quasi_invariant && registry_.resume(*quasi_invariant, false) == *quasi_invariant);
  EXPECT_THAT(reached({&node}), testing::ElementsAre(*quasi_invariant));
  registry_.suspend(*quasi_invariant);
  node.key = 5;
  const auto changed = registry_.resume(*quasi_invariant, false);
  ASSERT_TRUE(changed);
  EXPECT_NE(*changed, *quasi_invariant);
  EXPECT_FALSE(registry_.valid(*quasi_invariant));
  EXPECT_THAT(reached({&node}), testing::ElementsAre(*changed));
  EXPECT_THAT(code_.forgotten, testing::ElementsAre(*quasi_invariant));
  registry_.suspend(*changed); // a thread may have read half of a write
  const auto anew = registry_.resume(*changed, /*anew=*/true);
  ASSERT_TRUE(anew);
  EXPECT_NE(*anew, *changed);
  registry_.revoke(*anew);
  EXPECT_FALSE(registry_.has_quasi_invariants());
  EXPECT_FALSE(registry_.resume(*anew, false));
}

TEST_F(RegistryTest, WhatWasFoundWithoutAQuasiInvariantIsFoundAnewWithIt) {
  Node node{};
  Node other{};
  node.next = &other;
  declare_rest(node);
  const auto quasi_invariant =
      registry_.declare(0, extent_of(other), extent_of(other.key), Lasting::while_valid);
  ASSERT_TRUE(quasi_invariant);
  const auto before = reach({&node});
  EXPECT_EQ(before->read()->regions.size(), 1U);
  ASSERT_TRUE(registry_.resume(*quasi_invariant, false));
  const auto after = reach({&node});
  EXPECT_NE(after, before);
  EXPECT_EQ(after->read()->regions.size(), 2U);
  registry_.suspend(*quasi_invariant);
  const auto again = reach({&node});
  EXPECT_NE(again, after);
  EXPECT_EQ(again->read()->regions.size(), 1U);
}

TEST_F(RegistryTest, NeverGivesBytesOfAnotherTimeThanTheInvariant) {
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
        EXPECT_EQ(key, region.invariant * 3); // each invariant was made with another content
      }
    }
  };
  {
    const std::jthread first(read);
    const std::jthread second(read);
    std::uint64_t number = 0;
    for (int round = 0; round < kRounds; ++round) {
      for (Node &node : nodes)
        node.key = (number + 2) * 3; // the value of the next invariant
      for (const Node &node : nodes)
        number = declare_rest(node, number);
      std::this_thread::yield();
      registry_.revoke(number);
      registry_.wait_until_over(number);
    }
    done = true;
  }
}

} // namespace
} // namespace sartor::runtime
