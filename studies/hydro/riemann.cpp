// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "riemann.h"

#include <algorithm>
#include <cmath>

#include "gas.h"

namespace hydro {

namespace {

double sound(const Gas &gas) { return std::sqrt(kGamma * gas.pressure / gas.density); }

/// The change of the gas's velocity by a wave that leaves the pressure `p` behind it.
double velocity_change(const Gas &gas, double p) {
  if (p > gas.pressure) { // a shock
    const double a = 2 / ((kGamma + 1) * gas.density);
    const double b = (kGamma - 1) / (kGamma + 1) * gas.pressure;
    return (p - gas.pressure) * std::sqrt(a / (p + b));
  }
  return 2 * sound(gas) / (kGamma - 1) *
         (std::pow(p / gas.pressure, (kGamma - 1) / (2 * kGamma)) - 1);
}

/// The pressure between the waves. The difference of the velocities on its sides increases with the
/// pressure, so bisection always converges.
double middle_pressure(const Gas &left, const Gas &right) {
  const auto gap = [&](double p) {
    return velocity_change(left, p) + velocity_change(right, p) + right.velocity - left.velocity;
  };
  double low = 0;
  double high = std::max(left.pressure, right.pressure);
  while (gap(high) < 0)
    high *= 2;
  for (int i = 0; i < 200; ++i)
    (gap(0.5 * (low + high)) < 0 ? low : high) = 0.5 * (low + high);
  return 0.5 * (low + high);
}

/// The state left of the contact, for the wave that moves left.
Gas behind_left_wave(const Gas &gas, double p, double u, double speed) {
  const double c = sound(gas);
  const double k = (kGamma - 1) / (kGamma + 1);
  const double ratio = p / gas.pressure;
  if (ratio > 1) {
    const double shock = gas.velocity - c * std::sqrt((kGamma + 1) / (2 * kGamma) * ratio +
                                                      (kGamma - 1) / (2 * kGamma));
    return speed < shock ? gas : Gas{gas.density * (ratio + k) / (k * ratio + 1), u, p};
  }
  if (speed < gas.velocity - c)
    return gas;
  const Gas end{gas.density * std::pow(ratio, 1 / kGamma), u, p};
  if (speed > u - sound(end))
    return end;
  const double velocity = 2 / (kGamma + 1) * (c + (kGamma - 1) / 2 * gas.velocity + speed);
  const double slower = (velocity - speed) / c;
  return {gas.density * std::pow(slower, 2 / (kGamma - 1)), velocity,
          gas.pressure * std::pow(slower, 2 * kGamma / (kGamma - 1))};
}

Gas mirrored(const Gas &gas) { return {gas.density, -gas.velocity, gas.pressure}; }

} // namespace

Gas riemann(const Gas &left, const Gas &right, double speed) {
  const double p = middle_pressure(left, right);
  const double u = left.velocity - velocity_change(left, p);
  if (speed < u)
    return behind_left_wave(left, p, u, speed);
  return mirrored(behind_left_wave(mirrored(right), p, -u, -speed));
}

} // namespace hydro
