// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/registry.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/life.h"
#include "runtime/assumptions/checked_copy.h"
#include "runtime/dispatch/dependency.h"
#include "runtime/dispatch/retire.h"

namespace sartor::runtime {

using core::Extent;

namespace {

/// The largest distance from a variable's address at which code that names the variable accesses
/// fields: the size of variables is not known here.
constexpr std::uintptr_t kLargestVariable = 4096;

/// The maximum number of new pieces, or of words that may point to them, that a caller examines; if
/// there are more, a compiling thread finds anew what can be reached.
constexpr std::size_t kMostLookedAt = 200;

std::string name_of(Extent extent) {
  return std::to_string(extent.end - extent.address) + " bytes at " +
         std::to_string(extent.address);
}

Failure bad_invariant(Extent extent, const char *message, const char *remedy) {
  return {ErrorCode::bad_invariant, name_of(extent), message, remedy};
}

// Returns the first run of bytes that differ.
Extent first_difference(std::string_view one, std::string_view other, std::uintptr_t address) {
  const auto [begin, in_other] = std::ranges::mismatch(one, other);
  auto end = begin;
  for (auto with = in_other; end != one.end() && *end != *with; ++end)
    ++with;
  return {address + static_cast<std::uintptr_t>(begin - one.begin()),
          address + static_cast<std::uintptr_t>(end - one.begin())};
}

// A variable is taken to extend from its address to the next one's.
bool names_lead_into(std::span<const std::uintptr_t> names, Extent extent) {
  auto next = std::ranges::lower_bound(names, extent.end);
  return next != names.begin() && (*std::prev(next) >= extent.address ||
                                   extent.address - *std::prev(next) < kLargestVariable);
}

} // namespace

Registry &Registry::instance() {
  static auto *registry = new Registry; // never destroyed: invariants may be static objects
  return *registry;
}

Result<std::uint64_t> Registry::declare(std::uint64_t to, Extent object, Extent part,
                                        Lasting lasting) {
  if (part.address == 0 || part.end <= part.address)
    return std::unexpected(bad_invariant(part, "is not memory that can be declared invariant",
                                         "give the address and the size of an object"));
  if (part.address < object.address || part.end > object.end)
    return std::unexpected(bad_invariant(part, "is not within the object that it is a part of",
                                         "give the address and the size of the whole object"));
  const base::MutexLock lock(mutex_);
  auto invariant = invariants_.find(to);
  if (invariant == invariants_.end()) {
    const bool is_quasi_invariant = lasting == Lasting::while_valid;
    last_invariant_ += 2; // quasi-invariants have odd numbers
    invariant = invariants_.try_emplace(last_invariant_ - (is_quasi_invariant ? 1 : 0)).first;
    invariant->second.is_suspended = is_quasi_invariant;
    quasi_invariants_ += is_quasi_invariant ? 1 : 0;
  }
  const std::uint64_t number = ++last_piece_;
  invariant->second.pieces.push_back(number);
  pieces_.emplace_hint(pieces_.end(), number, Piece{invariant->first, object, part, nullptr});
  if (!invariant->second.is_suspended)
    show(number);
  return invariant->first;
}

const Registry::Piece *Registry::holding(std::uint64_t number) const {
  auto piece = pieces_.find(number);
  return piece != pieces_.end() && is_held(piece->second.invariant) ? &piece->second : nullptr;
}

bool Registry::is_held(std::uint64_t invariant) const {
  auto known = invariants_.find(invariant);
  return known != invariants_.end() && !known->second.is_suspended;
}

void Registry::show(std::uint64_t number) {
  Piece &piece = pieces_.at(number);
  const Extent object = piece.object;
  piece.shown = ++last_shown_;
  shown_.emplace_hint(shown_.end(), piece.shown, number);
  objects_.add(object, number);
  for (auto &[dependent, names] : names_)
    if (names_lead_into(names.addresses, object))
      names.pieces.insert(number);
}

void Registry::hide(std::uint64_t number) {
  Piece &piece = pieces_.at(number);
  shown_.erase(std::exchange(piece.shown, 0));
  objects_.remove(piece.object, number);
  for (auto &[dependent, names] : names_)
    names.pieces.erase(number);
}

void Registry::drop(std::uint64_t invariant) {
  auto known = invariants_.find(invariant);
  for (const std::uint64_t piece : known->second.pieces) {
    if (pieces_.at(piece).shown != 0)
      hide(piece);
    pieces_.erase(piece);
  }
  invariants_.erase(known);
  quasi_invariants_ -= is_quasi_invariant(invariant) ? 1 : 0;
}

std::vector<std::shared_ptr<Reach>> Registry::hide_suspended() {
  std::vector<std::shared_ptr<Reach>> dropped;
  for (const std::uint64_t quasi_invariant : std::exchange(suspended_, {})) {
    std::ranges::move(drop_reaches_of(quasi_invariant), std::back_inserter(dropped));
    if (auto known = invariants_.find(quasi_invariant); known != invariants_.end())
      for (const std::uint64_t piece : known->second.pieces)
        if (pieces_.at(piece).shown != 0)
          hide(piece);
  }
  return dropped;
}

bool Registry::deactivate(std::uint64_t invariant, const Holding &holding) {
  Deactivated all;
  for (Dependent *dependent : dependents_) {
    Deactivated taken = dependent->deactivate(invariant, holding);
    std::ranges::move(taken.code, std::back_inserter(all.code));
    all.could_be_better = all.could_be_better || taken.could_be_better;
  }
  const base::MutexLock lock(mutex_);
  auto &leaving = not_over_[invariant];
  std::ranges::move(all.code, std::back_inserter(leaving));
  return all.could_be_better;
}

// Hence the lock: a second caller that finds the invariant not valid may begin to wait for calls
// only after the first has switched the entries.
bool Registry::revoke(std::uint64_t invariant) {
  std::vector<std::shared_ptr<Reach>> dropped;
  const base::MutexLock telling(dependents_mutex_);
  bool held = false;
  {
    const base::MutexLock lock(mutex_);
    if (!invariants_.contains(invariant))
      return false;
    held = is_held(invariant);
    drop(invariant);
    ++revocations_;
    if (held)
      not_over_.try_emplace(invariant);
    dropped = drop_reaches_of(invariant);
  }
  if (held)
    deactivate(invariant, {});
  for (Dependent *dependent : dependents_)
    dependent->forget(invariant);
  return held;
}

Registry::Suspended Registry::suspend(std::uint64_t quasi_invariant, const Holding &holding) {
  const base::MutexLock telling(dependents_mutex_);
  {
    const base::MutexLock lock(mutex_);
    if (!is_held(quasi_invariant))
      return {};
    InvariantEntry &invariant = invariants_.at(quasi_invariant);
    invariant.is_suspended = true;
    ++invariant.suspensions;
    ++revocations_;
    suspended_.push_back(quasi_invariant);
    not_over_.try_emplace(quasi_invariant);
  }
  return {true, deactivate(quasi_invariant, holding)};
}

Result<std::optional<Extent>> Registry::changed_part(std::uint64_t quasi_invariant) {
  std::vector<std::pair<std::uintptr_t, std::size_t>> parts;
  std::vector<std::shared_ptr<const Content>> contents;
  {
    const base::MutexLock lock(mutex_);
    auto known = invariants_.find(quasi_invariant);
    if (known == invariants_.end())
      return std::unexpected(Failure{ErrorCode::bad_invariant, std::to_string(quasi_invariant),
                                     "is the number of no quasi-invariant", "declare it again"});
    for (const std::uint64_t number : known->second.pieces) {
      const Piece &piece = pieces_.at(number);
      parts.emplace_back(piece.part.address, piece.part.end - piece.part.address);
      contents.push_back(piece.content);
    }
  }
  auto copies = checked_copies(parts);
  std::optional<Extent> changed;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (!copies[i])
      return std::unexpected(std::move(copies[i].error()));
    if (!changed && contents[i] && *contents[i]->bytes != *copies[i])
      changed = first_difference(*contents[i]->bytes, *copies[i], parts[i].first);
  }
  return changed;
}

