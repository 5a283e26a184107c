// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/dispatch/direct.h"

#include <cstdint>

#include <sartor/read_section.hpp>

#include "base/readers.h"

namespace sartor::runtime {

namespace {

// The functions have parameters of types in `detail`; the casts are correct because these are
// passed in the same registers.
void write(sartor_direct &route) {
  __atomic_store_n(route.reader, static_cast<std::uintptr_t>(base::direct_reader_offset()),
                   __ATOMIC_RELEASE);
  route.epoch = &detail::epoch.now;
  route.enter = reinterpret_cast<void *(*)(std::uintptr_t, std::uintptr_t)>(&detail::enter);
  route.leave = &detail::leave;
}

sartor_direct *take(sartor_direct *route, void *owner) {
  void *none = nullptr;
  if (!route || !__atomic_compare_exchange_n(&route->owner, &none, owner, /*weak=*/false,
                                             __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return nullptr;
  write(*route);
  return route;
}

} // namespace

Direct::Direct(sartor_direct *route) : route_(take(route, this)) {}

Direct::~Direct() {
  route_to_native();
  if (route_)
    __atomic_store_n(&route_->owner, nullptr, __ATOMIC_RELEASE);
}

void Direct::route_to(void *code) {
  if (!route_)
    return;
  __atomic_store_n(&route_->code, code, __ATOMIC_RELEASE);
  __atomic_store_n(&route_->active, *route_->reader, __ATOMIC_RELEASE);
}

void Direct::route_to_native() {
  if (!route_)
    return;
  __atomic_store_n(&route_->active, std::uintptr_t{0}, __ATOMIC_RELEASE);
  __atomic_store_n(&route_->code, route_->out,
                   __ATOMIC_RELEASE); // for calls that have already begun
}

} // namespace sartor::runtime
