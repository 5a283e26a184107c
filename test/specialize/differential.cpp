// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "differential.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace {

std::vector<std::pair<int, std::int64_t>> trace;

struct Outcome {
  std::int64_t result = 0;
  std::string thrown;
  Memory memory{};
  std::vector<std::pair<int, std::int64_t>> effects;

  bool operator==(const Outcome &other) const {
    // Compares bits: equal numbers are not enough, and NaN is not equal to itself.
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

/// Values for points of this kind: some occur in the inputs, others never do.
std::vector<sartor::Value> pool(const sartor::Point &point) {
  if (!point.choices.empty() || point.kind == sartor::PointKind::assume)
    return point.values();
  if (point.type.kind == sartor::PointType::Class::floating)
    return {0.0, -0.0, 1.5};
  if (point.type.is_signed)
    return {-3, -1, 0, 1, 2, 3, 4, 5, 6, 7};
  return {0, 1, 2, 3, 65535};
}

sartor::Setting random_setting(const sartor::Point &point, Values how_many, std::mt19937 &random) {
  const auto values = pool(point);
  std::vector<sartor::Value> chosen;
  const bool several =
      how_many == Values::up_to_three || (how_many == Values::one_mostly && random() % 8 == 0);
  const std::size_t count = several ? 1 + random() % 3 : 1;
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(values[random() % values.size()]);
  return sartor::any_of(chosen);
}

/// Handlers are identified by their mangled names, which contain the source name.
bool concerns(const sartor::Point &point, const std::string &handler) {
  if (std::ranges::all_of(point.sites,
                          [](const sartor::Site &site) { return !site.problem.empty(); }))
    return false;
  const std::string part = std::to_string(handler.size()) + handler;
  return std::ranges::any_of(point.handlers, [&](const std::string &name) {
    return name.find(part) != std::string::npos;
  });
}

/// Returns the configuration that it has activated.
sartor::Configuration specialize_at_random(sartor::Runtime &runtime, const std::string &name,
                                           bool all_points, Values values, std::mt19937 &random) {
  sartor::Configuration configuration;
  for (const sartor::Point &point : runtime.space().points())
    if (concerns(point, name) && (all_points || random() % 4 != 0))
      configuration.set(point.label, random_setting(point, values, random));
  try {
    runtime.specialize(configuration);
  } catch (const sartor::Error &error) {
    if (error.code() != sartor::ErrorCode::too_many_bodies || values == Values::one)
      throw;
    return specialize_at_random(runtime, name, all_points, Values::one, random);
  }
  return configuration;
}

/// Instruments some of a handler's points, or none.
void instrument_at_random(sartor::Runtime &runtime, const std::string &name, std::mt19937 &random) {
  std::map<std::string, unsigned> every;
  for (const sartor::Point &point : runtime.space().points())
    if (concerns(point, name) && point.type.bits <= 64 && random() % 3 == 0)
      every[point.label] = random() % 2 == 0 ? 1 : 3;
  runtime.instrument(every);
}

/// Compares a binding of one argument under the active configuration.
void expect_bound_same(sartor::Runtime &runtime, const std::string &name, Shape *native,
                       std::int64_t a) {
  const std::map<unsigned, sartor::BoundArgument> bound{{1, a}};
  const sartor::detail::Share share = runtime.bind(name, bound);
  share.wait();
  using Rest = std::int64_t(Memory &, std::int64_t);
  auto *function = reinterpret_cast<Rest *>(share.function(bound));
  auto with_a = [&](Memory &memory, std::int64_t, std::int64_t b) { return function(memory, b); };
  for (std::int64_t b = 0; b < 7; ++b)
    EXPECT_EQ(run(with_a, a, b), run(*native, a, b)) << name << " bound to " << a << ", on " << b;
}

std::uint64_t failures(const sartor::Runtime &runtime) {
  std::uint64_t sum = 0;
  for (const auto &[label, count] : runtime.statistics().guard_failures)
    sum += count;
  return sum;
}

} // namespace

extern "C" void effect(int tag, std::int64_t v) {
  trace.emplace_back(tag, v);
  if (v == -77)
    throw v;
}

std::int64_t first_fresh[4];
std::int64_t second_fresh[4];

extern "C" std::int64_t *fresh(bool first) { return first ? first_fresh : second_fresh; }

extern "C" std::int64_t opaque(std::int64_t v) {
  trace.emplace_back(0, v);
  return v;
}

std::uint64_t expect_same(sartor::Runtime &runtime, const std::string &name, Shape *native,
                          unsigned rounds, Values values) {
  auto handler = runtime.handler<Shape>(name);
  auto plain = handler.function();
  std::mt19937 random(static_cast<unsigned>(std::hash<std::string>()(name)));
  const std::uint64_t failures_before = failures(runtime);
  for (unsigned round = 0; round < rounds; ++round) {
    const sartor::Configuration configuration =
        specialize_at_random(runtime, name, round == 0, values, random);
    if (round % 2 == 1)
      instrument_at_random(runtime, name, random);
    expect_bound_same(runtime, name, native, static_cast<std::int64_t>(random() % 10) - 1);
    for (std::int64_t a = -1; a < 8; ++a)
      for (std::int64_t b = 0; b < 7; ++b) {
        const Outcome expected = run(*native, a, b);
        EXPECT_EQ(run(handler, a, b), expected)
            << name << configuration.text() << " on " << a << ", " << b;
        EXPECT_EQ(run(plain, a, b), expected)
            << name << configuration.text() << " by its entry function";
      }
  }
  runtime.instrument({});
  return failures(runtime) - failures_before;
}

unsigned rounds_or(unsigned usual) {
  const char *asked = std::getenv("SARTOR_DIFFERENTIAL_ROUNDS");
  return asked ? static_cast<unsigned>(std::strtoul(asked, nullptr, 10)) : usual;
}
