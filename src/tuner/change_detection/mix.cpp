// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/change_detection/mix.h"

#include <algorithm>
#include <utility>

#include "tuner/limits.h"

namespace sartor {

void Mix::Usual::add(const Misfit &misfit) {
  windows.push_back(misfit);
  if (windows.size() > limits::windows_kept)
    windows.pop_front();
}

double Mix::Usual::spread() const {
  double sum = 0;
  for (const Misfit &window : windows)
    sum += window.value / static_cast<double>(windows.size());
  return std::max(sum, 1.0); // a program whose inputs alternate is more even than chance
}

/// Degrees of freedom of one window: fewer than it has values if misfits vary more than those of
/// independent sightings (F. E. Satterthwaite, "An Approximate Distribution of Estimates of
/// Variance Components", Biometrics Bulletin 2, 1946).
double Mix::Usual::freedom() const {
  const double mean = spread();
  double theory = 0, squares = 0;
  for (const Misfit &window : windows) {
    theory += window.freedom / static_cast<double>(windows.size());
    squares += (window.value - mean) * (window.value - mean);
  }
  const auto count = static_cast<double>(windows.size());
  const double variance = (limits::theory_weight * 2 * mean * mean / theory + squares) /
                          (limits::theory_weight + count - 1);
  return std::min(theory, 2 * mean * mean / variance);
}

bool Mix::changed(const Shape &window) {
  double largest = 0, judged = 0, least_chance = 1, clearest = 1;
  std::map<std::string, Misfit> misfits;
  for (const auto &[label, point] : window.points()) {
    const auto reference = reference_.points().find(label);
    largest = std::max(largest, point.count);
    if (reference == reference_.points().end())
      continue;
    const Comparison found = compare(reference->second, point);
    // Both sides are samples.
    const double sightings =
        point.count * reference->second.count / (point.count + reference->second.count);
    const Misfit misfit{found.misfit * sightings / found.freedom, found.freedom};
    const Usual &usual = usual_[label];
    misfits.emplace(label, misfit);
    if (usual.windows.size() < limits::windows_to_know && found.distance >= limits::wholly_unlike &&
        sightings >= limits::enough_sightings * limits::unknown_spread) {
      ++judged;
      least_chance = clearest = 0;
      last_distance_ = found.distance;
    }
    if (usual.windows.size() < limits::windows_to_know ||
        point.count < limits::enough_sightings * usual.spread())
      continue;
    ++judged;
    const double freedom = usual.freedom();
    const double chance = chance_of(misfit.value / usual.spread(), freedom,
                                    freedom * static_cast<double>(usual.windows.size()));
    if (chance <= clearest) {
      clearest = chance;
      last_distance_ = found.distance;
    }
    if (found.distance >= limits::smallest_change)
      least_chance = std::min(least_chance, chance);
  }
  const bool moved = judged > 0 && least_chance * judged < limits::unlike;
  unlike_.add(moved ? 1 : ChangeTest::unchanged);
  if (unlike_.has_changed())
    return true;
  for (const auto &[label, misfit] : misfits) {
    Usual &usual = usual_[label];
    if (moved) {
      usual.odd = misfit;
      continue;
    }
    // A single odd window that did not last belongs to the usual ones.
    if (const auto odd = std::exchange(usual.odd, std::nullopt))
      usual.add(*odd);
    usual.add(misfit);
  }
  if (!moved)
    reference_.blend(window, limits::reference_windows * largest);
  return false;
}

double Mix::spread_at(const std::string &label) const {
  const auto it = usual_.find(label);
  if (it == usual_.end() || it->second.windows.size() < limits::windows_to_know)
    return limits::unknown_spread;
  return it->second.spread();
}

Shape Mix::independent(Shape shape) const {
  for (auto &[label, point] : shape.points())
    point.count /= spread_at(label);
  return shape;
}

Shape Mix::usual() const {
  Shape known;
  for (const auto &[label, point] : reference_.points())
    if (const auto it = usual_.find(label);
        it != usual_.end() && it->second.windows.size() >= limits::windows_to_know)
      known.points().emplace(label, point);
  return independent(std::move(known));
}

} // namespace sartor
