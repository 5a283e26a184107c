// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/isolate/domain.h"

#include <linux/mman.h>

namespace sartor::isolate {

Domains domains;

void Ranges::add(Range range) {
  if (range.begin >= range.end)
    return;
  if (count_ == sizeof ranges_ / sizeof *ranges_)
    give_up("the libraries of a domain have too many segments");
  ranges_[count_++] = range;
}

bool Ranges::hold(std::uintptr_t address) const {
  for (const Range &range : *this)
    if (range.holds(address))
      return true;
  return false;
}

void Domain::begin(const char *name, const char *libraries) {
  constexpr std::uint64_t no_access = 1; // PKEY_DISABLE_ACCESS
  const long key = system_call(__NR_pkey_alloc, 0, no_access);
  key_ = key > 0 ? static_cast<int>(key) : 0;
  name_ = name;
  libraries_ = libraries;
}

void Domain::close() {
  if (has_key()) {
    protect(PROT_READ | PROT_WRITE, key_);
  } else {
    const NoSignals no_signals;
    leave(0);
  }
}

void Domain::open_for_good() {
  const NoSignals no_signals;
  lock_.lock();
  ++inside_;
  protect(PROT_READ | PROT_WRITE, 0);
  lock_.unlock();
}

void Domain::begin_anew(bool is_inside) {
  if (has_key())
    return;
  lock_.reset();
  inside_ = is_inside ? 1 : 0;
  protect(is_inside ? PROT_READ | PROT_WRITE : PROT_NONE, 0);
}

std::uint32_t Domain::enter() {
  if (has_key()) {
    const std::uint32_t before = read_rights();
    write_rights(before & ~bits());
    return before;
  }
  lock_.lock();
  if (inside_++ == 0)
    protect(PROT_READ | PROT_WRITE, 0);
  lock_.unlock();
  return 0;
}

void Domain::leave(std::uint32_t before) {
  if (has_key()) {
    write_rights((read_rights() & ~bits()) | (before & bits()));
    return;
  }
  lock_.lock();
  if (--inside_ == 0)
    protect(PROT_NONE, 0);
  lock_.unlock();
}

void Domain::protect(int protection, int key) const {
  for (const Range &range : data_) {
    const long number = has_key() ? __NR_pkey_mprotect : __NR_mprotect;
    if (system_call(number, range.begin, range.end - range.begin,
                    static_cast<std::uint64_t>(protection), static_cast<std::uint64_t>(key)) != 0)
      give_up("the memory of a domain cannot be protected: it is in too many pieces");
  }
}

Domain *Domains::of_code(std::uintptr_t address) {
  for (Domain &domain : *this)
    if (domain.holds_code(address))
      return &domain;
  return nullptr;
}

} // namespace sartor::isolate
