// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What has become of a fact so far.
#include <algorithm>
#include <string>

#include "base/reports.h"
#include "runtime/assumptions/fact.h"
#include "runtime/assumptions/making.h"
#include "runtime/assumptions/registry.h"

namespace sartor::runtime {

namespace {

/// What has held for so many back-offs has not broken soon.
constexpr int kSoon = 10;

std::uint64_t nanoseconds(std::chrono::nanoseconds time) {
  return static_cast<std::uint64_t>(time.count());
}

} // namespace

void Fact::take_number(std::uint64_t number) {
  Making::instance().number(number_, number);
  number_ = number;
}

bool Fact::answers() const { return set_aside_ || Registry::instance().holds(number_); }

void Fact::note_break(Clock::time_point begin, bool held) {
  const auto since = begin - held_since_;
  back_off_ = since < kSoon * back_off_ ? std::min(2 * back_off_, options_.longest_back_off)
                                        : options_.back_off;
  figures_.broken += held ? 1 : 0;
  figures_.holding_nanoseconds += nanoseconds(since);
  ++record_.broken;
  record_.held_for += begin - std::max(held_since_, record_.since);
}

void Fact::tell(const char *event) const {
  const Making::Taken taken = Making::instance().of(number_);
  base::report(event, {{"fact", name_},
                       {"held", std::to_string(figures_.held)},
                       {"broken", std::to_string(figures_.broken)},
                       {"holding_nanoseconds", std::to_string(figures_.holding_nanoseconds)},
                       {"breaking_nanoseconds", std::to_string(figures_.breaking_nanoseconds)},
                       {"made", std::to_string(taken.variants)},
                       {"making_nanoseconds", std::to_string(taken.time.count())}});
}

std::uint64_t Fact::number() const {
  const base::MutexLock lock(mutex_);
  return number_;
}

void Fact::begin_record() {
  const base::MutexLock lock(mutex_);
  const Making::Taken taken = Making::instance().of(number_);
  record_ = FactRecord{.since = Clock::now(), .made = taken.variants, .making = taken.time};
}

FactRecord Fact::record() const {
  const base::MutexLock lock(mutex_);
  FactRecord record = record_;
  if (answers())
    record.held_for += Clock::now() - std::max(held_since_, record_.since);
  const Making::Taken taken = Making::instance().of(number_);
  record.made = taken.variants - record_.made;
  record.making = taken.time - record_.making;
  return record;
}

QuasiInvariantFigures Fact::figures() const {
  const base::MutexLock lock(mutex_);
  QuasiInvariantFigures figures = figures_;
  if (answers())
    figures.holding_nanoseconds += nanoseconds(Clock::now() - held_since_);
  const Making::Taken taken = Making::instance().of(number_);
  figures.held_callers = held_callers_->callers;
  figures.made = taken.variants;
  figures.making_nanoseconds = nanoseconds(taken.time);
  figures.back_off = back_off_;
  figures.watched = !parts_.empty() && std::ranges::all_of(parts_, is_watched);
  return figures;
}

} // namespace sartor::runtime
