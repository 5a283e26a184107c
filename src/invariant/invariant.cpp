// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/invariant.hpp>

#include <utility>

#include "dispatch/retire.h"
#include "invariant/registry.h"

namespace sartor {

using invariant::Registry;

Invariant::~Invariant() {
  if (promises_.empty())
    return;
  Registry::instance().withdraw(promises_);
  if (!dispatch::inside_handler())
    dispatch::wait_for_readers();
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
  if (dispatch::inside_handler())
    throw Error({ErrorCode::called_from_handler, "Invariant::invalidate()",
                 "waits for all handlers to end, and was called from within one",
                 "call it from another thread, or after the handler has returned"});
  if (promises_.empty())
    return;
  Registry::instance().withdraw(promises_);
  dispatch::wait_for_readers();
  promises_.clear();
}

} // namespace sartor
