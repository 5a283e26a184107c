// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_WATCH_SHAPE_H
#define SARTOR_TUNER_WATCH_SHAPE_H

#include <map>
#include <string>
#include <vector>

#include <sartor/profile.hpp>

namespace sartor {

/// How what comes by at each instrumented point is distributed, without how often it comes.
class Shape {
public:
  Shape() = default;
  /// Of what was seen between two profiles. Points that saw nothing are left out.
  static Shape between(const Profile &before, const Profile &now);

  struct Point {
    double count = 0; ///< Times that control came by.
    std::map<std::vector<Value>, double> shares;
  };
  using Points = std::map<std::string, Point>;
  [[nodiscard]] const Points &points() const noexcept { return points_; }
  [[nodiscard]] Points &points() noexcept { return points_; }
  [[nodiscard]] bool empty() const noexcept { return points_.empty(); }

  /// Moves each point's shares towards those of another shape in proportion to the counts, as if
  /// at most `memory` had been seen here. Points of one side only are taken as they are.
  void blend(const Shape &other, double memory);

private:
  Points points_;
};

/// What a point saw here and there, value by value; what is rare in both counts as one value.
struct Comparison {
  /// The total variation: the share of all times that would have to see something else. 0 to 1.
  double distance = 0;
  /// Pearson's statistic by sighting: the squared differences, each over its expected share.
  double misfit = 0;
  double freedom = 0; ///< Its degrees: the number of values less one.
};

/// `left` says what is expected; with `pooled`, both sides do.
Comparison compare(const Shape::Point &left, const Shape::Point &right, bool pooled = false);

/// The probability that the mean square of so many independent normal quantities is at least
/// `ratio` times that of so many others.
double chance_of(double ratio, double freedom, double known_freedom);

} // namespace sartor

#endif