Result<std::uint64_t> Registry::resume(std::uint64_t quasi_invariant, bool anew) {
  auto changed = changed_part(quasi_invariant);
  if (!changed)
    return std::unexpected(std::move(changed.error()));
  std::uint64_t now = quasi_invariant;
  std::vector<std::shared_ptr<Reach>> dropped;
  {
    const base::MutexLock lock(mutex_);
    dropped = hide_suspended();
    auto known = invariants_.find(quasi_invariant);
    if (known == invariants_.end() || !known->second.is_suspended)
      return quasi_invariant;
    if (anew || *changed) {
      last_invariant_ += 2;
      now = last_invariant_ - 1;
      InvariantEntry &renewed = invariants_[now];
      ++quasi_invariants_;
      renewed.is_suspended = true;
      for (const std::uint64_t old : invariants_.at(quasi_invariant).pieces) {
        const std::uint64_t number = ++last_piece_;
        const Piece &piece = pieces_.at(old);
        renewed.pieces.push_back(number);
        pieces_.emplace(number, Piece{now, piece.object, piece.part, nullptr});
      }
      drop(quasi_invariant);
    }
    InvariantEntry &invariant = invariants_.at(now);
    invariant.is_suspended = false;
    for (const std::uint64_t number : invariant.pieces)
      show(number);
  }
  if (now != quasi_invariant) {
    const base::MutexLock lock(dependents_mutex_);
    for (Dependent *dependent : dependents_)
      dependent->forget(quasi_invariant);
  }
  return now;
}

