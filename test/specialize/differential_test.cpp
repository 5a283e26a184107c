// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Every shape of code around a point, under many configurations, on many inputs: the specialized
/// code must do what the native code does: same result, same memory, same side effects in the same
/// order, same exceptions.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "shapes.h"

namespace {

std::vector<std::pair<int, std::int64_t>> trace;

struct Outcome {
  std::int64_t result = 0;
  std::string thrown;
  Memory memory{};
  std::vector<std::pair<int, std::int64_t>> effects;

  bool operator==(const Outcome &other) const {
    // Bit by bit: equal numbers are not enough, and NaN is not equal to itself.
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
    const bool same_memory = std::memcmp(&memory, &other.memory, sizeof memory) == 0;
    return result == other.result && thrown == other.thrown && same_memory &&
           effects == other.effects;
  }
};

template <class Function> Outcome run(Function &function, std::int64_t a, std::int64_t b) {
  Outcome outcome;
  for (int i = 0; i < 16; ++i) {
    outcome.memory.cells[i] = i * 3 % 7;
    outcome.memory.reals[i] = 0.1 * (i + 1);
  }
  trace.clear();
  try {
    outcome.result = function(outcome.memory, a, b);
  } catch (std::int64_t thrown) {
    outcome.thrown = std::to_string(thrown);
  } catch (const std::exception &thrown) {
    outcome.thrown = thrown.what();
  }
  outcome.effects = trace;
  return outcome;
}

/// Values that points of this kind are set to: some that inputs bring, some that never come.
std::vector<sartor::Value> pool(const sartor::Point &point) {
  if (!point.choices.empty() || point.kind == sartor::PointKind::assume)
    return point.values();
  if (point.type.kind == sartor::PointType::Class::floating)
    return {0.0, -0.0, 1.5};
  if (point.type.is_signed)
    return {-3, -1, 0, 1, 2, 3, 4, 5, 6, 7};
  return {0, 1, 2, 3, 65535};
}

sartor::Setting random_setting(const sartor::Point &point, std::mt19937 &random) {
  const auto values = pool(point);
  std::vector<sartor::Value> chosen;
  const std::size_t count = 1 + random() % 3;
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(values[random() % values.size()]);
  return sartor::any_of(chosen);
}

/// Handlers are known by their mangled names, which hold the name as written.
bool concerns(const sartor::Point &point, const std::string &handler) {
  const std::string part = std::to_string(handler.size()) + handler;
  return std::ranges::any_of(point.handlers, [&](const std::string &name) {
    return name.find(part) != std::string::npos;
  });
}

unsigned rounds() {
  const char *asked = std::getenv("SARTOR_DIFFERENTIAL_ROUNDS");
  return asked ? static_cast<unsigned>(std::strtoul(asked, nullptr, 10)) : 6;
}

struct Named {
  const char *name;
  Shape *shape;
  /// The shape does not allow a second copy of its code.
  bool stays_generic = false;
};

class Differential : public testing::TestWithParam<Named> {
protected:
  static sartor::Runtime &runtime() {
    static sartor::Runtime instance;
    return instance;
  }
};

} // namespace

extern "C" void effect(int tag, std::int64_t v) {
  trace.emplace_back(tag, v);
  if (v == -77)
    throw v;
}

extern "C" std::int64_t opaque(std::int64_t v) {
  trace.emplace_back(0, v);
  return v;
}

TEST_P(Differential, SpecializedDoesWhatGenericDoes) {
  const Named &named = GetParam();
  auto handler = runtime().handler<Shape>(named.name);
  auto plain = handler.function();
  std::mt19937 random(std::hash<std::string>()(named.name));
  std::uint64_t failures_before = 0;
  for (const auto &[label, count] : runtime().statistics().guard_failures)
    failures_before += count;

  for (unsigned round = 0; round < rounds(); ++round) {
    sartor::Configuration configuration;
    for (const sartor::Point &point : runtime().space().points())
      if (concerns(point, named.name) && (round == 0 || random() % 4 != 0))
        configuration.set(point.label, random_setting(point, random));
    runtime().specialize(configuration);
    for (std::int64_t a = -1; a < 8; ++a)
      for (std::int64_t b = 0; b < 7; ++b) {
        const Outcome expected = run(*named.shape, a, b);
        EXPECT_EQ(run(handler, a, b), expected)
            << named.name << configuration.text() << " on " << a << ", " << b;
        EXPECT_EQ(run(plain, a, b), expected)
            << named.name << configuration.text() << " by its entry function";
      }
  }

  std::uint64_t failures_after = 0;
  for (const auto &[label, count] : runtime().statistics().guard_failures)
    failures_after += count;
  if (named.stays_generic)
    EXPECT_EQ(failures_after, failures_before) << "no guard was expected";
  else
    EXPECT_GT(failures_after, failures_before) << "no input ever failed a guard";
}

#define SHAPE(name)                                                                                \
  Named { #name, &name }
INSTANTIATE_TEST_SUITE_P(
    Shapes, Differential,
    testing::Values(
        SHAPE(straight), SHAPE(after_effects), SHAPE(in_loop_varying), SHAPE(in_loop_invariant),
        SHAPE(in_loop_header), SHAPE(inlined_callee), SHAPE(called_callee), SHAPE(two_points),
        SHAPE(nested_loops), SHAPE(used_after_loop), SHAPE(irreducible), SHAPE(switched),
        SHAPE(recursive), SHAPE(early_returns), SHAPE(several_in_one_block), SHAPE(stack_arrays),
        SHAPE(dynamic_stack), SHAPE(restrict_pointers), SHAPE(volatile_cells), SHAPE(global_state),
        SHAPE(thread_state), SHAPE(reduction), SHAPE(strings), SHAPE(big_structs), SHAPE(booleans),
        SHAPE(enumerations), SHAPE(small_integers), SHAPE(unsigned_large), SHAPE(floats),
        SHAPE(doubles), SHAPE(data_pointers), SHAPE(function_pointers), SHAPE(ranges),
        SHAPE(assumptions), SHAPE(thrown_through), SHAPE(caught_inside), SHAPE(point_in_catch),
        SHAPE(cleanups), SHAPE(thrown_by_point_loop), Named{"with_setjmp", &with_setjmp, true},
        Named{"computed_goto", &computed_goto, true}),
    [](const auto &info) { return info.param.name; });
