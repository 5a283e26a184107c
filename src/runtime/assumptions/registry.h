// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_REGISTRY_H
#define SARTOR_RUNTIME_ASSUMPTIONS_REGISTRY_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/thread/mutex.h"
#include "core/request/invariant_memory.h"
#include "runtime/assumptions/extent_index.h"
#include "runtime/assumptions/reach.h"
#include "runtime/dispatch/holding.h"
#include "runtime/dispatch/variant.h"

namespace sartor::runtime {

/// Code that was deactivated.
struct Deactivated {
  std::vector<VariantRef> code; ///< Threads may still be inside.
  /// The code that is active now depends on fewer invariants than it could.
  bool could_be_better = false;
};

/// An owner of code that depends on invariants.
class Dependent {
public:
  virtual ~Dependent() = default;
  /// Deactivates all code that depends on this invariant, and activates code that does not. Threads
  /// may still be inside the old code when this returns. New calls may be held, if `holding` asks
  /// for it, until better code has been made.
  virtual Deactivated deactivate(std::uint64_t invariant, const Holding &holding) = 0;
  /// Called when deactivated code that depends on this invariant can never be used again.
  virtual void forget(std::uint64_t invariant) = 0;
  /// Called when quasi-invariants have become valid again or were invalidated: there may be better
  /// code than the active one.
  virtual void look_again() = 0;
  /// Called when an Invariant was destroyed within a handler, so that the threads inside were not
  /// waited for.
  virtual void not_waited_for(std::uint64_t invariant) = 0;
};

/// The lifetime of an invariant.
enum class Lasting : unsigned char {
  until_revoked, ///< It ends when it is revoked.
  while_valid,   ///< A quasi-invariant: it may be invalidated and become valid again.
};

/// All invariants about memory in this process. An invariant has a number that is never used again,
/// and consists of pieces, which have numbers too. A piece is a range of bytes and the object that
/// contains it. Pointers into the object reach the piece; only its bytes are invariant.
/// Thread-safe.
class Registry {
public:
  static Registry &instance();

  /// Adds a piece to an invariant, or to a new one if `to` is 0 or is not known any more. A new
  /// quasi-invariant is suspended at first; pieces are added while it is. Returns the invariant's
  /// number. Fails with bad_invariant.
  Result<std::uint64_t> declare(std::uint64_t to, core::Extent object, core::Extent part,
                                Lasting lasting = Lasting::until_revoked);
  /// True if the number is, or was, a quasi-invariant's.
  static bool is_quasi_invariant(std::uint64_t invariant) { return invariant % 2 == 1; }

  [[nodiscard]] bool has_quasi_invariants() const {
    return quasi_invariants_.load(std::memory_order_relaxed) != 0;
  }

  /// The result of suspend().
  struct Suspended {
    bool held = false;
    bool could_be_better = false; ///< look_again() would lead to better code than the active one.
  };
  /// Suspends a quasi-invariant, otherwise as revoke().
  Suspended suspend(std::uint64_t quasi_invariant, const Holding &holding = {});
  /// Makes a quasi-invariant valid again. If its memory still has the content that code was made
  /// from, it keeps its number, and that code is valid again. Otherwise, or if `anew`, it gets
  /// another number, which is returned, and the code is forgotten. No thread may write to the
  /// memory meanwhile. Fails with unreadable_memory, or with bad_invariant if it is not known.
  Result<std::uint64_t> resume(std::uint64_t quasi_invariant, bool anew);
  /// Returns the first bytes of a quasi-invariant's memory that differ from the content that code
  /// was made from; nullopt if none do. Fails as resume() does.
  Result<std::optional<core::Extent>> changed_part(std::uint64_t quasi_invariant);
  /// Returns the valid invariants except quasi-invariants.
  [[nodiscard]] std::vector<std::uint64_t> valid_invariants() const;
  /// Makes all dependents check whether there is better code than the active one.
  void look_again();

  /// Revokes an invariant and makes every dependent deactivate the code that depends on it. Does
  /// not wait for threads that are inside: one of the next two functions must follow. Returns false
  /// if it was not valid.
  bool revoke(std::uint64_t invariant);
  /// Waits until no thread is inside code that depended on a revoked invariant, or reads its
  /// memory. Must not be called within a handler.
  void wait_until_over(std::uint64_t invariant) SARTOR_EXCLUDES(base::any_mutex);
  /// Called by a thread that has waited itself; it has not waited for blocked threads unless
  /// `is_unused`.
  void note_over(std::uint64_t invariant, bool is_unused) SARTOR_EXCLUDES(base::any_mutex);
  /// Schedules note_over() for the time when no thread is inside any more.
  void note_when_over(std::uint64_t invariant);
  [[nodiscard]] bool is_over(std::uint64_t invariant) const;
  /// Reports to the dependents that an Invariant was destroyed within a handler.
  void report_not_waited_for(std::uint64_t invariant);

  [[nodiscard]] bool are_valid(std::span<const std::uint64_t> invariants) const;
  /// The number of invariants that were revoked, and of quasi-invariants that were suspended.
  [[nodiscard]] std::uint64_t revocations() const { return revocations_; }
  /// False if one has been revoked, or has become valid again under another number.
  [[nodiscard]] bool know(std::span<const std::uint64_t> invariants) const;
  [[nodiscard]] bool valid(std::uint64_t invariant) const { return are_valid({&invariant, 1}); }

  /// Returns the memory that can be reached from `addresses`, and from the variables that the
  /// dependent names; null if there is none. Returns the same object again if no relevant invariant
  /// was declared or revoked meanwhile.
  std::shared_ptr<Reach> reach(const Dependent &dependent,
                               std::span<const std::uintptr_t> addresses);

