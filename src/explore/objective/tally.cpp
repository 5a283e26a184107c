// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/objective/tally.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "explore/evidence/percentile.h"

namespace sartor {

using Kind = Objective::Kind;

Tally::Tally(const Bound &bound) : bound_(bound) {
  if (bound.of->kind == Kind::percentile)
    counts_ = bound.of->buckets.counts();
  else if (bound.of->kind == Kind::gauge)
    look();
  else
    read_ = bound.of->read();
  if (bound.of->kind == Kind::ratio)
    per_ = bound.of->per();
}

void Tally::look() {
  if (bound_.of->kind != Kind::gauge)
    return;
  if (const double value = bound_.of->read(); std::isfinite(value)) {
    read_ += value;
    ++per_;
  }
}

BoundReading Tally::so_far() const {
  const Objective &of = *bound_.of;
  if (of.kind == Kind::gauge)
    return per_ > 0 ? BoundReading{read_ / per_, per_} : BoundReading{};
  if (of.kind == Kind::percentile) {
    const auto now = of.buckets.counts();
    if (has_less(now, counts_))
      return {};
    const auto requests = requests_between(counts_, now);
    const double number = number_of(requests);
    if (!(number > 0))
      return {};
    return {Percentile(of.buckets.bounds, of.percent / 100).above(requests, bound_.limit) / number,
            number};
  }
  const double by = of.kind == Kind::ratio
                        ? of.per() - per_
                        : std::chrono::duration<double>(Clock::now() - start_).count();
  const double moved = of.read() - read_;
  return by > 0 && moved >= 0 ? BoundReading{moved / by, by} : BoundReading{};
}

bool Tally::is_set_back() const {
  switch (bound_.of->kind) {
  case Kind::percentile:
    return has_less(bound_.of->buckets.counts(), counts_);
  case Kind::ratio:
    return bound_.of->per() < per_ || bound_.of->read() < read_;
  case Kind::counter:
    return bound_.of->read() < read_;
  case Kind::gauge:
  case Kind::call:
    break;
  }
  return false;
}

bool has_less(const std::vector<std::uint64_t> &now, const std::vector<std::uint64_t> &before) {
  if (now.size() != before.size())
    return true;
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now[i] < before[i])
      return true;
  return false;
}

} // namespace sartor
