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

#include "base/mutex.h"
#include "base/result.h"
#include "core/request/promised_memory.h"
#include "runtime/assumptions/extent_index.h"
#include "runtime/assumptions/reach.h"
#include "runtime/dispatch/holding.h"
#include "runtime/dispatch/variant.h"

namespace sartor::runtime {

/// What went out of force.
struct TakenOut {
  std::vector<VariantRef> code; ///< Threads may still be inside.
  bool could_be_better = false; ///< What remains leans on less than it could.
};

/// Whoever has code that leans on promises.
class Dependent {
public:
  virtual ~Dependent() = default;
  /// Takes all code out of force that leans on this promise, and puts in force what does not.
  /// Threads may still be inside when this returns.
  /// New calls may be held, if that is wanted, while something better can be made.
  virtual TakenOut take_out(std::uint64_t promise, const Holding &holding) = 0;
  /// Code that leans on this promise, which has been taken out, is of no use any more.
  virtual void forget(std::uint64_t promise) = 0;
  /// Facts have come to hold again, or have broken: there may be better code than what is in force.
  virtual void look_again() = 0;
  /// An Invariant was destroyed within a handler, so that nobody has waited for the threads inside.
  virtual void not_waited_for(std::uint64_t promise) = 0;
};

/// How long a promise is good for.
enum class Lasting : unsigned char {
  until_withdrawn, ///< Then it is gone.
  while_it_holds,  ///< A fact: it may break, and hold again.
};

/// All promises about memory in this process. A promise, with a number that is never used
/// again, is made of pieces, which have numbers too: bytes, and the object of which they are a
/// part. Pointers into the object reach the piece; only its bytes are invariant. Thread-safe.
class Registry {
public:
  static Registry &instance();

  /// Adds a piece to a promise, or to a new one if `to` is 0 or is not known any more. A new fact
  /// is suspended at first; pieces are added while it is. Returns the promise's number. Fails with
  /// bad_invariant.
  Result<std::uint64_t> promise(std::uint64_t to, core::Extent object, core::Extent part,
                                Lasting lasting = Lasting::until_withdrawn);
  /// Whether a number is, or was, a fact's.
  static bool is_fact(std::uint64_t promise) { return promise % 2 == 1; }

  [[nodiscard]] bool has_facts() const { return facts_.load(std::memory_order_relaxed) != 0; }

  /// What became of a fact that was to be suspended.
  struct Suspended {
    bool held = false;
    bool could_be_better = false; ///< look_again() would have better code made than what remains.
  };
  /// A fact does not hold any more, for now: otherwise as withdraw().
  Suspended suspend(std::uint64_t fact, const Holding &holding = {});
  /// Lets a fact hold again. If its memory is still what code was made from, so is its number, and
  /// that code is valid again. Otherwise, or if `anew`, it has another number from then on, which
  /// is returned, and the code is forgotten. Nobody may write to the memory meanwhile. Fails with
  /// unreadable_memory, bad_invariant if it is not known.
  Result<std::uint64_t> resume(std::uint64_t fact, bool anew);
  /// The first bytes of a fact's memory that are not what code was made from; nothing if all are.
  /// Fails as resume() does.
  Result<std::optional<core::Extent>> changed_part(std::uint64_t fact);
  /// But for facts.
  [[nodiscard]] std::vector<std::uint64_t> promises_that_hold() const;
  /// Has all dependents look whether there is better code than what is in force.
  void look_again();

  /// Takes a promise back, and has every dependent take out what leans on it. Does not wait for
  /// threads that are inside: one of the next two must follow. Returns false if it did not hold.
  bool withdraw(std::uint64_t promise);
  /// Waits until no thread is inside what leant on a promise that was taken back, or reads its
  /// memory. Not from within a handler.
  void wait_until_over(std::uint64_t promise) SARTOR_EXCLUDES(base::any_mutex);
  /// By who has waited so himself, but for threads that are blocked unless it `is_unused`.
  void note_over(std::uint64_t promise, bool is_unused) SARTOR_EXCLUDES(base::any_mutex);
  /// Has that noted when it has come to be so.
  void note_when_over(std::uint64_t promise);
  [[nodiscard]] bool is_over(std::uint64_t promise) const;
  /// Tells the dependents that an Invariant was destroyed within a handler.
  void tell_not_waited_for(std::uint64_t promise);

  [[nodiscard]] bool hold(std::span<const std::uint64_t> promises) const;
  /// Whether none has been withdrawn, or has come to hold again by another number.
  [[nodiscard]] bool know(std::span<const std::uint64_t> promises) const;
  [[nodiscard]] bool holds(std::uint64_t promise) const { return hold({&promise, 1}); }

  /// What can be reached from `addresses`, and from what the dependent names; null if that is
  /// nothing. The same again if nothing that could make a difference has been promised or taken
  /// back meanwhile.
  std::shared_ptr<Reach> reach(const Dependent &dependent,
                               std::span<const std::uintptr_t> addresses);

  /// Not with a lock held that take_out() takes. `names` are addresses of the variables and
  /// functions that its code may refer to.
  void add(Dependent &dependent, std::vector<std::uintptr_t> names);
  void remove(Dependent &dependent);

private:
  friend class Reach;

