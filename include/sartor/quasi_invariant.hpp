// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_QUASI_INVARIANT_HPP
#define SARTOR_QUASI_INVARIANT_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <sartor/error.hpp>
#include <sartor/invariant.hpp>

namespace sartor {

namespace runtime {
class QuasiInvariantState;
struct QuasiInvariantStateOf;
} // namespace runtime

/// Options of a quasi-invariant. All functions are called on threads of the program or of Sartor,
/// one at a time for one quasi-invariant, with no lock of Sartor's held. `refuse` and `reinforce`
/// may do everything that the program's threads may, except destroy the quasi-invariant: write
/// under guards, also of the same quasi-invariant, which invalidates it; call, specialize, fork.
/// `validate` may call handlers; it must not request or wait. Durations of more than ten years
/// count as ten years.
struct QuasiInvariantOptions {
  /// Returns whether the quasi-invariant is valid, apart from writes to its memory: called before
  /// code is built on it. An exception means false. If empty, it is valid while no thread writes.
  std::function<bool()> validate;
  /// Called by a writer before it stores. True: the store is refused, and skipped.
  std::function<bool(void *address, std::size_t size)> refuse;
  /// Called by a writer before it stores. True: the program has reacted in another way (has written
  /// a copy, a rule) so that the quasi-invariant stays valid, and the store is skipped. False, or
  /// an exception: the quasi-invariant is invalidated. Cannot be combined with `refuse`.
  std::function<bool(void *address, std::size_t size)> reinforce;
  /// True: writers do not wait for calls under way, which may use the folded values until they
  /// return. Within handlers, writers never wait.
  bool deferred = false;
  /// Maximum time, after an invalidation, for which calls that begin wait for better code, instead
  /// of running the less specialized variant; they wait only if better code could be made. Calls
  /// within other handlers, and on the thread that invalidates it, do not wait. Zero: no call
  /// waits.
  std::chrono::nanoseconds hold_callers{};
  /// Time without writes before code is built on it again; doubled each time that it is invalidated
  /// soon afterwards, up to `longest_back_off`.
  std::chrono::nanoseconds back_off = std::chrono::milliseconds(10);
  std::chrono::nanoseconds longest_back_off = std::chrono::seconds(10);
  /// Interval at which its memory is compared, in the background, with the folded content while it
  /// is valid. This finds writers that pass no guard. If it differs, the event log lists the bytes
  /// (`quasi_invariant_changed_unseen`), and it is invalidated without waiting. Zero: never.
  std::chrono::nanoseconds check_every{};
  /// True: writers that pass no guard are detected too. The pages of its memory are write-protected
  /// while it is valid, and a write to any of them invalidates it as a write guard does. Best for
  /// memory that has pages of its own, and without `refuse` and `reinforce`: the store is already
  /// under way.
  bool protect_pages = false;
};

/// Counters of a quasi-invariant.
struct QuasiInvariantFigures {
  std::uint64_t invalidated = 0; ///< Writes that deactivated code.
  std::uint64_t refused = 0;     ///< Writes that were skipped because the program refused them.
  std::uint64_t reinforced = 0;  ///< Writes that were skipped: the program reacted otherwise.
  std::uint64_t held = 0;        ///< Number of times that it became valid, including the first.
  std::uint64_t unseen = 0;      ///< Detected changes by writers that passed no guard.
  std::uint64_t page_faults = 0; ///< Writes that were stopped at a protected page.
  std::uint64_t neighbours = 0;  ///< Those of `page_faults` that wrote to other memory of the page.
  /// Time from the write guard until the writer may store, in nanoseconds: the sum over all
  /// invalidations, and the longest.
  std::uint64_t invalidation_nanoseconds = 0;
  std::uint64_t longest_invalidation_nanoseconds = 0;
  std::uint64_t held_callers = 0;       ///< Calls that waited, see `hold_callers`.
  std::uint64_t valid_nanoseconds = 0;  ///< Total time for which it has been valid.
  std::uint64_t made = 0;               ///< Variants that depend on it.
  std::uint64_t making_nanoseconds = 0; ///< Total time to make these variants.
  std::chrono::nanoseconds back_off{};  ///< The current value.
  /// True if the compiler has placed guards at stores to all of its memory (watch.h), in the files
  /// that were compiled so. If false, writers must pass guards by hand.
  bool watched = false;
};

/// Declares that some named memory usually does not change: an invariant that may be violated.
/// While it is valid, its memory is folded into variants like that of an Invariant. A writer of the
/// memory passes a write guard first (Write; or one that the compiler has placed, watch.h): code
/// that depends on it is deactivated, in favor of the best variant that does not, and no thread is
/// in that code any more when the writer stores. After some time without writes, it is valid again,
/// with the new content; specialized handlers and bindings get the better code again without a new
/// request.
///
/// Becomes valid shortly after it is declared, in the background. Movable; owns the declaration,
/// not the memory, which may be freed once this is destroyed. Thread-safe, except for moving and
/// adding. (C. Pu et al., "Optimistic Incremental Specialization", SOSP 1995.)
class QuasiInvariant {
public:
  /// Declares no memory yet. Throws bad_invariant if options contradict each other.
  explicit QuasiInvariant(std::string name, QuasiInvariantOptions options = {});
  /// Like Invariant::invalidate(), outside of handlers; within a handler, like Invariant's
  /// destructor.
  ~QuasiInvariant();
  QuasiInvariant(QuasiInvariant &&) noexcept;
  QuasiInvariant &operator=(QuasiInvariant &&) noexcept;

