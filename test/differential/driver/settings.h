// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_DIFFERENTIAL_SETTINGS_H
#define SARTOR_TEST_DIFFERENTIAL_SETTINGS_H

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <sartor/sartor.hpp>

/// Draws configurations from the points' possible settings and from the profile.
class Settings {
public:
  /// `profile` covers all runs that will follow, counted exactly. A value that it has never seen to
  /// differ is also set without a guard.
  Settings(sartor::Space space, sartor::Profile profile);

  [[nodiscard]] bool empty() const noexcept { return usable_.empty(); }
  /// Draws a configuration that the space should accept.
  [[nodiscard]] sartor::Configuration draw(std::mt19937_64 &random) const;
  /// Draws points to instrument and how often each is sampled; often none.
  [[nodiscard]] std::map<std::string, unsigned> draw_instrumented(std::mt19937_64 &random) const;

private:
  using Point = sartor::Point;

  [[nodiscard]] bool accepts(const Point &point, const sartor::Value &value) const;
  [[nodiscard]] sartor::Value value(const Point &point, std::mt19937_64 &random) const;
  [[nodiscard]] sartor::Value any_value(const Point &point, std::mt19937_64 &random) const;
  [[nodiscard]] const sartor::Value *only_value(const Point &point) const;

  sartor::Space space_;
  sartor::Profile profile_;
  std::vector<const Point *> usable_;
};

/// All points that can be instrumented, each sampled on every pass.
std::map<std::string, unsigned> all_instrumented(const sartor::Space &space);

#endif
