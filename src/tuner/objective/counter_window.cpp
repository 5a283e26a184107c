// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/objective/counter_window.h"

#include <algorithm>
#include <cmath>

#include "tuner/limits.h"

namespace sartor {

using std::chrono::nanoseconds;
using namespace std::chrono_literals;

void CounterWindow::read(Time time, double count) {
  is_set_back_ = is_set_back_ || count < now_.count;
  now_ = {time, count};
  if (count == last_.count)
    return;
  if (last_.count == start_.count)
    first_ = now_;
  largest_step_ = std::max(largest_step_, count - last_.count);
  last_ = now_;
}

bool CounterWindow::over(double hopeless_below) const {
  if (is_set_back_)
    return true;
  if (now_.time - start_.time < length_.shortest)
    return false;
  if (std::isnan(moved()) || is_hopeless(hopeless_below))
    return true;
  // A variant that needs more than the longest window for a single event is not rejected for that.
  const auto longest = length_.longest * (has_two_changes() ? 1 : limits::patience_for_events);
  return now_.time - start_.time >= longest || (moved() >= length_.events && has_two_changes());
}

bool CounterWindow::is_hopeless(double below) const {
  // A counter may move in steps of any size; one that has not moved yet gets some more time.
  if (largest_step_ == 0 && now_.time - start_.time < limits::patience * length_.shortest)
    return false;
  return (moved() + std::max(largest_step_, 1.0)) / elapsed() < below;
}

nanoseconds CounterWindow::nap() const {
  const nanoseconds left = length_.shortest - (now_.time - start_.time);
  const double share = elapsed() / std::chrono::duration<double>(length_.shortest).count();
  if (left > 0ns && share > 0 && moved() / share >= limits::many_events)
    return std::min(limits::stop_nap, left);
  return std::clamp<nanoseconds>(length_.shortest / limits::counter_samples, limits::counter_nap,
                                 limits::longest_counter_nap);
}

ObjectiveSample CounterWindow::measured() const {
  const std::chrono::duration<double> between = last_.time - first_.time;
  // For a counter that was cut off before its first event, only an upper limit of the rate is
  // known.
  const double rate = has_two_changes() ? (last_.count - first_.count) / between.count()
                      : moved() == 0    ? largest_step_ / elapsed()
                                        : moved() / elapsed();
  return {.value = rate,
          .seconds = elapsed(),
          .average = moved() / elapsed(),
          .weight = has_two_changes() ? between.count() : elapsed(),
          .is_set_back = is_set_back_};
}

double CounterWindow::elapsed() const {
  return std::chrono::duration<double>(now_.time - start_.time).count();
}

} // namespace sartor
