// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/covered_code.h"

#include <memory>
#include <utility>

namespace sartor::runtime {

// Never destroyed: a thread may crash while the process exits.
CoveredCode &CoveredCode::instance() {
  static CoveredCode &all = *new CoveredCode;
  return all;
}

void CoveredCode::add(std::uintptr_t begin, std::size_t bytes, Marker marker) {
  remove(begin);
  const base::MutexLock lock(mutex_);
  if (unused_.empty()) {
    auto made = std::make_unique<Chunk>();
    unused_.reserve(kInChunk);
    for (Entry &entry : made->entries)
      unused_.push_back(&entry);
    made->next = chunks_.load(std::memory_order_relaxed);
    chunks_.store(made.release(), std::memory_order_release);
  }
  Entry &entry = *unused_.back();
  by_begin_.emplace(begin, &entry);
  unused_.pop_back();
  entry.marker = std::move(marker);
  entry.bytes.store(bytes, std::memory_order_relaxed);
  entry.begin.store(begin, std::memory_order_release);
}

void CoveredCode::remove(std::uintptr_t begin) {
  const base::MutexLock lock(mutex_);
  const auto found = by_begin_.find(begin);
  if (found == by_begin_.end())
    return;
  found->second->begin.store(0, std::memory_order_seq_cst);
  unused_.push_back(found->second);
  by_begin_.erase(found);
}

const Marker *CoveredCode::find(std::uintptr_t address) const {
  for (const Chunk *chunk = chunks_.load(std::memory_order_acquire); chunk; chunk = chunk->next)
    for (const Entry &entry : chunk->entries) {
      const std::uintptr_t begin = entry.begin.load(std::memory_order_acquire);
      const std::size_t bytes = entry.bytes.load(std::memory_order_acquire);
      // An entry that is used for other code meanwhile may have other bytes.
      if (begin != 0 && address - begin < bytes &&
          entry.begin.load(std::memory_order_relaxed) == begin)
        return &entry.marker;
    }
  return nullptr;
}

} // namespace sartor::runtime