  /// What a piece holds, read once.
  struct Content {
    std::shared_ptr<const std::string> bytes;
    std::vector<std::uintptr_t> words; ///< What may be pointers in it, sorted.
  };
  struct Piece {
    std::uint64_t promise;
    core::Extent object;
    core::Extent part;
    std::shared_ptr<const Content> content; ///< Null before somebody has needed it.
    std::uint64_t shown = 0; ///< The how manieth that came to hold it was; 0 if it does not.
  };
  struct Promise {
    std::vector<std::uint64_t> pieces;
    bool is_suspended = false;
    unsigned suspensions = 0;
    std::uint32_t stamp = base::stamp(); ///< Nothing leant on it before.
  };
  struct Names {
    std::vector<std::uintptr_t> addresses; ///< Sorted.
    std::set<std::uint64_t> pieces;        ///< To which they lead.
  };
  using Numbers = std::vector<std::uint64_t>;

  /// Finds and reads what can be reached. No lock is held for long.
  Result<core::Reached> read(Reach &reach);
  Result<Numbers> find_reached(const Reach &reach);
  [[nodiscard]] Numbers promises_of(std::span<const std::uint64_t> pieces) const;
  Result<void> read_pieces(std::span<const std::uint64_t> pieces);
  /// Null for what is not there, or does not hold now.
  [[nodiscard]] const Piece *holding(std::uint64_t piece) const SARTOR_REQUIRES(mutex_);
  [[nodiscard]] bool is_held(std::uint64_t promise) const SARTOR_REQUIRES(mutex_);
  void show(std::uint64_t number) SARTOR_REQUIRES(mutex_);
  void hide(std::uint64_t number) SARTOR_REQUIRES(mutex_);
  void drop(std::uint64_t promise) SARTOR_REQUIRES(mutex_);
  /// Hides what was suspended since the last time, which a writer does not wait for: before
  /// anything that is hidden or shown is looked for. Whoever has the result frees it.
  [[nodiscard]] std::vector<std::shared_ptr<Reach>> hide_suspended() SARTOR_REQUIRES(mutex_);
  /// Returns whether what remains could be better.
  bool take_out(std::uint64_t promise, const Holding &holding) SARTOR_REQUIRES(dependents_mutex_)
      SARTOR_EXCLUDES(mutex_);
  /// Nobody is inside any more of what went out of force, which is returned.
  std::vector<VariantRef> end(std::uint64_t promise);
  /// What has been read of a fact is still there.
  [[nodiscard]] bool is_up_to_date(Reach &reach) const SARTOR_REQUIRES(mutex_);
  /// One that is in `reaches_` consists of these.
  void relate(Reach &reach, Numbers promises) SARTOR_REQUIRES(mutex_);
  /// Take what is unwanted out of `reaches_`; whoever has the result frees it.
  std::shared_ptr<Reach> drop_reach(const Reach &unwanted) SARTOR_REQUIRES(mutex_);
  std::vector<std::shared_ptr<Reach>> drop_reaches_of(std::uint64_t promise)
      SARTOR_REQUIRES(mutex_);
  std::vector<std::shared_ptr<Reach>> drop_unused_reaches() SARTOR_REQUIRES(mutex_);

  mutable base::Mutex mutex_;
  std::map<std::uint64_t, Piece> pieces_ SARTOR_GUARDED_BY(mutex_);
  ExtentIndex objects_ SARTOR_GUARDED_BY(mutex_); ///< Pieces that hold, by their objects.
  /// Those, as they came to hold.
  std::map<std::uint64_t, std::uint64_t> shown_ SARTOR_GUARDED_BY(mutex_);
  Numbers suspended_ SARTOR_GUARDED_BY(mutex_); ///< Facts whose pieces are still among them.
  std::unordered_map<std::uint64_t, Promise> promises_ SARTOR_GUARDED_BY(mutex_);
  /// Taken back or suspended, with threads perhaps inside of what went out of force.
  std::map<std::uint64_t, std::vector<VariantRef>> not_over_ SARTOR_GUARDED_BY(mutex_);
  std::map<const Dependent *, Names> names_ SARTOR_GUARDED_BY(mutex_);
  std::map<Numbers, std::shared_ptr<Reach>> reaches_ SARTOR_GUARDED_BY(mutex_); ///< By their roots.
  /// By their promises.
  std::set<std::pair<std::uint64_t, const Reach *>> reaches_of_ SARTOR_GUARDED_BY(mutex_);
  std::size_t kept_ SARTOR_GUARDED_BY(mutex_) = 0; ///< The sizes of those, together.
  std::atomic<std::size_t> facts_ = 0;             ///< How many there are.
  std::uint64_t last_promise_ SARTOR_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_piece_ SARTOR_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_reach_ SARTOR_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_shown_ SARTOR_GUARDED_BY(mutex_) = 0;

  base::Mutex dependents_mutex_; ///< Held while dependents are told.
  std::set<Dependent *> dependents_ SARTOR_GUARDED_BY(dependents_mutex_);
};

} // namespace sartor::runtime

#endif
