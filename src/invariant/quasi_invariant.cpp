// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/quasi_invariant.hpp>

#include <utility>

#include <sartor/watch.h>

#include "engine/life.h"
#include "engine/readers.h"
#include "invariant/extent_of.h"
#include "invariant/fact.h"
#include "invariant/facts.h"
#include "invariant/stores.h"
#include "invariant/watches.h"
#include "observe/result.h"

namespace sartor {

using invariant::extent_of;
using invariant::Fact;
using invariant::Facts;
using invariant::Permission;

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
  fact_ = std::make_shared<Fact>(std::move(name), std::move(options));
  Facts::instance().add(fact_);
}

QuasiInvariant::~QuasiInvariant() {
  if (!fact_)
    return;
  if (engine::is_exiting()) { // threads that are left may still write, by guards of a static fact
    engine::keep(fact_);
    return;
  }
  const bool inside = engine::inside_handler(engine::frame_of_caller());
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
  const bool inside = engine::inside_handler(engine::frame_of_caller());
  or_throw(fact_->add({extent_of(object, object_size), extent_of(part, size)}, inside));
}

const std::string &QuasiInvariant::name() const noexcept { return fact_->name(); }

bool QuasiInvariant::holds() const noexcept { return fact_->holds(); }

bool QuasiInvariant::wait_until_holds(std::chrono::nanoseconds at_most) const {
  return fact_->wait_until_holds(at_most);
}

QuasiInvariantFigures QuasiInvariant::figures() const { return fact_->figures(); }

Write::Write(const QuasiInvariant &fact) {
  const bool inside = engine::inside_handler(engine::frame_of_caller());
  const Permission permission = fact.fact_->begin_write(nullptr, 0, inside);
  if (permission == Permission::none)
    return;
  fact_ = fact.fact_.get();
  unasked_ = permission == Permission::unasked;
}

Write::~Write() {
  if (fact_)
    fact_->end_write(unasked_ ? Permission::unasked : Permission::given);
}

} // namespace sartor

extern "C" {

void sartor_register_watches(const sartor_watch *begin, const sartor_watch *end) {
  sartor::invariant::add_watches(begin, end);
}

int sartor_may_write(void *address, uint64_t size) {
  const bool inside = sartor::engine::inside_handler(sartor::engine::frame_of_caller());
  return sartor::invariant::begin_store(sartor::extent_of(address, size), inside) ? 1 : 0;
}

void sartor_written(void *, uint64_t) { sartor::invariant::end_store(); }
}
