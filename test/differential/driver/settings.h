// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_DIFFERENTIAL_SETTINGS_H
#define SARTOR_TEST_DIFFERENTIAL_SETTINGS_H

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <sartor/sartor.hpp>

/// Draws configurations from what points may be set to and from what has been seen at them.
class Settings {
public:
  /// `profile`: of all runs that are to come, counted one by one. What it has never seen to differ
  /// is set without a guard, too.
  Settings(sartor::Space space, sartor::Profile profile);

  [[nodiscard]] bool empty() const noexcept { return usable_.empty(); }
  /// One that the space ought to accept.
  [[nodiscard]] sartor::Configuration draw(std::mt19937_64 &random) const;
  /// Points to instrument and how often; often none.
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

/// Every point that can be instrumented, each time.
std::map<std::string, unsigned> all_instrumented(const sartor::Space &space);

#endif
