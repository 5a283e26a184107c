// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/dispatch/entry.h"

#include "runtime/dispatch/retire.h"

namespace sartor::runtime {

Entry::Entry(std::string handler, void *generic, sartor_direct *direct)
    : detail::EntryTarget{generic}, handler_(std::move(handler)), generic_(generic),
      behind_(generic) {
  if (direct)
    direct_.emplace(direct);
}

Entry::~Entry() {
  leave_direct_calls();
  retire(std::move(variant_));
}

void Entry::route() {
  const Variant *const variant = is_off_ ? nullptr : variant_.get();
  void *const stub = is_off_ ? nullptr : stub_ ? stub_ : variant ? check_stub_ : nullptr;
  checked_.store(variant, std::memory_order_release);
  void *way = stub ? stub : variant ? variant->code->entry() : generic_;
  behind_.store(way, std::memory_order_release);
  code.store(tank_ ? tank_->way_in(/*direct=*/false) : way, std::memory_order_release);
  if (!direct_)
    return;
  behind_direct_.store(stub || variant ? way : direct_->way_out(), std::memory_order_release);
  if (tank_)
    direct_->route_to(tank_->way_in(/*direct=*/true));
  else if (stub || variant)
    direct_->route_to(way);
  else
    direct_->route_to_native();
}

bool Entry::hold(const Holding &how) {
  if (!tank_)
    tank_ = HoldingTank::close(*this, how);
  if (tank_)
    route();
  return tank_ != nullptr;
}

void Entry::let_go() {
  const std::unique_ptr<HoldingTank> opened = std::move(tank_);
  if (opened)
    route();
}

void Entry::switch_off(bool off) {
  is_off_ = off;
  route();
}

void Entry::check_with(void *stub) {
  check_stub_ = stub;
  route();
}

void Entry::divert(void *stub) {
  stub_ = stub;
  route();
}

VariantRef Entry::fall_back(VariantRef to) {
  VariantRef old = std::exchange(variant_, std::move(to));
  route();
  return old;
}

bool Entry::activate(VariantRef variant, std::uint64_t request) {
  const bool downgrade = request == request_ && variant && variant->quick && variant_;
  if (request < request_ || downgrade)
    return false;
  request_ = request;
  return replace(std::move(variant));
}

bool Entry::restore(VariantRef variant, std::uint64_t request) {
  request_ = request;
  return replace(std::move(variant));
}

bool Entry::replace(VariantRef variant) {
  if (variant == variant_)
    return false;
  VariantRef old = std::exchange(variant_, std::move(variant));
  route();
  retire(std::move(old));
  return true;
}

} // namespace sartor::runtime
