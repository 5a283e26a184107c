// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/quasi_invariant.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <sartor/watch.h>

#include "base/life.h"
#include "base/longest.h"
#include "base/no_cancel.h"
#include "base/readers.h"
#include "base/result.h"
#include "base/signal_context.h"
#include "runtime/assumptions/extent_of.h"
#include "runtime/assumptions/fact.h"
#include "runtime/assumptions/facts.h"
#include "runtime/assumptions/open_writes.h"
#include "runtime/assumptions/signal_writes.h"
#include "runtime/assumptions/stores.h"
#include "runtime/assumptions/watches.h"

namespace sartor {

using runtime::extent_of;
using runtime::Fact;
using runtime::Facts;
using runtime::OpenWrites;
using runtime::Permission;
using runtime::SignalWrites;

namespace {

constexpr std::chrono::hours kLongestHolding{1};

Result<void> check(const std::string &name, const QuasiInvariantOptions &options) {
  const char *problem =
      options.refuse && options.reinforce ? "cannot both refuse a write and do otherwise"
      : options.hold_callers < options.hold_callers.zero() || options.hold_callers > kLongestHolding
          ? "would hold callers for less than no time, or more than an hour"
      : options.back_off <= options.back_off.zero() || options.longest_back_off < options.back_off
          ? "has back-offs that make no sense"
      : options.protect_pages && (options.refuse || options.reinforce)
          ? "cannot have a write left out that has stopped at a protected page"
          : nullptr;
  if (!problem)
    return {};
  return std::unexpected(
      Failure{ErrorCode::bad_invariant, name, problem,
              "give one of `refuse` and `reinforce`, a positive back-off that is "
              "no longer than the longest, and a bound for callers; with protect_pages, "
              "neither of the two"});
}

} // namespace

QuasiInvariant::QuasiInvariant(std::string name, QuasiInvariantOptions options) {
  or_throw(check(name, options));
  options.hold_callers = base::at_longest(options.hold_callers);
  options.back_off = base::at_longest(options.back_off);
  options.longest_back_off = base::at_longest(options.longest_back_off);
  options.check_every = base::at_longest(options.check_every);
  fact_ = std::make_shared<Fact>(std::move(name), std::move(options));
  Facts::instance().add(fact_);
}

QuasiInvariant::~QuasiInvariant() {
  if (!fact_)
    return;
  if (base::is_exiting()) { // threads that are left may still write, by guards of a static fact
    base::keep(fact_);
    return;
  }
  const base::NoCancel no_cancel;
  const bool inside = base::inside_handler(base::frame_of_caller());
  fact_->close(inside);
  Facts::instance().remove(*fact_);
}

QuasiInvariant::QuasiInvariant(QuasiInvariant &&) noexcept = default;

QuasiInvariant &QuasiInvariant::operator=(QuasiInvariant &&other) noexcept {
  QuasiInvariant taken(std::move(other));
  std::swap(fact_, taken.fact_);
  return *this;
}

void QuasiInvariant::add_part(const void *object, std::size_t object_size, const void *part,
                              std::size_t size) {
  const base::NoCancel no_cancel;
  const bool inside = base::inside_handler(base::frame_of_caller());
  or_throw(fact_->add({extent_of(object, object_size), extent_of(part, size)}, inside));
}

const std::string &QuasiInvariant::name() const noexcept { return fact_->name(); }

bool QuasiInvariant::holds() const noexcept { return fact_->holds(); }

bool QuasiInvariant::wait_until_holds(std::chrono::nanoseconds at_most) const {
  return fact_->wait_until_holds(base::at_longest(at_most));
}

QuasiInvariantFigures QuasiInvariant::figures() const { return fact_->figures(); }

/// Further facts about the same memory: writes that have begun, and end with the guard.
struct Write::Overlapping {
  Overlapping() = default;
  Overlapping(const Overlapping &) = delete;
  Overlapping &operator=(const Overlapping &) = delete;
  ~Overlapping() {
    for (const auto &[fact, permission] : writes) {
      OpenWrites::of_this_thread().close(*fact);
      fact->end_write(permission);
    }
  }

  /// False if one of them has the write left out.
  bool begin(const Fact &overlapped, bool inside) {
    for (const runtime::WatchedPart &part : overlapped.parts())
      for (auto &fact : Facts::instance().about(part.part)) {
        if (fact.get() == &overlapped || has_begun(fact))
          continue;
        const Permission permission = fact->begin_write(nullptr, 0, inside);
        if (permission == Permission::none)
          return false;
        OpenWrites::of_this_thread().open(*fact);
        writes.emplace_back(std::move(fact), permission);
      }
    return true;
  }

  [[nodiscard]] bool has_begun(const std::shared_ptr<Fact> &fact) const {
    return std::ranges::any_of(writes, [&](const auto &write) { return write.first == fact; });
  }

  std::vector<std::pair<std::shared_ptr<Fact>, Permission>> writes;
};

Write::Write(const QuasiInvariant &quasi) {
  const bool inside = base::inside_handler(base::frame_of_caller());
  Fact &fact = *quasi.fact_;
  fact.note_used_by_hand();
  const bool overlaps = fact.overlaps();
  if (overlaps && !base::is_in_signal_handler()) {
    auto others = std::make_unique<Overlapping>();
    if (!others->begin(fact, inside))
      return;
    overlapping_ = std::move(others);
  }
  Permission permission = Permission::unasked;
  if (fact.begin_unasked() && (!overlaps || overlapping_)) {
    unasked_ = true;
  } else if (base::is_in_signal_handler()) {
    const auto begun = SignalWrites::instance().begin(fact, inside);
    permission = begun.permission;
    handed_ = begun.number;
  } else {
    permission = fact.ask_to_write(nullptr, 0, inside);
  }
  if (permission == Permission::none) {
    overlapping_.reset();
    return;
  }
  fact_ = &fact;
  OpenWrites::of_this_thread().open(fact);
}

Write::~Write() {
  if (!fact_)
    return;
  OpenWrites::of_this_thread().close(*fact_);
  if (handed_ != SignalWrites::kNone)
    SignalWrites::instance().end(handed_);
  else
    fact_->end_write(unasked_ ? Permission::unasked : Permission::given);
}

} // namespace sartor

extern "C" {

void sartor_register_watches(const sartor_watch *begin, const sartor_watch *end) {
  sartor::runtime::add_watches(begin, end);
}

int sartor_may_write(void *address, uint64_t size) {
  const bool inside = sartor::base::inside_handler(sartor::base::frame_of_caller());
  return sartor::runtime::begin_store(sartor::extent_of(address, size), inside) ? 1 : 0;
}

void sartor_written(void *, uint64_t) { sartor::runtime::end_store(); }
}
