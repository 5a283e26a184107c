// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_VERIFIER_H
#define SARTOR_RUNTIME_VERIFY_VERIFIER_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sartor/runtime.hpp>

#include "base/text/json.h"
#include "base/thread/futex.h"
#include "base/thread/mutex.h"
#include "base/thread/thread.h"
#include "core/cache/shared_cache.h"
#include "core/compiler/comparability.h"
#include "core/quarantine/quarantine.h"
#include "runtime/entries.h"
#include "runtime/jit/worker.h"
#include "runtime/verify/capture_call.h"
#include "runtime/verify/crash_marker.h"
#include "runtime/verify/not_compared.h"
#include "runtime/verify/stub_images.h"

namespace sartor {

namespace runtime {

/// Comparisons of a handler's calls with the native code, as operators see them, those of its
/// bindings included.
struct HandlerComparisons {
  std::optional<core::Comparability> how; ///< Empty while it is not decided.
  std::uint64_t compared = 0;             ///< Calls.
  std::uint64_t differences = 0;          ///< Variants that differed.
  std::uint64_t quarantined = 0; ///< Requests that failed because their variant is quarantined.
};

} // namespace runtime

/// Has the calls of a runtime's entries compared with the native code, within the budget of
/// Options::verify, and takes variants that differ out of service. Its functions are called with
/// the runtime's lock held, unless it is said otherwise.
///
/// An entry is routed to its checking stub only while calls are to be compared: in between, calls
/// cost what they cost without verification.
class Verifier {
public:
  explicit Verifier(Runtime::Impl &owner) : owner_(owner) {}

  /// Reads which requests are quarantined on this machine, and has crashes of variants recorded.
  void open();
  /// Null if nothing is compared.
  [[nodiscard]] const std::shared_ptr<core::Quarantine> &quarantine() const { return quarantine_; }
  /// The quarantine of all who share the cache; null if it is not shared.
  [[nodiscard]] const std::shared_ptr<core::SharedCache> &shared_quarantine() const {
    return shared_quarantine_;
  }
  /// A variant has been made.
  void admit(runtime::Variant &variant) const;
  /// Begins to find the stub of an entry with these bound arguments, unless it has one, or nothing
  /// is to be compared. It may be compiled later if it may only come from stores now.
  void prepare(RuntimeEntry &entry, const std::map<unsigned, BoundArgument> &arguments,
               runtime::StubSource source);
  /// The same if the entry's variant was made for another entry, which is gone, and calls of it are
  /// still to be compared. The stub is not compiled.
  void prepare_found(RuntimeEntry &entry, const std::map<unsigned, BoundArgument> &arguments);
  /// An entry's variant has changed.
  void activated(RuntimeEntry &entry);
  /// An entry is about to be destroyed.
  void forget(RuntimeEntry &entry);
  /// True if a variant with this key of the code cache differed in this process.
  [[nodiscard]] bool is_quarantined(const std::string &key) const {
    return quarantined_.contains(key);
  }
  /// Why such a variant is not used again: its failure.
  [[nodiscard]] Failure failure(const std::string &key) const { return quarantined_.at(key); }

  /// The comparison of the first calls of active variants.
  struct FirstCalls {
    bool are_due = false;    ///< There are some that are still to be compared.
    bool is_busy = false;    ///< One is being compared, or the code for it is being made.
    std::uint64_t ticks = 0; ///< Time stamp counter ticks that all comparisons have taken so far.
  };
  [[nodiscard]] FirstCalls first_calls() const;

  /// A request for a variant of this handler failed, because it is quarantined.
  void note_quarantined(const std::string &handler) { ++before_[handler].quarantined; }

  /// The comparisons so far by handler. Empty if nothing is compared.
  [[nodiscard]] std::map<std::string, runtime::HandlerComparisons> comparisons() const;
  /// Adds the calls compared so far, and the variants that differed.
  void count(Statistics &statistics) const;

  /// Ends the thread. To be called without the lock.
  void stop();
  /// In a child process, where the thread does not exist: starts it if there is something to
  /// compare.
  void resume_in_child();

private:
  using Clock = std::chrono::steady_clock;
  /// The difference of a variant that is out of service.
  struct Found {
    nlohmann::ordered_json fields; ///< Of the event.
    std::shared_ptr<const runtime::CapturedCall> call;
  };

  /// A quarantined request that others are to know.
  struct ToShare {
    core::QuarantineEntry entry;
    std::optional<base::ContentKey> asked; ///< See core::Draft::asked.
  };

  void find_stub(RuntimeEntry &entry);
  void start();
  void run();
  /// Returns the time of the next call.
  Clock::time_point serve();
  /// Routes the entry to its stub, or past it, and reports why calls are not compared.
  void route(RuntimeEntry &entry, bool is_traced);
  void route_all();
  /// True if calls of an entry are to be compared now, or its variant differs.
  [[nodiscard]] bool wants_stub(const RuntimeEntry &entry) const;
  /// Writes a directory and an event. To be called without the lock.
  void record(Found found) const;
  /// Shares a quarantined request with others. To be called without the lock.
  void share(const ToShare &quarantined) const;
  void take_out(RuntimeEntry &entry, const runtime::CallChecker::DifferentBytes &found);
  [[nodiscard]] RuntimeEntry *next_to_arm();
  void sample(Clock::time_point now);
  [[nodiscard]] std::chrono::nanoseconds spent() const;

  Runtime::Impl &owner_;
  base::Bell bell_;
  std::atomic<bool> stops_ = false;
  base::Thread thread_;
  std::vector<RuntimeEntry *> entries_; ///< Those with a checker.
  std::shared_ptr<core::Quarantine> quarantine_;
  std::shared_ptr<core::SharedCache> shared_quarantine_;
  std::optional<runtime::CrashMarker> crashes_;
  std::vector<core::QuarantineEntry> to_add_;  ///< To the quarantine, without the lock.
  std::vector<ToShare> to_share_;              ///< Without the lock.
  std::vector<Found> to_record_;               ///< Without the lock.
  std::map<std::string, Failure> quarantined_; ///< By key.
  NotComparedEvents not_compared_;
  bool aborts_ = false; ///< At a difference.
  const std::shared_ptr<runtime::StubImages> stubs_ = std::make_shared<runtime::StubImages>();
  const std::shared_ptr<runtime::CheckerShare> share_ = std::make_shared<runtime::CheckerShare>();
  /// By handler; `compared` is of entries that do not exist any more.
  std::map<std::string, runtime::HandlerComparisons> before_;

  RuntimeEntry *armed_ = nullptr; ///< Its next call is compared.
  std::size_t turn_ = 0;
  std::uint64_t ticks_before_ = 0; ///< Of the armed entry's checker, when it was armed.
  std::chrono::nanoseconds spent_before_{};
  Clock::time_point armed_until_;
  Clock::time_point next_; ///< The next entry is armed.
  std::chrono::nanoseconds idle_{};
};

} // namespace sartor

#endif
