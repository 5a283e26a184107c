// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/quasi_invariant.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <sartor/watch.h>

#include "base/life.h"
#include "base/longest.h"
#include "base/readers.h"
#include "base/result.h"
#include "base/signal_context.h"
#include "base/thread/no_cancel.h"
#include "runtime/assumptions/extent_of.h"
#include "runtime/assumptions/open_writes.h"
#include "runtime/assumptions/quasi_invariant_state.h"
#include "runtime/assumptions/quasi_invariants.h"
#include "runtime/assumptions/signal_writes.h"
#include "runtime/assumptions/stores.h"
#include "runtime/assumptions/watches.h"

namespace sartor {

using runtime::extent_of;
using runtime::OpenWrites;
using runtime::Permission;
using runtime::QuasiInvariants;
using runtime::QuasiInvariantState;
using runtime::SignalWrites;

namespace {

constexpr std::chrono::hours kLongestHolding{1};

Result<void> check(const std::string &name, const QuasiInvariantOptions &options) {
  const char *problem =
      options.refuse && options.reinforce ? "cannot both refuse a write and do otherwise"
      : options.hold_callers < options.hold_callers.zero() || options.hold_callers > kLongestHolding
          ? "would hold callers for a negative time, or more than an hour"
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
  quasi_invariant_ = std::make_shared<QuasiInvariantState>(std::move(name), std::move(options));
  QuasiInvariants::instance().add(quasi_invariant_);
}

QuasiInvariant::~QuasiInvariant() {
  if (!quasi_invariant_)
    return;
  if (base::is_exiting()) { // remaining threads may still write, with guards of a static
                            // quasi-invariant
    base::keep(quasi_invariant_);
    return;
  }
  const base::NoCancel no_cancel;
  const bool inside = base::inside_handler(base::frame_of_caller());
  quasi_invariant_->close(inside);
  QuasiInvariants::instance().remove(*quasi_invariant_);
}

QuasiInvariant::QuasiInvariant(QuasiInvariant &&) noexcept = default;

QuasiInvariant &QuasiInvariant::operator=(QuasiInvariant &&other) noexcept {
  QuasiInvariant taken(std::move(other));
  std::swap(quasi_invariant_, taken.quasi_invariant_);
  return *this;
}

void QuasiInvariant::add_part(const void *object, std::size_t object_size, const void *part,
                              std::size_t size) {
  const base::NoCancel no_cancel;
  const bool inside = base::inside_handler(base::frame_of_caller());
  or_throw(quasi_invariant_->add({extent_of(object, object_size), extent_of(part, size)}, inside));
}

const std::string &QuasiInvariant::name() const noexcept { return quasi_invariant_->name(); }

bool QuasiInvariant::valid() const noexcept { return quasi_invariant_->valid(); }

bool QuasiInvariant::wait_until_valid(std::chrono::nanoseconds at_most) const {
  return quasi_invariant_->wait_until_valid(base::at_longest(at_most));
}

QuasiInvariantFigures QuasiInvariant::figures() const { return quasi_invariant_->figures(); }

/// Writes to other quasi-invariants about the same memory; they begin and end with the guard.
struct Write::Overlapping {
  Overlapping() = default;
  Overlapping(const Overlapping &) = delete;
  Overlapping &operator=(const Overlapping &) = delete;
  ~Overlapping() {
    for (const auto &[quasi_invariant, permission] : writes) {
      OpenWrites::of_this_thread().close(*quasi_invariant);
      quasi_invariant->end_write(permission);
    }
  }

  /// Returns false if one of them refuses the write.
  bool begin(const QuasiInvariantState &overlapped, bool inside) {
    for (const runtime::WatchedPart &part : overlapped.parts())
      for (auto &quasi_invariant : QuasiInvariants::instance().about(part.part)) {
        if (quasi_invariant.get() == &overlapped || has_begun(quasi_invariant))
          continue;
        const Permission permission = quasi_invariant->begin_write(nullptr, 0, inside);
        if (permission == Permission::none)
          return false;
        OpenWrites::of_this_thread().open(*quasi_invariant);
        writes.emplace_back(std::move(quasi_invariant), permission);
      }
    return true;
  }

  [[nodiscard]] bool has_begun(const std::shared_ptr<QuasiInvariantState> &quasi_invariant) const {
    return std::ranges::any_of(writes,
                               [&](const auto &write) { return write.first == quasi_invariant; });
  }

  std::vector<std::pair<std::shared_ptr<QuasiInvariantState>, Permission>> writes;
};

Write::Write(const QuasiInvariant &quasi) {
  const bool inside = base::inside_handler(base::frame_of_caller());
  QuasiInvariantState &quasi_invariant = *quasi.quasi_invariant_;
  quasi_invariant.note_used_by_hand();
  const bool overlaps = quasi_invariant.overlaps();
  if (overlaps && !base::is_in_signal_handler()) {
    auto others = std::make_unique<Overlapping>();
    if (!others->begin(quasi_invariant, inside))
      return;
    overlapping_ = std::move(others);
  }
  Permission permission = Permission::unasked;
  if (quasi_invariant.begin_unasked() && (!overlaps || overlapping_)) {
    unasked_ = true;
  } else if (base::is_in_signal_handler()) {
    const auto begun = SignalWrites::instance().begin(quasi_invariant, inside);
    permission = begun.permission;
    handed_ = begun.number;
  } else {
    permission = quasi_invariant.ask_to_write(nullptr, 0, inside);
  }
  if (permission == Permission::none) {
    overlapping_.reset();
    return;
  }
  quasi_invariant_ = &quasi_invariant;
  OpenWrites::of_this_thread().open(quasi_invariant);
}

Write::~Write() {
  if (!quasi_invariant_)
    return;
  OpenWrites::of_this_thread().close(*quasi_invariant_);
  if (handed_ != SignalWrites::kNone)
    SignalWrites::instance().end(handed_);
  else
    quasi_invariant_->end_write(unasked_ ? Permission::unasked : Permission::given);
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
