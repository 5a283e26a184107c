// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/watch/change_shape.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>

#include "explore/evidence/interval.h"

namespace sartor {

namespace {

/// What has less than this share on both sides is not told apart: a sketch knows little of it.
constexpr double rare = 0.01;
/// A point that was passed less often says nothing of a window.
constexpr double fewest = 50;
/// No smaller distance is a change, however sure.
constexpr double smallest = 0.1;
/// What counts while nothing is known of how windows differ.
constexpr double smallest_unknown = 0.35;
constexpr std::size_t windows_to_know = 3;
constexpr std::size_t windows_kept = 64;
/// The limits in deviations over the median.
constexpr double unlike_deviations = 3;
constexpr double other_deviations = 4.5;
/// The reference remembers about so many windows.
constexpr double reference_windows = 20;

double share_of(const Shape::Point &point, const std::vector<Value> &inputs) {
  const auto it = point.shares.find(inputs);
  return it == point.shares.end() ? 0 : it->second;
}

} // namespace

Shape Shape::between(const Profile &before, const Profile &now) {
  Shape shape;
  for (const auto &[label, seen] : now.points()) {
    const PointProfile *earlier = before.find(label);
    std::map<std::vector<Value>, double> known;
    if (earlier)
      for (const ProfileEntry &entry : earlier->entries)
        known.emplace(entry.inputs, static_cast<double>(entry.count));
    const double count =
        static_cast<double>(seen.count) - (earlier ? static_cast<double>(earlier->count) : 0);
    if (count <= 0) // nothing, or it was cleared meanwhile
      continue;
    Point point{count, {}};
    for (const ProfileEntry &entry : seen.entries) {
      const auto it = known.find(entry.inputs);
      const double more = static_cast<double>(entry.count) - (it == known.end() ? 0 : it->second);
      if (more > 0)
        point.shares.emplace(entry.inputs, more / count);
    }
    shape.points_.emplace(label, std::move(point));
  }
  return shape;
}

void Shape::blend(const Shape &other, double memory) {
  for (const auto &[label, theirs] : other.points_) {
    const auto [it, first] = points_.try_emplace(label, theirs);
    if (first)
      continue;
    Point &ours = it->second;
    const double kept = std::min(ours.count, memory);
    const double weight = theirs.count / (kept + theirs.count);
    for (auto &[inputs, share] : ours.shares)
      share *= 1 - weight;
    for (const auto &[inputs, share] : theirs.shares)
      ours.shares[inputs] += weight * share;
    std::erase_if(ours.shares, [](const auto &entry) { return entry.second < rare / 100; });
    ours.count = kept + theirs.count;
  }
}

double distance(const Shape::Point &left, const Shape::Point &right) {
  double apart = 0;
  double left_rest = 1, right_rest = 1;
  const auto take = [&](double in_left, double in_right) {
    apart += std::fabs(in_left - in_right);
    left_rest -= in_left;
    right_rest -= in_right;
  };
  for (const auto &[inputs, share] : left.shares)
    if (const double other = share_of(right, inputs); share >= rare || other >= rare)
      take(share, other);
  for (const auto &[inputs, share] : right.shares)
    if (share >= rare && !left.shares.contains(inputs))
      take(0, share);
  return (apart + std::fabs(left_rest - right_rest)) / 2;
}

double distance(const Shape &left, const Shape &right) {
  double largest = 0;
  for (const auto &[label, point] : left.points()) {
    const auto it = right.points().find(label);
    largest = std::max(largest, it == right.points().end() ? 1 : distance(point, it->second));
  }
  for (const auto &[label, point] : right.points())
    if (!left.points().contains(label))
      largest = 1;
  return largest;
}

ShapeRule::Verdict ShapeRule::judge(const Shape &shape) {
  Verdict verdict = Verdict::usual;
  double clearest = -1;
  std::map<std::string, double> distances;
  for (const auto &[label, point] : shape.points()) {
    const auto reference = reference_.points().find(label);
    if (reference == reference_.points().end() || point.count < fewest)
      continue;
    const double apart = distance(reference->second, point);
    const double root = std::sqrt(point.count);
    const auto &usual = usual_[label];
    double middle = 0, spread = 0;
    double least = smallest_unknown;
    if (usual.size() >= windows_to_know) {
      const std::vector<double> known(usual.begin(), usual.end());
      middle = median(known);
      spread = std::max(robust_deviation(known), middle / 4);
      least = smallest;
    }
    if (apart > std::max(least, (middle + other_deviations * spread) / root))
      verdict = Verdict::other;
    else if (apart > std::max(least, (middle + unlike_deviations * spread) / root))
      verdict = std::max(verdict, Verdict::unlike);
    if (apart * root - middle > clearest) {
      clearest = apart * root - middle;
      last_distance_ = apart;
    }
    distances.emplace(label, apart * root);
  }
  if (verdict != Verdict::usual)
    return verdict;
  for (const auto &[label, apart] : distances) {
    auto &usual = usual_[label];
    usual.push_back(apart);
    if (usual.size() > windows_kept)
      usual.pop_front();
  }
  double window = 0;
  for (const auto &[label, point] : shape.points())
    window = std::max(window, point.count);
  reference_.blend(shape, reference_windows * window);
  return verdict;
}

} // namespace sartor
