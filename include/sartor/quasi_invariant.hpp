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
class Fact;
struct FactOf;
} // namespace runtime

/// How a fact is treated. All functions are called on threads of the program's or of Sartor's, one
/// at a time for one fact, with no lock of Sartor's held. `refuse` and `reinforce` may do all that
/// the program's threads may, but destroy the fact: write by guards, also by the same fact's, which
/// breaks it; call, specialize, fork. `holds` may call handlers; it may not request or wait.
/// Durations of more than ten years are ten years.
struct QuasiInvariantOptions {
  /// Whether the fact holds, beyond that its memory is not written to: asked before code is built
  /// on it. An exception is a no. Without one, it holds while nobody writes.
  std::function<bool()> holds;
  /// Asked by a writer before it stores. True: what was to be stored is refused, and left out.
  std::function<bool(void *address, std::size_t size)> refuse;
  /// Asked by a writer before it stores. True: the program has done otherwise (has written a copy,
  /// a rule) so that the fact stays true, and what was to be stored is left out. False, or an
  /// exception: the fact breaks. Not together with `refuse`.
  std::function<bool(void *address, std::size_t size)> reinforce;
  /// Writers do not wait for calls under way, which may go on with what was folded until they
  /// return. So it is within handlers, whatever this says.
  bool deferred = false;
  /// When it breaks, and better code could be made than what remains: calls that begin wait for
  /// that code, until so long after the break, instead of running what remains. Within other
  /// handlers, and on the thread that breaks it, calls do not wait. Zero: nobody waits.
  std::chrono::nanoseconds hold_callers{};
  /// So long nobody may have written before code is built on it again; twice as long each time that
  /// it breaks soon afterwards, up to the second.
  std::chrono::nanoseconds back_off = std::chrono::milliseconds(10);
  std::chrono::nanoseconds longest_back_off = std::chrono::seconds(10);
  /// To find writers that pass no guard: so often, while the fact holds, its memory is compared in
  /// the background with what was folded. Where it differs, the event log says which bytes
  /// (`fact_changed_unseen`), and the fact breaks without waiting. Never if it is zero.
  std::chrono::nanoseconds check_every{};
  /// Writers that pass no guard are seen, too: the pages of its memory are write-protected while it
  /// holds, and a write to any of them breaks it as a write guard does. Best for memory that has
  /// pages of its own, and with neither `refuse` nor `reinforce`: by then, the store is under way.
  bool protect_pages = false;
};

/// What has become of a fact so far.
struct QuasiInvariantFigures {
  std::uint64_t broken = 0;      ///< Writes that took code out of force.
  std::uint64_t refused = 0;     ///< Writes left out because the program refused them.
  std::uint64_t reinforced = 0;  ///< Writes left out because the program has done otherwise.
  std::uint64_t held = 0;        ///< Times that it came to hold, the first included.
  std::uint64_t unseen = 0;      ///< Changes by writers that passed no guard, which were found.
  std::uint64_t page_faults = 0; ///< Writes that were stopped at a protected page.
  std::uint64_t neighbours = 0;  ///< Of these, by a write to what the fact is not about.
  /// Of breaks, from the write guard until the writer may store, in nanoseconds: all, and the
  /// longest.
  std::uint64_t breaking_nanoseconds = 0;
  std::uint64_t longest_break_nanoseconds = 0;
  std::uint64_t held_callers = 0;        ///< Calls that waited, see `hold_callers`.
  std::uint64_t holding_nanoseconds = 0; ///< For so long it has held, all together.
  std::uint64_t made = 0;                ///< Variants that lean on it.
  std::uint64_t making_nanoseconds = 0;  ///< What these have taken to be made.
  std::chrono::nanoseconds back_off{};   ///< At present.
  /// Whether the compiler has placed guards at stores to all that it is about (watch.h), in those
  /// files that were compiled so. Without that, writers have to pass guards by hand.
  bool watched = false;
};

/// A named fact about memory that usually does not change: a promise that may be broken. While it
/// holds, its memory folds into variants as that of an Invariant does. Whoever changes the memory
/// passes a write guard first (Write; or one that the compiler has placed, watch.h): code built on
/// the fact goes out of force, in favour of the best that does not lean on it, and no thread is in
/// it any more when the writer stores. When nobody has written for some time, the fact holds again,
/// with what is there then; handlers that were specialized, and bindings, have the better code
/// again without being asked for.
///
/// Facts begin to hold a little after they are declared, in the background. Movable; owns the fact,
/// not the memory, which may be freed once this is destroyed. Thread-safe, but for moving and
/// adding. (C. Pu et al., "Optimistic Incremental Specialization", SOSP 1995.)
class QuasiInvariant {
public:
  /// Nothing is a fact yet. Throws bad_invariant if options contradict.
  explicit QuasiInvariant(std::string name, QuasiInvariantOptions options = {});
  /// As Invariant::invalidate(), if not within a handler; there, as its destructor.
  ~QuasiInvariant();
  QuasiInvariant(QuasiInvariant &&) noexcept;
  QuasiInvariant &operator=(QuasiInvariant &&) noexcept;

  /// As Invariant::add(), add_part(), add_fields(). What is added breaks the fact, for a moment.
  void add(const void *memory, std::size_t size) { add_part(memory, size, memory, size); }
  void add_part(const void *object, std::size_t object_size, const void *part, std::size_t size);
  template <class T, class... Fields> void add_fields(const T &object, Fields... fields) {
    (detail::promise(*this, object, fields), ...);
  }

  [[nodiscard]] const std::string &name() const noexcept;
  /// Whether variants may be built on it now.
  [[nodiscard]] bool holds() const noexcept;
  /// Waits until it does, so long at most; returns whether it does. It may break again at once.
  bool wait_until_holds(std::chrono::nanoseconds at_most) const; // NOLINT(modernize-use-nodiscard)
  [[nodiscard]] QuasiInvariantFigures figures() const;

private:
  friend class Write;
  friend struct runtime::FactOf;
  std::shared_ptr<runtime::Fact> fact_;
};

/// A write guard: `if (sartor::Write write(no_sharing); write) file.shared = 1;`. While one exists,
/// its fact does not hold, nor do others about some of its memory; the fact must live longer. An
/// atomic addition where it does not hold anyway. May be nested, be open while the process forks,
/// and be used within handlers, where it does not wait for calls under way, in signal handlers, and
/// in destructors of thread-local and static objects. Ends on the thread that has made it.
class Write {
public:
  /// Of all memory of a fact.
  explicit Write(const QuasiInvariant &fact);
  ~Write();
  Write(const Write &) = delete;
  Write &operator=(const Write &) = delete;

  /// False: the program refuses the write, or has done otherwise. Leave it out.
  explicit operator bool() const noexcept { return fact_ != nullptr; }

private:
  struct Overlapping;

  runtime::Fact *fact_ = nullptr;
  bool unasked_ = false;                     ///< Nothing leant on it anyway.
  unsigned char handed_ = 255;               ///< In a signal handler, who breaks it.
  std::unique_ptr<Overlapping> overlapping_; ///< Null if no other fact is about its memory.
};

/// The fact about a variable that was declared aside from the source (docs/declarations.md), by the
/// name that it has there: `threaded`, `settings.mode`. Its figures, whether it holds; it can be
/// waited for, weighed, and written to by a guard. It is there while there is a Runtime, and while
/// somebody has this. Of variables of one name, in several libraries, it is the first. Throws
/// bad_invariant where no fact is declared by that name. Thread-safe.
[[nodiscard]] std::shared_ptr<const QuasiInvariant> declared_fact(std::string_view name);

} // namespace sartor

#endif