  /// Adds a dependent. Must not be called with a lock held that deactivate() takes. `names` are
  /// addresses of the variables and functions that its code may refer to.
  void add(Dependent &dependent, std::vector<std::uintptr_t> names);
  void remove(Dependent &dependent);

private:
  friend class Reach;

  /// The content of a piece, read once.
  struct Content {
    std::shared_ptr<const std::string> bytes;
    std::vector<std::uintptr_t> words; ///< The words in it that may be pointers, sorted.
  };
  struct Piece {
    std::uint64_t invariant;
    core::Extent object;
    core::Extent part;
    std::shared_ptr<const Content> content; ///< Null until it is first needed.
    /// The position in the order in which pieces became valid; 0 if it is not valid.
    std::uint64_t shown = 0;
  };
  struct InvariantEntry {
    std::vector<std::uint64_t> pieces;
    bool is_suspended = false;
    unsigned suspensions = 0;
    std::uint64_t stamp = base::stamp(); ///< No code depended on it before this time.
  };
  struct Names {
    std::vector<std::uintptr_t> addresses; ///< Sorted.
    std::set<std::uint64_t> pieces;        ///< The pieces that the names lead to.
  };
  using Numbers = std::vector<std::uint64_t>;

  /// Finds and reads the memory that can be reached. No lock is held for long.
  Result<core::Reached> read(Reach &reach);
  Result<Numbers> find_reached(const Reach &reach);
  [[nodiscard]] Numbers invariants_of(std::span<const std::uint64_t> pieces) const;
  Result<void> read_pieces(std::span<const std::uint64_t> pieces);
  /// Returns null if the piece does not exist or is not valid now.
  [[nodiscard]] const Piece *holding(std::uint64_t piece) const SARTOR_REQUIRES(mutex_);
  [[nodiscard]] bool is_held(std::uint64_t invariant) const SARTOR_REQUIRES(mutex_);
  void show(std::uint64_t number) SARTOR_REQUIRES(mutex_);
  void hide(std::uint64_t number) SARTOR_REQUIRES(mutex_);
  void drop(std::uint64_t invariant) SARTOR_REQUIRES(mutex_);
  /// Hides quasi-invariants that were suspended since the last call, which a suspending writer does
  /// not wait for. Must precede any search for hidden or shown pieces. The caller frees the result.
  [[nodiscard]] std::vector<std::shared_ptr<Reach>> hide_suspended() SARTOR_REQUIRES(mutex_);
  /// Returns whether the code that is active now could be better.
  bool deactivate(std::uint64_t invariant, const Holding &holding)
      SARTOR_REQUIRES(dependents_mutex_) SARTOR_EXCLUDES(mutex_);
  /// Called when no thread is inside the deactivated code any more; returns that code.
  std::vector<VariantRef> end(std::uint64_t invariant);
  /// True if no newer piece can be reached from it.
  [[nodiscard]] bool is_up_to_date(Reach &reach) const SARTOR_REQUIRES(mutex_);
  /// Records that a member of `reaches_` consists of these invariants.
  void relate(Reach &reach, Numbers invariants) SARTOR_REQUIRES(mutex_);
  /// These take unwanted members out of `reaches_`; the caller frees the result.
  std::shared_ptr<Reach> drop_reach(const Reach &unwanted) SARTOR_REQUIRES(mutex_);
  std::vector<std::shared_ptr<Reach>> drop_reaches_of(std::uint64_t invariant)
      SARTOR_REQUIRES(mutex_);
  std::vector<std::shared_ptr<Reach>> drop_unused_reaches() SARTOR_REQUIRES(mutex_);

  std::atomic<std::uint64_t> revocations_ = 0;
  mutable base::Mutex mutex_;
  std::map<std::uint64_t, Piece> pieces_ SARTOR_GUARDED_BY(mutex_);
  ExtentIndex objects_ SARTOR_GUARDED_BY(mutex_); ///< Valid pieces, by their objects.
  /// Valid pieces, in the order in which they became valid.
  std::map<std::uint64_t, std::uint64_t> shown_ SARTOR_GUARDED_BY(mutex_);
  /// Suspended quasi-invariants whose pieces are still in `objects_`.
  Numbers suspended_ SARTOR_GUARDED_BY(mutex_);
  std::unordered_map<std::uint64_t, InvariantEntry> invariants_ SARTOR_GUARDED_BY(mutex_);
  /// Revoked or suspended invariants, and the deactivated code that threads may still be inside.
  std::map<std::uint64_t, std::vector<VariantRef>> not_over_ SARTOR_GUARDED_BY(mutex_);
  std::map<const Dependent *, Names> names_ SARTOR_GUARDED_BY(mutex_);
  /// Keyed by their roots and the invariants of the bound objects.
  std::map<std::pair<Numbers, Numbers>, std::shared_ptr<Reach>> reaches_ SARTOR_GUARDED_BY(mutex_);
  /// The members of `reaches_`, by their invariants.
  std::set<std::pair<std::uint64_t, const Reach *>> reaches_of_ SARTOR_GUARDED_BY(mutex_);
  std::size_t kept_ SARTOR_GUARDED_BY(mutex_) = 0; ///< The total size of `reaches_`.
  std::atomic<std::size_t> quasi_invariants_ = 0;  ///< The number of quasi-invariants.
  std::uint64_t last_invariant_ SARTOR_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_piece_ SARTOR_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_reach_ SARTOR_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_shown_ SARTOR_GUARDED_BY(mutex_) = 0;

  base::Mutex dependents_mutex_; ///< Held while dependents are notified.
  std::set<Dependent *> dependents_ SARTOR_GUARDED_BY(dependents_mutex_);
};

} // namespace sartor::runtime

#endif
