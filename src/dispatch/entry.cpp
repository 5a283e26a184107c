// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dispatch/entry.h"

#include "dispatch/retire.h"

namespace sartor::dispatch {

Entry::Entry(std::string handler, void *generic)
    : detail::EntryTarget{generic}, handler_(std::move(handler)), generic_(generic) {}

Entry::~Entry() { retire(std::move(variant_)); }

void Entry::unplug() {
  code.store(generic_, std::memory_order_release);
  retire(std::exchange(variant_, nullptr));
}

bool Entry::put_in_force(VariantRef variant, std::uint64_t request) {
  const bool downgrade = request == request_ && variant && variant->quick && variant_;
  if (request < request_ || downgrade)
    return false;
  request_ = request;
  if (variant == variant_)
    return false;
  code.store(variant ? variant->code->entry() : generic_, std::memory_order_release);
  retire(std::exchange(variant_, std::move(variant)));
  return true;
}

} // namespace sartor::dispatch
