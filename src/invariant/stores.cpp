// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "invariant/stores.h"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "invariant/fact.h"
#include "invariant/facts.h"

namespace sartor::invariant {

namespace {

using Broken = std::vector<std::pair<std::shared_ptr<Fact>, Permission>>;

// What stores that this thread is at have broken: an answer of the program's may store as well.
thread_local std::vector<Broken> under_way;

std::atomic<unsigned> counting = 0; ///< How many StoreCounts there are.
std::atomic<std::uint64_t> asked = 0;

void finish(const Broken &facts) {
  for (const auto &[fact, permission] : facts)
    fact->end_write(permission);
}

} // namespace

bool begin_store(specialize::Extent memory, bool inside) {
  if (counting.load(std::memory_order_relaxed) != 0)
    asked.fetch_add(1, std::memory_order_relaxed);
  Facts &facts = Facts::instance();
  if (!facts.may_be_about(memory)) {
    under_way.emplace_back();
    return true;
  }
  Broken begun;
  for (auto &fact : facts.about(memory)) {
    const Permission permission = fact->begin_write(reinterpret_cast<void *>(memory.address),
                                                    memory.end - memory.address, inside);
    if (permission == Permission::none) {
      finish(begun);
      return false;
    }
    begun.emplace_back(std::move(fact), permission);
  }
  under_way.push_back(std::move(begun));
  return true;
}

void end_store() {
  if (under_way.empty()) // in a thread's last moments
    return;
  finish(under_way.back());
  under_way.pop_back();
}

StoreCount::StoreCount() { ++counting; }
StoreCount::~StoreCount() { --counting; }
std::uint64_t StoreCount::so_far() const { return asked.load(std::memory_order_relaxed); }

} // namespace sartor::invariant
