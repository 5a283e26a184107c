// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dispatch/entry.h"

#include "dispatch/retire.h"

namespace sartor::dispatch {

Entry::Entry(std::string handler, void *generic, sartor_direct *direct)
    : detail::EntryTarget{generic}, handler_(std::move(handler)), generic_(generic) {
  if (direct)
    direct_.emplace(direct);
}

Entry::~Entry() {
  leave_direct_calls();
  retire(std::move(variant_));
}

void Entry::lead() {
  void *in_force = variant_ ? variant_->code->entry() : generic_;
  code.store(stub_ ? stub_ : in_force, std::memory_order_release);
  if (!direct_)
    return;
  if (stub_ || variant_)
    direct_->lead_to(stub_ ? stub_ : in_force);
  else
    direct_->lead_to_native();
}

void Entry::divert(void *stub) {
  stub_ = stub;
  lead();
}

VariantRef Entry::fall_back(VariantRef to) {
  VariantRef old = std::exchange(variant_, std::move(to));
  lead();
  return old;
}

bool Entry::put_in_force(VariantRef variant, std::uint64_t request) {
  const bool downgrade = request == request_ && variant && variant->quick && variant_;
  if (request < request_ || downgrade)
    return false;
  request_ = request;
  if (variant == variant_)
    return false;
  VariantRef old = std::exchange(variant_, std::move(variant));
  lead();
  retire(std::move(old));
  return true;
}

} // namespace sartor::dispatch
