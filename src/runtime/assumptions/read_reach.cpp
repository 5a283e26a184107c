// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding and reading reachable invariant memory, on a compiling thread.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "runtime/assumptions/checked_copy.h"
#include "runtime/assumptions/registry.h"
#include "runtime/dispatch/dependency.h"
#include "runtime/dispatch/retire.h"

namespace sartor::runtime {

using core::Extent;
using core::Reached;
using core::Region;

namespace {

/// The number of words that are looked up before the registry's lock is released for others.
constexpr std::size_t kMostWords = 2000;

/// The size of the memory contents that the registry keeps for later requests, in pieces and words
/// (of some 50 bytes each); dropped contents are found anew.
constexpr std::size_t kMostKept = 1'000'000;
constexpr std::size_t kOverhead = 20;

/// The range of addresses in which programs have memory: words outside it are not pointers.
constexpr std::uintptr_t kLowestAddress = 0x10000;
constexpr std::uintptr_t kHighestAddress = std::uintptr_t{1} << 56U;

template <class T> void sort_and_join(std::vector<T> &values) {
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
}

std::vector<std::uintptr_t> words_in(const std::string &bytes, std::uintptr_t address) {
  std::vector<std::uintptr_t> words;
  std::uintptr_t word = 0;
  for (std::size_t at = -address % sizeof word; at + sizeof word <= bytes.size();
       at += sizeof word) {
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if (word >= kLowestAddress && word < kHighestAddress && (words.empty() || words.back() != word))
      words.push_back(word);
  }
  sort_and_join(words);
  words.shrink_to_fit();
  return words;
}

// Where two regions overlap, the bytes are those of the first. Of those that begin together, this
// is one of `own`, or the oldest.
std::vector<Region> without_overlaps(std::vector<Region> regions,
                                     std::span<const std::uint64_t> own) {
  std::ranges::sort(regions, {}, [own](const Region &region) {
    return std::tuple(region.address, !std::ranges::binary_search(own, region.invariant),
                      region.invariant);
  });
  std::vector<Region> disjoint;
  for (Region &region : regions) {
    const std::uintptr_t covered = disjoint.empty() ? 0 : disjoint.back().end();
    if (region.end() <= covered)
      continue;
    if (region.address < covered) {
      region.bytes =
          std::make_shared<const std::string>(region.bytes->substr(covered - region.address));
      region.address = covered;
    }
    disjoint.push_back(std::move(region));
  }
  return disjoint;
}

std::vector<Extent> joined(std::vector<Extent> extents) {
  std::ranges::sort(extents, {}, &Extent::address);
  std::vector<Extent> disjoint;
  for (const Extent &extent : extents)
    if (disjoint.empty() || extent.address >= disjoint.back().end)
      disjoint.push_back(extent);
    else
      disjoint.back().end = std::max(disjoint.back().end, extent.end);
  return disjoint;
}

// Formats ascending numbers as `3-17,20`.
std::string text(std::span<const std::uint64_t> numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint64_t first = numbers[i];
    while (i + 1 < numbers.size() && numbers[i + 1] == numbers[i] + 1)
      ++i;
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (numbers[i] != first)
      text += "-" + std::to_string(numbers[i]);
  }
  return text;
}

} // namespace

Registry::Numbers Registry::invariants_of(std::span<const std::uint64_t> pieces) const {
  Numbers invariants;
  const base::MutexLock lock(mutex_);
  for (const std::uint64_t number : pieces)
    if (const Piece *piece = holding(number))
      invariants.push_back(piece->invariant);
  sort_and_join(invariants);
  return invariants;
}

// A thread that revokes an invariant waits for this read, or has revoked it before the read.
Result<void> Registry::read_pieces(std::span<const std::uint64_t> pieces) {
  std::vector<std::pair<std::uint64_t, unsigned>> numbers; // and the number of their suspensions
  std::vector<std::pair<std::uintptr_t, std::size_t>> parts;
  std::vector<Result<std::string>> copies;
  {
    const Dependency dependency(invariants_of(pieces));
    const Reading reading;
    {
      const base::MutexLock lock(mutex_);
      for (const std::uint64_t number : pieces)
        if (const Piece *piece = holding(number)) {
          const Extent part = piece->part;
          numbers.emplace_back(number, invariants_.at(piece->invariant).suspensions);
          parts.emplace_back(part.address, part.end - part.address);
        }
    }
    copies = checked_copies(parts);
  }
  std::vector<std::shared_ptr<const Content>> contents;
  for (std::size_t i = 0; i < copies.size(); ++i)
    contents.push_back(
        copies[i] ? std::make_shared<const Content>(std::make_shared<const std::string>(*copies[i]),
                                                    words_in(*copies[i], parts[i].first))
                  : nullptr);
  const base::MutexLock lock(mutex_);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto [number, suspensions] = numbers[i];
    // A writer that does not wait may have written to the piece while it was copied.
    const Piece *piece = holding(number);
    if (!piece || invariants_.at(piece->invariant).suspensions != suspensions)
      continue;
    if (!copies[i])
      return std::unexpected(std::move(copies[i].error()));
    // If another thread has read the piece before, its code is made from that content.
    if (auto &content = pieces_.at(number).content; !content)
      content = std::move(contents[i]);
  }
  return {};
}

