// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generic code compared with variants: the same sequence of packets must lead to the same verdicts,
// frames and effects.
#include <memory>
#include <random>

#include <sartor/configuration.hpp>

#include "scenario.h"
#include "variables.h"
#include "xdp.h"

namespace xdp::test {

namespace {

using sartor::Configuration;

/// The same object twice, with separate maps; one of them stays generic.
class XdpDifferentialTest : public Kernel, public testing::WithParamInterface<Scenario> {
protected:
  void SetUp() override {
    Kernel::SetUp();
    if (IsSkipped())
      return;
    for (auto *each : {&generic, &special}) {
      *each = std::make_unique<Handlers>(scenario().object);
      scenario().load((*each)->maps());
    }
  }

  static const Scenario &scenario() { return GetParam(); }
  [[nodiscard]] static Side side_of(const std::unique_ptr<Handlers> &handlers) {
    return {handlers->runtime().program(scenario().handler), handlers->maps()};
  }

  /// Frequent packets and others, half of them with flaws.
  std::vector<std::string> frames(std::size_t count) {
    std::vector<std::string> made = frames_of(
        scenario(), {.hits = 0.7, .popular = 32, .first = 0, .is_zipf = true, .seed = random()},
        count);
    for (std::string &frame : made)
      if (random() % 2 == 0)
        frame = spoiled(frame, random);
    return made;
  }
  void expect_no_difference(std::size_t count = 1000) {
    EXPECT_EQ(difference(side_of(generic), side_of(special), frames(count), scenario().maps), "");
  }
  void profile() {
    std::vector<std::string> labels;
    const auto space = special->runtime().space();
    for (const sartor::Point &point : space.points())
      labels.push_back(point.label);
    special->runtime().instrument(labels, 1);
    expect_no_difference();
    special->runtime().instrument({});
  }
  /// A random configuration: sets the fast path, and each other point or not.
  Configuration any_configuration() {
    Configuration configuration;
    const auto all = special->runtime().space();
    for (const sartor::Point &point : all.points()) {
      if (std::ranges::find(point.handlers, scenario().handler) == point.handlers.end())
        continue;
      const auto values = point.values();
      if (point.label == scenario().fast_path)
        configuration.set(point.label, 1 << random() % 6);
      else if (random() % 2 == 0 && !values.empty())
        configuration.set(point.label, values[random() % values.size()]);
    }
    return configuration;
  }

  std::unique_ptr<Handlers> generic;
  std::unique_ptr<Handlers> special;
  std::mt19937_64 random{3};
};

INSTANTIATE_TEST_SUITE_P(Each, XdpDifferentialTest, testing::ValuesIn(scenarios()),
                         [](const auto &each) { return each.param.name; });

} // namespace

TEST_P(XdpDifferentialTest, TwoGenericOnesDoTheSame) { expect_no_difference(3000); }

TEST_P(XdpDifferentialTest, ADifferenceIsFound) {
  Variables(special->runtime().map(".bss")).get<std::uint64_t>("version") += 1;
  EXPECT_NE(difference(side_of(generic), side_of(special), frames(100), scenario().maps), "");
}

TEST_P(XdpDifferentialTest, VariantsDoWhatTheGenericCodeDoes) {
  profile();
  for (int round = 0; round < 6; ++round) {
    const Configuration configuration = any_configuration();
    SCOPED_TRACE(configuration.text());
    special->runtime().specialize(configuration);
    expect_no_difference();
  }
}

TEST_P(XdpDifferentialTest, AnswersAreForgottenWhenTablesChange) {
  profile();
  special->runtime().specialize({{scenario().fast_path, 32}});
  expect_no_difference();
  // From now on, remembered answers would be wrong.
  for (const auto &each : {generic.get(), special.get()}) {
    const Variables variables(each->runtime().map(".bss"));
    const Change change(variables);
    const KernelMap table = each->map(scenario().table);
    for (const auto &[key, value] : table.content())
      table.set_bytes(key, std::string(value.size(), '\0'));
  }
  expect_no_difference();
  profile();
  special->runtime().specialize({{scenario().fast_path, 32}});
  expect_no_difference();
}

} // namespace xdp::test
