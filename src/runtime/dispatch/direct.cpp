// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/dispatch/direct.h"

#include <cstdint>

#include <sartor/read_section.hpp>

#include "base/readers.h"

namespace sartor::runtime {

namespace {

// The functions are of detail's types; all that counts is that registers are.
void write(sartor_direct &lead) {
  __atomic_store_n(lead.reader, static_cast<std::uintptr_t>(base::direct_reader_offset()),
                   __ATOMIC_RELEASE);
  lead.epoch = &detail::epoch.now;
  lead.enter = reinterpret_cast<void *(*)(std::uintptr_t, std::uintptr_t)>(&detail::enter);
  lead.leave = &detail::leave;
}

sartor_direct *take(sartor_direct *lead, void *owner) {
  void *nobody = nullptr;
  if (!lead || !__atomic_compare_exchange_n(&lead->owner, &nobody, owner, /*weak=*/false,
                                            __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return nullptr;
  write(*lead);
  return lead;
}

} // namespace

Direct::Direct(sartor_direct *lead) : lead_(take(lead, this)) {}

Direct::~Direct() {
  lead_to_native();
  if (lead_)
    __atomic_store_n(&lead_->owner, nullptr, __ATOMIC_RELEASE);
}

void Direct::lead_to(void *code) {
  if (!lead_)
    return;
  __atomic_store_n(&lead_->code, code, __ATOMIC_RELEASE);
  __atomic_store_n(&lead_->active, *lead_->reader, __ATOMIC_RELEASE);
}

void Direct::lead_to_native() {
  if (!lead_)
    return;
  __atomic_store_n(&lead_->active, std::uintptr_t{0}, __ATOMIC_RELEASE);
  __atomic_store_n(&lead_->code, lead_->out, __ATOMIC_RELEASE); // of calls that have begun already
}

} // namespace sartor::runtime
