// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_WATCH_CHANGE_SHAPE_H
#define SARTOR_EXPLORE_WATCH_CHANGE_SHAPE_H

#include <deque>
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
  [[nodiscard]] const std::map<std::string, Point> &points() const noexcept { return points_; }
  [[nodiscard]] bool empty() const noexcept { return points_.empty(); }

  /// Moves each point's shares towards those of another shape in proportion to the counts, as if
  /// at most `memory` had been seen here. Points of one side only are taken as they are.
  void blend(const Shape &other, double memory);

private:
  std::map<std::string, Point> points_;
};

/// The total variation between what a point saw here and there: the share of all times that would
/// have to see something else. 0 to 1. What is rare on both sides counts as one.
double distance(const Shape::Point &left, const Shape::Point &right);
/// The largest of all points'; 1 for a point that only one side has.
double distance(const Shape &left, const Shape &right);

/// Tells how unlike the windows before a window's shape is. What is usual between windows of one
/// workload is learnt from them: sessions and bursts make them differ by more than independent
/// requests would. For use by one thread.
class ShapeRule {
public:
  enum class Verdict : unsigned char {
    usual,
    unlike, ///< One window in some hundreds is as far off by chance.
    other,  ///< Hardly any is.
  };
  /// Takes the next window's shape. A usual one becomes part of the reference.
  Verdict judge(const Shape &shape);
  /// How far the last one was, at the point that moved most clearly.
  [[nodiscard]] double last_distance() const noexcept { return last_distance_; }

private:
  Shape reference_;
  /// By label, of the last windows: distances times the square root of the count, which is what
  /// makes windows of different counts comparable.
  std::map<std::string, std::deque<double>> usual_;
  double last_distance_ = 0;
};

} // namespace sartor

#endif
