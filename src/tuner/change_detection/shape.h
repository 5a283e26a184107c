// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_CHANGE_DETECTION_SHAPE_H
#define SARTOR_TUNER_CHANGE_DETECTION_SHAPE_H

#include <map>
#include <string>
#include <vector>

#include <sartor/profile.hpp>

namespace sartor {

/// Distribution of the inputs at each instrumented point, independent of their rate.
class Shape {
public:
  Shape() = default;
  /// The shape of the inputs between two profiles. Points without inputs are left out.
  static Shape between(const Profile &before, const Profile &now);

  struct Point {
    double count = 0; ///< Number of times that control passed the point.
    std::map<std::vector<Value>, double> shares;
  };
  using Points = std::map<std::string, Point>;
  [[nodiscard]] const Points &points() const noexcept { return points_; }
  [[nodiscard]] Points &points() noexcept { return points_; }
  [[nodiscard]] bool empty() const noexcept { return points_.empty(); }

  /// Moves each point's shares towards those of another shape in proportion to the counts, as if at
  /// most `memory` sightings had been seen here. A point that only one shape has is taken as it is.
  void blend(const Shape &other, double memory);

private:
  Points points_;
};

/// Comparison of a point's inputs in two shapes, value by value; all values that are rare in both
/// count as one.
struct Comparison {
  /// Total variation: the share of inputs that would have to change. 0 to 1.
  double distance = 0;
  /// Pearson's statistic by sighting: the squared differences, each over its expected share.
  double misfit = 0;
  double freedom = 0; ///< Degrees of freedom: the number of values less one.
};

/// Expected shares are those of `left`; with `pooled`, those of both sides together.
Comparison compare(const Shape::Point &left, const Shape::Point &right, bool pooled = false);

/// Probability that the mean square of `freedom` independent normal quantities is at least `ratio`
/// times that of `known_freedom` others.
double chance_of(double ratio, double freedom, double known_freedom);

} // namespace sartor

#endif
