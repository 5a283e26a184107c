// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <iostream>
#include <vector>

#include <sartor/sartor.hpp>

int main() {
  const std::vector<std::uint8_t> samples(640 * 2 * 4, 100);
  Image image{samples.data(), 640, 2, 3, 1, false};

  sartor::Runtime runtime;
  auto measure = runtime.handler<&brightness>();
  std::cout << "generic: " << measure(image) << '\n';

  // One value per point, and two for the shift. Points that are not named stay generic.
  for (const auto &variant : runtime.specialize(
           {{"channels", 3}, {"shift", sartor::any_of({0, 1})}, {"width", 640}, {"plain", true}}))
    std::cout << "active: " << variant.name << '\n';
  std::cout << "specialized: " << measure(image) << '\n';

  // Guards fail, and generic code continues with the right values.
  image.channels = 4;
  std::cout << "four channels: " << measure(image) << '\n';
  image.inverted = true;
  std::cout << "inverted: " << measure(image) << '\n';
  for (const auto &[label, failures] : runtime.statistics().guard_failures)
    if (failures != 0)
      std::cout << "guard of " << label << " failed: " << failures << '\n';

  // The program knows the width: no guard. Behavior with another width is undefined.
  runtime.specialize({{"width", sartor::unguarded(640)}});
  std::cout << "unguarded: " << measure(image) << '\n';
}