std::vector<std::uint64_t> Registry::valid_invariants() const {
  std::vector<std::uint64_t> found;
  const base::MutexLock lock(mutex_);
  for (const auto &[number, invariant] : invariants_)
    if (!is_quasi_invariant(number) && !invariant.is_suspended)
      found.push_back(number);
  return found;
}

void Registry::look_again() {
  const base::MutexLock lock(dependents_mutex_);
  for (Dependent *dependent : dependents_)
    dependent->look_again();
}

std::vector<VariantRef> Registry::end(std::uint64_t invariant) {
  const base::MutexLock lock(mutex_);
  auto over = not_over_.extract(invariant);
  return over.empty() ? std::vector<VariantRef>() : std::move(over.mapped());
}

void Registry::wait_until_over(std::uint64_t invariant) {
  if (is_over(invariant))
    return;
  // A blocked call delays only callers that revoke an invariant that code depends on, or whose
  // memory is being read.
  bool is_unused = true;
  if (runtime::has_dependents({&invariant, 1}) && !base::is_exiting())
    is_unused = runtime::wait_for_running_readers();
  note_over(invariant, is_unused);
}

void Registry::note_over(std::uint64_t invariant, bool is_unused) {
  for (auto &code : end(invariant))
    if (base::is_exiting()) // threads may run it until the process has ended
      base::keep(std::move(code));
    else if (!is_unused)
      runtime::retire(std::move(code));
}

void Registry::note_when_over(std::uint64_t invariant) {
  const auto over = [invariant](Registry *registry) { (void)registry->end(invariant); };
  std::uint64_t stamp = base::kNoStamp;
  {
    const base::MutexLock lock(mutex_);
    if (const auto known = invariants_.find(invariant); known != invariants_.end())
      stamp = known->second.stamp;
  }
  runtime::retire(std::shared_ptr<Registry>(this, over), stamp);
}

bool Registry::is_over(std::uint64_t invariant) const {
  const base::MutexLock lock(mutex_);
  return !is_held(invariant) && !not_over_.contains(invariant);
}

void Registry::report_not_waited_for(std::uint64_t invariant) {
  const base::MutexLock lock(dependents_mutex_);
  for (Dependent *dependent : dependents_)
    dependent->not_waited_for(invariant);
}

bool Registry::are_valid(std::span<const std::uint64_t> invariants) const {
  const base::MutexLock lock(mutex_);
  return std::ranges::all_of(invariants, [&](std::uint64_t number)
                                             SARTOR_REQUIRES(mutex_) { return is_held(number); });
}

bool Registry::know(std::span<const std::uint64_t> invariants) const {
  const base::MutexLock lock(mutex_);
  return std::ranges::all_of(invariants, [&](std::uint64_t number) SARTOR_REQUIRES(mutex_) {
    return invariants_.contains(number);
  });
}

// It is out of date if its words lead to a newer piece.
bool Registry::is_up_to_date(Reach &reach) const {
  if (!reach.is_read())
    return true; // it will include all invariants declared before it is read
  if (!reach.outcome_->has_value())
    return false;
  const std::uint64_t at_most_new = last_shown_ - reach.seen_;
  if (std::min<std::uint64_t>(at_most_new, reach.words_.size()) > kMostLookedAt)
    return false;
  bool leads_to_new = false;
  if (at_most_new <= reach.words_.size())
    for (auto at = shown_.upper_bound(reach.seen_); at != shown_.end() && !leads_to_new; ++at)
      leads_to_new = leads_into(reach.words_, pieces_.at(at->second).object);
  else
    for (const std::uintptr_t word : reach.words_)
      objects_.for_each_containing(word, [&](std::uint64_t piece) {
        mutex_.assert_held();
        leads_to_new = leads_to_new || pieces_.at(piece).shown > reach.seen_;
      });
  if (!leads_to_new)
    reach.seen_ = last_shown_;
  return !leads_to_new;
}

