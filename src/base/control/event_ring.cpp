// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/control/event_ring.h"

#include <algorithm>
#include <utility>

namespace sartor::base {

void EventRing::append(std::string_view kind, std::string line) {
  const MutexLock lock(mutex_);
  const std::uint64_t number = next_++;
  if (line.size() > kMostBytes)
    return;
  auto known = kinds_.find(kind);
  if (known == kinds_.end())
    known = kinds_.emplace(kind, std::deque<Kept>()).first;
  known->second.push_back({number, std::move(line)});
  if (known->second.size() > kMostOfKind)
    known->second.pop_front();
}

EventRing::Page EventRing::lines(std::uint64_t from, std::size_t most) const {
  const MutexLock lock(mutex_);
  std::vector<const Kept *> wanted;
  for (const auto &[kind, kept] : kinds_)
    for (auto each = std::ranges::lower_bound(kept, from, {}, &Kept::number); each != kept.end();
         ++each)
      wanted.push_back(&*each);
  std::ranges::sort(wanted, {}, &Kept::number);
  Page page;
  page.next = std::max(from, next_);
  if (wanted.size() > most) {
    page.next = wanted[most]->number;
    wanted.resize(most);
  }
  for (const Kept *each : wanted)
    page.lines.push_back(each->line);
  page.dropped = page.next - from - wanted.size();
  return page;
}

} // namespace sartor::base
