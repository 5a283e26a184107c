// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/invariant.hpp>

#include <span>
#include <utility>

#include "dispatch/leaning.h"
#include "dispatch/retire.h"
#include "engine/life.h"
#include "engine/readers.h"
#include "invariant/registry.h"

namespace sartor {

using invariant::Registry;

namespace {

// A call that blocks holds up only who takes back what code leans on.
void wait_for_code_on(std::span<const std::uint64_t> promises) {
  if (dispatch::anything_leans_on(promises) && !engine::is_exiting())
    dispatch::wait_for_readers();
}

} // namespace

Invariant::~Invariant() {
  if (promises_.empty())
    return;
  const bool inside = engine::inside_handler(engine::frame_of_caller());
  Registry::instance().withdraw(promises_);
  if (!inside)
    wait_for_code_on(promises_);
}

Invariant::Invariant(Invariant &&other) noexcept : promises_(std::exchange(other.promises_, {})) {}

Invariant &Invariant::operator=(Invariant &&other) noexcept {
  std::swap(promises_, other.promises_);
  return *this;
}

void Invariant::add(const void *memory, std::size_t size) {
  promises_.push_back(or_throw(Registry::instance().promise(memory, size)));
}

void Invariant::invalidate() {
  if (engine::inside_handler(engine::frame_of_caller()))
    throw Error({ErrorCode::called_from_handler, "Invariant::invalidate()",
                 "waits for all handlers to end, and was called from within one",
                 "call it from another thread, or after the handler has returned"});
  if (promises_.empty())
    return;
  Registry::instance().withdraw(promises_);
  wait_for_code_on(promises_);
  promises_.clear();
}

} // namespace sartor