void Registry::relate(Reach &reach, Numbers invariants) {
  for (const std::uint64_t invariant : reach.invariants_)
    reaches_of_.erase({invariant, &reach});
  reach.invariants_ = std::move(invariants);
  for (const std::uint64_t invariant : reach.invariants_)
    reaches_of_.insert({invariant, &reach});
}

std::shared_ptr<Reach> Registry::drop_reach(const Reach &unwanted) {
  auto dropped = reaches_.extract(std::pair(unwanted.roots_, unwanted.own_));
  relate(*dropped.mapped(), {});
  kept_ -= unwanted.size_;
  return std::move(dropped.mapped());
}

std::vector<std::shared_ptr<Reach>> Registry::drop_reaches_of(std::uint64_t invariant) {
  std::vector<std::shared_ptr<Reach>> dropped;
  for (auto at = reaches_of_.lower_bound({invariant, nullptr});
       at != reaches_of_.end() && at->first == invariant;
       at = reaches_of_.lower_bound({invariant, nullptr}))
    dropped.push_back(drop_reach(*at->second));
  return dropped;
}

std::vector<std::shared_ptr<Reach>> Registry::drop_unused_reaches() {
  std::vector<std::shared_ptr<Reach>> dropped;
  for (auto at = reaches_.begin(); at != reaches_.end();) {
    const auto here = at++;
    if (here->second.use_count() == 1)
      dropped.push_back(drop_reach(*here->second));
  }
  return dropped;
}

std::shared_ptr<Reach> Registry::reach(const Dependent &dependent,
                                       std::span<const std::uintptr_t> addresses) {
  std::vector<std::shared_ptr<Reach>> dropped;
  const base::MutexLock lock(mutex_);
  dropped = hide_suspended();
  if (pieces_.empty())
    return nullptr;
  const auto &named = names_.at(&dependent).pieces;
  Numbers roots(named.begin(), named.end());
  Numbers own;
  for (const std::uintptr_t address : addresses)
    objects_.for_each_containing(address, [&](std::uint64_t piece) {
      mutex_.assert_held();
      roots.push_back(piece);
      const std::uint64_t invariant = pieces_.at(piece).invariant;
      if (!is_quasi_invariant(invariant))
        own.push_back(invariant);
    });
  if (roots.empty())
    return nullptr;
  for (Numbers *numbers : {&own, &roots}) {
    std::ranges::sort(*numbers);
    const auto repeated = std::ranges::unique(*numbers);
    numbers->erase(repeated.begin(), repeated.end());
  }
  const std::pair key(roots, own);
  if (auto known = reaches_.find(key); known != reaches_.end()) {
    if (is_up_to_date(*known->second))
      return known->second;
    dropped.push_back(drop_reach(*known->second));
  }
  auto reach = std::make_shared<Reach>(*this, roots, std::move(own), ++last_reach_);
  Numbers invariants;
  for (const std::uint64_t root : roots)
    invariants.push_back(pieces_.at(root).invariant);
  std::ranges::sort(invariants);
  relate(*reach, std::move(invariants));
  return reaches_[key] = std::move(reach);
}

void Registry::add(Dependent &dependent, std::vector<std::uintptr_t> names) {
  std::ranges::sort(names);
  {
    const base::MutexLock lock(mutex_);
    Names &mine = names_[&dependent];
    mine.addresses = std::move(names);
    for (const auto &[number, piece] : pieces_)
      if (is_held(piece.invariant) && names_lead_into(mine.addresses, piece.object))
        mine.pieces.insert(number);
  }
  const base::MutexLock lock(dependents_mutex_);
  dependents_.insert(&dependent);
}

void Registry::remove(Dependent &dependent) {
  {
    const base::MutexLock lock(dependents_mutex_);
    dependents_.erase(&dependent);
  }
  const base::MutexLock lock(mutex_);
  names_.erase(&dependent);
}

} // namespace sartor::runtime
