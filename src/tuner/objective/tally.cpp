// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/objective/tally.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "tuner/evidence/percentile.h"

namespace sartor {

using Kind = Objective::Kind;

Tally::Tally(const Objective &of) : of_(of) {
  if (of.kind == Kind::percentile)
    counts_ = of.buckets.counts();
  else if (of.kind == Kind::gauge)
    look();
  else
    read_ = of.read();
  if (of.kind == Kind::ratio)
    per_ = of.per();
}

void Tally::look() {
  if (of_.kind != Kind::gauge)
    return;
  if (const double value = of_.read(); std::isfinite(value)) {
    read_ += value;
    ++per_;
  }
}

QuantitySample Tally::so_far() const {
  if (of_.kind == Kind::gauge)
    return per_ > 0 ? QuantitySample{read_ / per_, per_} : QuantitySample{};
  if (of_.kind == Kind::percentile) {
    const auto now = of_.buckets.counts();
    if (has_less(now, counts_))
      return {};
    auto requests = requests_between(counts_, now);
    const double number = number_of(requests);
    if (!(number > 0))
      return {};
    const double mean = Percentile(of_.buckets.bounds, of_.percent / 100).mean(requests);
    return {mean, number, std::move(requests)};
  }
  const double by = of_.kind == Kind::ratio
                        ? of_.per() - per_
                        : std::chrono::duration<double>(Clock::now() - start_).count();
  const double moved = of_.read() - read_;
  return by > 0 && moved >= 0 ? QuantitySample{moved / by, by} : QuantitySample{};
}

bool Tally::is_set_back() const {
  switch (of_.kind) {
  case Kind::percentile:
    return has_less(of_.buckets.counts(), counts_);
  case Kind::ratio:
    return of_.per() < per_ || of_.read() < read_;
  case Kind::counter:
    return of_.read() < read_;
  case Kind::gauge:
  case Kind::call:
    break;
  }
  return false;
}

BoundSample bound_sample(const Bound &bound, const QuantitySample &measured) {
  if (bound.of->kind != Kind::percentile || !(measured.weight > 0))
    return {measured.value, measured.weight};
  const Percentile percentile(bound.of->buckets.bounds, bound.of->percent / 100);
  return {percentile.above(measured.requests, bound.limit) / measured.weight, measured.weight};
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
