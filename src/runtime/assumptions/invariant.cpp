// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/invariant.hpp>

#include <utility>

#include "base/readers.h"
#include "runtime/assumptions/extent_of.h"
#include "runtime/assumptions/registry.h"

namespace sartor {

using runtime::extent_of;
using runtime::Registry;

Invariant::~Invariant() {
  const bool inside = base::inside_handler(base::frame_of_caller());
  Registry &registry = Registry::instance();
  const bool held = registry.revoke(number_);
  if (!inside) {
    registry.wait_until_over(number_);
  } else if (held) {
    registry.note_when_over(number_);
    registry.report_not_waited_for(number_);
  }
}

Invariant::Invariant(Invariant &&other) noexcept : number_(std::exchange(other.number_, 0)) {}

Invariant &Invariant::operator=(Invariant &&other) noexcept {
  Invariant taken(std::move(other));
  std::swap(number_, taken.number_);
  return *this;
}

void Invariant::add(const void *memory, std::size_t size) { add_part(memory, size, memory, size); }

void Invariant::add_part(const void *object, std::size_t object_size, const void *part,
                         std::size_t size) {
  const auto number = or_throw(
      Registry::instance().declare(number_, extent_of(object, object_size), extent_of(part, size)));
  // A revoked invariant is waited for before it is forgotten.
  Invariant before;
  before.number_ = std::exchange(number_, number);
  if (before.number_ == number)
    before.number_ = 0;
}

void Invariant::invalidate() {
  if (base::inside_handler(base::frame_of_caller()) && !reusable())
    throw Error({ErrorCode::called_from_handler, "Invariant::invalidate()",
                 "waits for all handlers to end, and was called from within one",
                 "call invalidate_later() instead, or this from another thread or after the "
                 "handler has returned"});
  Registry::instance().revoke(number_);
  Registry::instance().wait_until_over(number_);
}

void Invariant::invalidate_later() {
  if (Registry::instance().revoke(number_))
    Registry::instance().note_when_over(number_);
}

bool Invariant::reusable() const noexcept { return Registry::instance().is_over(number_); }

bool Invariant::valid() const noexcept { return Registry::instance().valid(number_); }

} // namespace sartor
