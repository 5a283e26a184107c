// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares folded variants with the native code: tables of random shapes, partly invariant, in both
// tiers, and with guards that fail in the middle of a followed loop.
#include <cstddef>
#include <deque>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fold_shapes.h"
#include "folding.h"

namespace {

using sartor::Configuration;
using sartor::core::Tier;

constexpr unsigned kTables = 10;
constexpr Tier kTiers[] = {Tier::quick, Tier::full};

/// A configuration with tables of random shapes. One part in `gaps` is not invariant; all parts are
/// if `gaps` is 0.
class Tables {
public:
  Tables(unsigned seed, unsigned gaps) : random_(seed), gaps_(gaps) {
    config.mode = below(4);
    config.rules = rules(below(24));
    config.count = static_cast<std::uint32_t>(rules_.back().size());
    config.table.assign(rules_.back().rbegin(), rules_.back().rend());
    invariant(config.table.data(), config.table.size() * sizeof(Rule));
    make_list();
    make_groups();
    make_program();
    declared.add(&config, offsetof(Config, counter));
  }

  Config config{};
  InvariantFixture declared;

private:
  unsigned below(unsigned bound) { return random_() % bound; }

  void invariant(const void *memory, std::size_t size) {
    if (size != 0 && (gaps_ == 0 || below(gaps_) != 0))
      declared.add(memory, size);
  }

  Rule rule() {
    const std::uint32_t mask = below(4) ? 0x3fU : 0x07U;
    return {below(256) & mask, mask, below(1000)};
  }

  Rule *rules(unsigned count) {
    std::vector<Rule> &made = rules_.emplace_back();
    for (unsigned i = 0; i < count; ++i)
      made.push_back(rule());
    invariant(made.data(), made.size() * sizeof(Rule));
    return made.data();
  }

  // The order of the nodes in memory differs from that in the list.
  void make_list() {
    for (unsigned i = below(20); i > 0; --i)
      list_.push_back({nullptr, rule()});
    for (ListRule &node : list_)
      node.next = std::exchange(config.list, &node);
    for (const ListRule &node : list_)
      invariant(&node, sizeof node);
  }

  // Groups may be empty, share their rules, or occur twice.
  void make_groups() {
    for (unsigned i = below(6); i > 0; --i) {
      const unsigned count = below(7);
      groups_.push_back({below(5), count, rules(count)});
      if (below(3) == 0)
        groups_.push_back({below(5), count, groups_.back().rules});
    }
    for (Group &group : groups_) {
      order_.push_back(&group);
      invariant(&group, sizeof group);
    }
    if (!order_.empty())
      order_.push_back(order_[below(static_cast<unsigned>(order_.size()))]);
    config.groups = order_.data();
    config.group_count = static_cast<std::uint32_t>(order_.size());
    invariant(static_cast<const void *>(order_.data()), order_.size() * sizeof(Group *));
  }

  void make_program() {
    const std::uint8_t ops[] = {op_add, op_multiply, op_input, op_jump_if_zero, op_multiply};
    const unsigned size = 4 + below(12);
    for (unsigned i = 0; i < size; ++i)
      program_.push_back({ops[below(5)], static_cast<std::uint8_t>(below(8)),
                          static_cast<std::uint8_t>(below(8)), static_cast<std::uint8_t>(below(8)),
                          static_cast<std::int32_t>(below(size))});
    program_.push_back({op_return, 0, 0, 0, 0});
    config.program = program_.data();
    invariant(program_.data(), program_.size() * sizeof(Instruction));
  }

  std::mt19937 random_;
  unsigned gaps_;
  std::deque<std::vector<Rule>> rules_; // pointers to its elements stay valid
  std::deque<ListRule> list_;
  std::deque<Group> groups_;
  std::vector<Group *> order_;
  std::vector<Instruction> program_;
};

Folding &folding() {
  static Folding one;
  return one;
}

/// Compares the results and the counts of consecutive calls.
void expect_same(const std::string &name, Handler3 *native, Tables &tables,
                 const Configuration &configuration = {}) {
  for (const Tier tier : kTiers) {
    auto *fold_report =
        folding().variant<Handler3>(name, &tables.config, tables.declared, configuration, tier);
    ASSERT_TRUE(fold_report);
    std::mt19937_64 random(7);
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t a = i < 100 ? static_cast<std::uint64_t>(i) : random();
      const std::uint64_t b = random() % 8;
      tables.config.counter = 0;
      const std::uint64_t expected = native(&tables.config, a, b);
      const std::uint64_t counted = std::exchange(tables.config.counter, 0);
      ASSERT_EQ(fold_report(&tables.config, a, b), expected)
          << name << configuration.text() << " on " << a << ", " << b;
      ASSERT_EQ(tables.config.counter, counted)
          << name << configuration.text() << " on " << a << ", " << b;
    }
  }
}

class RandomTablesTest : public testing::TestWithParam<unsigned> {};
class GuardsInFollowedLoopsTest : public testing::TestWithParam<unsigned> {};

TEST_P(RandomTablesTest, FoldToWhatTheNativeCodeDoes) {
  for (const unsigned gaps : {0U, 4U}) {
    Tables tables(GetParam(), gaps);
    expect_same("fold_array", fold_array, tables);
    expect_same("fold_list", fold_list, tables);
    expect_same("fold_groups", fold_groups, tables);
    expect_same("fold_vector", fold_vector, tables);
    expect_same("fold_packets", fold_packets, tables);
    expect_same("fold_helper", fold_helper, tables);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTablesTest, testing::Range(0U, kTables));

TEST_P(GuardsInFollowedLoopsTest, LeaveInTheMiddle) {
  for (const unsigned gaps : {0U, 4U}) {
    Tables tables(GetParam(), gaps);
    for (const Configuration &configuration :
         {Configuration{{"digit", 0}}, Configuration{{"digit", sartor::any_of({0, 2})}}})
      expect_same("fold_guarded_array", fold_guarded_array, tables, configuration);
    for (const Configuration &configuration :
         {Configuration{{"known", true}}, Configuration{{"address", 12}, {"known", true}}})
      expect_same("fold_guarded_list", fold_guarded_list, tables, configuration);
    for (const Configuration &configuration :
         {Configuration{{"factor", 4}}, Configuration{{"ahead", true}},
          Configuration{{"ahead", true}, {"factor", sartor::any_of({0, 1, 5})}}})
      expect_same("fold_guarded_run", fold_guarded_run, tables, configuration);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GuardsInFollowedLoopsTest, testing::Range(0U, kTables));

} // namespace
