// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "alike.h"

#include <sartor/points.h>

SARTOR_HANDLER std::uint64_t count(Meter *meter, std::uint64_t times) {
  for (const Meter *each = meter; each; each = each->next)
    meter->total += each->step * times;
  return meter->total;
}

SARTOR_HANDLER std::uint64_t hash_of(const Meter *meter, std::uint64_t seed) {
  return (reinterpret_cast<std::uintptr_t>(meter) >> 4U) * meter->step + seed;
}

SARTOR_HANDLER std::uint64_t reach_across(Meter *first, Meter *second, std::int64_t distance) {
  second->total = second->step;
  first[distance].total = first->step + 100;
  return second->total;
}

SARTOR_HANDLER void mark(const Choice *choice, std::uint64_t by) {
  choice->meters[0]->total = by;
  choice->meters[1]->total += 2 * by;
  choice->meters[2]->total += 3 * by;
  choice->meters[3]->total += choice->meters[0]->total;
}
