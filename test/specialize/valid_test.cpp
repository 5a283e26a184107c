// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Every specialization of a handler must be valid IR.
#include <random>

#include <gtest/gtest.h>

#include "folding.h"

// Definitions that the shapes depend on (shapes.h); they are not executed here.
extern std::int64_t first_fresh[4];
extern std::int64_t second_fresh[4];
std::int64_t first_fresh[4];
std::int64_t second_fresh[4];
extern "C" {
void effect(int, std::int64_t) {}
std::int64_t opaque(std::int64_t v) { return v; }
std::int64_t *fresh(bool first) { return first ? first_fresh : second_fresh; }
}

namespace {

std::vector<sartor::Value> values_of(const sartor::Point &point) {
  if (!point.choices.empty() || point.kind == sartor::PointKind::assume)
    return point.values();
  if (point.type.kind == sartor::PointType::Class::pointer)
    return {"near_cells"};
  return {0, 1, 2, 3};
}

sartor::Configuration some_configuration(const Folding &folding, std::mt19937 &random) {
  sartor::Configuration configuration;
  for (const sartor::Point &point : folding.space().points()) {
    if (point.kind == sartor::PointKind::fast_path || point.kind == sartor::PointKind::custom ||
        point.handlers.empty() || !point.sites.front().problem.empty() || random() % 4 == 0)
      continue;
    const auto values = values_of(point);
    std::vector<sartor::Value> chosen{values[random() % values.size()]};
    if (random() % 3 == 0)
      chosen.push_back(values[random() % values.size()]);
    sartor::Setting setting = sartor::any_of(chosen);
    if (random() % 4 == 0)
      setting = sartor::unguarded(setting);
    configuration.set(point.label, setting);
  }
  return configuration;
}

TEST(Specialized, IsValidForEveryShape) {
  Folding folding;
  std::mt19937 random(1);
  for (unsigned round = 0; round < 3; ++round) {
    const sartor::Configuration configuration = some_configuration(folding, random);
    for (const std::string &handler : folding.handlers())
      EXPECT_EQ(folding.problems(folding.context(handler, configuration)), "")
          << handler << configuration.text();
  }
}

} // namespace