Result<Registry::Numbers> Registry::find_reached(const Reach &reach) {
  std::unordered_set<std::uint64_t> found(reach.roots_.begin(), reach.roots_.end());
  Numbers work = reach.roots_;
  while (!work.empty()) {
    Numbers unread;
    std::vector<std::shared_ptr<const Content>> contents;
    {
      const base::MutexLock lock(mutex_);
      for (const std::uint64_t number : work)
        if (const Piece *piece = holding(number); !piece)
          found.erase(number);
        else if (piece->content)
          contents.push_back(piece->content);
        else
          unread.push_back(number);
    }
    work = std::move(unread);
    if (!work.empty())
      if (auto read = read_pieces(work); !read)
        return std::unexpected(std::move(read.error()));
    base::MutexLock lock(mutex_);
    std::size_t looked_up = 0;
    for (const auto &content : contents)
      for (const std::uintptr_t word : content->words) {
        if (++looked_up % kMostWords == 0) {
          lock.unlock();
          lock.lock();
        }
        objects_.for_each_containing(word, [&](std::uint64_t number) {
          if (found.insert(number).second)
            work.push_back(number);
        });
      }
  }
  Numbers reached(found.begin(), found.end());
  std::ranges::sort(reached);
  return reached;
}

Result<Reached> Registry::read(Reach &reach) {
  std::uint64_t seen = 0;
  {
    const base::MutexLock lock(mutex_);
    seen = last_shown_;
  }
  auto found = find_reached(reach);
  if (!found)
    return std::unexpected(std::move(found.error()));
  Numbers held;
  Numbers invariants;
  std::vector<Region> regions;
  std::vector<Extent> objects;
  std::vector<std::shared_ptr<const Content>> contents;
  {
    const base::MutexLock lock(mutex_);
    for (const std::uint64_t number : *found) {
      const Piece *piece = holding(number);
      if (!piece || !piece->content)
        continue;
      held.push_back(number);
      invariants.push_back(piece->invariant);
      regions.push_back({piece->invariant, piece->part.address, piece->content->bytes});
      objects.push_back(piece->object);
      contents.push_back(piece->content);
    }
  }
  std::vector<std::shared_ptr<Reach>> dropped;
  std::vector<std::uintptr_t> words;
  for (const auto &content : contents)
    words.insert(words.end(), content->words.begin(), content->words.end());
  sort_and_join(words);
  sort_and_join(invariants);
  reach.name_ = text(held);
  {
    const base::MutexLock lock(mutex_);
    // This reach itself, if one of its invariants was invalidated meanwhile.
    dropped = hide_suspended();
    reach.words_ = std::move(words);
    for (auto at = shown_.upper_bound(seen); at != shown_.end(); ++at) {
      if (leads_into(reach.words_, pieces_.at(at->second).object) &&
          !std::ranges::binary_search(held, at->second))
        break;
      seen = at->first;
    }
    reach.seen_ = seen;
    const auto mine = reaches_.find(std::pair(reach.roots_, reach.own_));
    if (mine != reaches_.end() && mine->second.get() == &reach) {
      reach.size_ = kOverhead + regions.size() + reach.words_.size();
      kept_ += reach.size_;
      // An invariant that was revoked meanwhile could not find itself in this reach.
      const bool holds = std::ranges::all_of(
          invariants, [&](std::uint64_t one) SARTOR_REQUIRES(mutex_) { return is_held(one); });
      relate(reach, invariants);
      if (!holds)
        dropped.push_back(drop_reach(reach));
    }
    if (kept_ > kMostKept)
      std::ranges::move(drop_unused_reaches(), std::back_inserter(dropped));
  }
  return Reached{without_overlaps(std::move(regions), reach.own_), joined(std::move(objects)),
                 std::move(invariants)};
}

} // namespace sartor::runtime