  /// See Invariant::add(), add_part(), add_fields(). Adding memory invalidates it for a moment.
  void add(const void *memory, std::size_t size) { add_part(memory, size, memory, size); }
  void add_part(const void *object, std::size_t object_size, const void *part, std::size_t size);
  template <class T, class... Fields> void add_fields(const T &object, Fields... fields) {
    (detail::declare_field(*this, object, fields), ...);
  }

  [[nodiscard]] const std::string &name() const noexcept;
  /// True while variants may be built on it.
  [[nodiscard]] bool valid() const noexcept;
  /// Waits until it is valid, for at most `at_most`; returns true if it is. It may be invalidated
  /// again at once.
  bool wait_until_valid(std::chrono::nanoseconds at_most) const; // NOLINT(modernize-use-nodiscard)
  [[nodiscard]] QuasiInvariantFigures figures() const;

private:
  friend class Write;
  friend struct runtime::QuasiInvariantStateOf;
  std::shared_ptr<runtime::QuasiInvariantState> quasi_invariant_;
};

/// A write guard: `if (sartor::Write write(no_sharing); write) file.shared = 1;`. While a guard
/// exists, its quasi-invariant is not valid, nor are others about some of its memory; the
/// quasi-invariant must outlive the guard. Costs an atomic addition if it is not valid anyway. May
/// be nested, be open while the process forks, and be used within handlers, where it does not wait
/// for calls under way, in signal handlers, and in destructors of thread-local and static objects.
/// Must be destroyed on the thread that has created it.
class Write {
public:
  /// Guards all memory of a quasi-invariant.
  explicit Write(const QuasiInvariant &quasi_invariant);
  ~Write();
  Write(const Write &) = delete;
  Write &operator=(const Write &) = delete;

  /// False: the program refused the write, or has reacted in another way. Skip the write.
  explicit operator bool() const noexcept { return quasi_invariant_ != nullptr; }

private:
  struct Overlapping;

  runtime::QuasiInvariantState *quasi_invariant_ = nullptr;
  bool unasked_ = false; ///< True if no variant depended on it, so the guard needed no permission.
  unsigned char handed_ = 255; ///< Number of the pending write, if a signal handler handed the
                               ///< invalidation over; 255: none.
  std::unique_ptr<Overlapping> overlapping_; ///< Null if its memory is in no other quasi-invariant.
};

/// The quasi-invariant about a variable that is declared in a file of declarations
/// (docs/guides/declarations.md), by its name there: `threaded`, `settings.mode`. The caller can
/// read its figures and state, wait for it, weigh it, and guard writes to it. It exists while a
/// Runtime or the returned pointer exists. If several libraries have a variable of this name, it is
/// the first. Throws bad_invariant if no quasi-invariant is declared by that name. Thread-safe.
[[nodiscard]] std::shared_ptr<const QuasiInvariant> declared_quasi_invariant(std::string_view name);

} // namespace sartor

#endif
