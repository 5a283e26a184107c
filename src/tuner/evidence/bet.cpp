// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/evidence/bet.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "tuner/evidence/totals.h"
#include "tuner/limits.h"

namespace sartor {

double Bet::log_wealth() const {
  std::array<double, limits::stakes.size()> wealth{};
  for (const double number : in_blocks(by, independent_block(each)))
    for (std::size_t i = 0; i < limits::stakes.size(); ++i)
      wealth[i] += std::log1p(std::max(limits::stakes[i] * number / worst, -limits::stakes[i]));
  const double largest = *std::ranges::max_element(wealth);
  double sum = 0;
  for (const double each_wealth : wealth)
    sum += std::exp(each_wealth - largest);
  return largest + std::log(sum / static_cast<double>(limits::stakes.size()));
}

} // namespace sartor
