// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_CALL_CHECKER_H
#define SARTOR_RUNTIME_VERIFY_CALL_CHECKER_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <x86intrin.h>

#include <sartor/options.hpp>

#include "base/thread/futex.h"
#include "core/compiler/checked_call.h"
#include "core/compiler/comparability.h"
#include "runtime/codemem/code.h"
#include "runtime/dispatch/entry.h"
#include "runtime/jit/worker.h"
#include "runtime/verify/capture_call.h"
#include "runtime/verify/comparison_memory.h"
#include "runtime/verify/isolated_call.h"

namespace sartor::runtime {

/// Limits the time that comparing the first calls of all variants of a runtime takes: programs with
/// thousands of variants would become slow. In ticks of the time stamp counter. Thread-safe.
class FirstCallsLimit {
public:
  /// True if the first calls of more variants are not to be compared now.
  [[nodiscard]] bool is_reached() const {
    const std::uint64_t spent = spent_.load(std::memory_order_relaxed);
    return spent > kFree && (spent - kFree) * kOneIn > __rdtsc() - begin_;
  }
  void spend(std::uint64_t ticks) { spent_.fetch_add(ticks, std::memory_order_relaxed); }

private:
  static constexpr std::uint64_t kFree = 500'000'000; // about 0.2 s
  static constexpr std::uint64_t kOneIn = 50;         // and then 2 % of the time

  const std::uint64_t begin_ = __rdtsc();
  std::atomic<std::uint64_t> spent_ = 0;
};

/// The parts that all checkers of a runtime share.
struct CheckerShare {
  ComparisonMemories memories;
  FirstCallsLimit first_calls;
};

/// Compares calls of an entry's active variant with the native code. While the entry is routed to
/// its stub, each call asks whether it is one to compare: the first calls of a variant, one in
/// `Verification::every`, and the next calls after arm(). The caller gets the native code's result.
///
/// Results that differ are compared again, on copies of the input: the variant is at fault if the
/// native code gives the same result each time and the variant another one.
class CallChecker {
public:
  /// A variant that differs, and may have been released meanwhile.
  struct Culprit {
    std::string name;
    std::string configuration; ///< Its text.
    std::string key;           ///< In the code cache.
    core::QuarantineKey quarantine_key;
    std::optional<base::ContentKey> asked; ///< See core::Draft::asked.
    std::uint64_t compared = 0;            ///< Calls.
  };

  /// The first bytes that differ after a call of a variant and one of the native code.
  struct DifferentBytes {
    Culprit variant = {};
    std::optional<std::uint32_t> parameter; ///< They are behind this one; nullopt: in the result.
    std::uint64_t offset = 0;               ///< In the result, or in the written region.
    std::uint32_t count = 0;                ///< At most eight.
    std::array<std::byte, 8> native{};
    std::array<std::byte, 8> by_variant{};
    std::string reason; ///< Found in a child process: stands for all of these.
    std::shared_ptr<const CapturedCall> call = nullptr; ///< Not null.

    [[nodiscard]] std::string text() const;
  };

  /// `bell` is rung when there is a difference, and when the first calls have been compared, or the
  /// ones after arm(). All references must outlive it. `bound`: the indices of the handler's bound
  /// arguments. `counters`: see IsolationLimits.
  CallChecker(const Entry &entry, const Verification &how, base::Bell &bell,
              std::shared_ptr<CheckerShare> share, std::set<unsigned> bound,
              std::span<const std::uint64_t> counters);
  ~CallChecker() = default;
  CallChecker(const CallChecker &) = delete;
  CallChecker &operator=(const CallChecker &) = delete;

  /// Where the stub may come from. With the runtime's lock held. allow() returns true if a stub was
  /// not found before, and is to be searched for again.
  [[nodiscard]] bool allow(StubSource source);
  [[nodiscard]] StubSource source() const { return source_; }
  /// The symbols of the stub, and the stub itself.
  [[nodiscard]] std::map<std::string, void *, std::less<>> symbols();
  void set_stub(std::unique_ptr<Code> stub, core::Comparability comparability);
  [[nodiscard]] void *stub() const { return stub_ ? stub_->entry() : nullptr; }
  /// No stub will be made, or none of the calls can be compared.
  /// `error`: the code of the failure, if the stub could not be made.
  void refuse(core::NotCompared code, std::string reason, std::optional<ErrorCode> error = {});
  /// How calls are compared; nullopt while that is not decided. With the runtime's lock held.
  [[nodiscard]] std::optional<core::Comparability> comparability() const;
  /// The reason why calls are not compared, if they are not.
  [[nodiscard]] std::optional<std::string> refusal() const;
  [[nodiscard]] std::optional<core::NotCompared> refused_for() const;
  /// True if a call was not compared for this reason.
  [[nodiscard]] bool has_left_out(core::NotCompared code) const {
    return (left_out_.load(std::memory_order_relaxed) & bit_of(code)) != 0;
  }

  /// True if calls of a variant can be compared, once there is a stub.
  [[nodiscard]] bool can_compare(const Trust &trust) const {
    return !trust.is_exempt.load(std::memory_order_relaxed) &&
           !(trust.leaves_out_calls.load(std::memory_order_relaxed) &&
             comparability_.how == core::Comparison::isolated);
  }

  /// The next calls are compared, for as long as kBurst: to switch to the stub and back takes as
  /// long, whatever a comparison takes.
  void arm() { burst_end_.store(ticks() + kBurst, std::memory_order_relaxed); }
  void disarm() { burst_end_.store(0, std::memory_order_relaxed); }
  /// The time stamp counter ticks that comparisons have taken so far.
  [[nodiscard]] std::uint64_t ticks() const { return ticks_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool is_busy() const { return is_busy_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t compared() const { return compared_.load(std::memory_order_relaxed); }
  /// The difference that has been found since the last call.
  [[nodiscard]] std::optional<DifferentBytes> take_difference();
  /// In a child process, where other threads do not exist.
  void reset_in_child() { is_busy_.store(false, std::memory_order_relaxed); }

private:
  class Within;

  static constexpr std::uint64_t kBurst = 25000; ///< Time stamp counter ticks, about 10 µs.

  [[nodiscard]] bool is_armed() const {
    return ticks() < burst_end_.load(std::memory_order_relaxed);
  }

  static void check(void *checker, const core::CheckedCall *call);
  void check(const core::CheckedCall &call);
  [[nodiscard]] bool wants(Trust &trust);
  /// A call is not compared, although others may be.
  void leave_out(core::NotCompared code);
  static constexpr std::uint32_t bit_of(core::NotCompared code) {
    return 1U << static_cast<unsigned>(code);
  }
  void compare(const core::CheckedCall &call, const Variant &variant);
  bool compare_both(const core::CheckedCall &call, const Variant &variant);
  bool compare_in_place(const core::CheckedCall &call, const Variant &variant);
  /// Returns false if the input is unknown or too large.
  bool copy_input(const core::CheckedCall &call, std::span<core::WrittenRegion> regions);
  void compare_copied(const core::CheckedCall &call, const Variant &variant,
                      std::span<const core::WrittenRegion> regions);
  bool compare_in_child(const core::CheckedCall &call, const Variant &variant, bool &has_left);
  [[nodiscard]] std::uint64_t guard_failures() const;
  [[nodiscard]] bool is_bound(const core::CheckedCall &call) const;
  [[nodiscard]] bool is_close(const core::CheckedCall &call,
                              const IsolatedComparison &outcome) const;
  void place_input(const core::CheckedCall &call, std::byte *frame,
                   std::span<const core::WrittenRegion> regions, std::byte *copies) const;
  void run_on_copy(const core::CheckedCall &call, void *code, std::byte *frame,
                   std::span<const core::WrittenRegion> regions, std::byte *copies);
  /// Of the native code's result and memory and the variant's.
  [[nodiscard]] std::optional<DifferentBytes>
  difference(const core::CheckedCall &call, const std::byte *native_frame,
             std::span<const core::WrittenRegion> regions) const;
  [[nodiscard]] std::optional<DifferentBytes>
  confirmed(const core::CheckedCall &call, void *variant,
            std::span<const core::WrittenRegion> regions);
  CapturedCall captured(const core::CheckedCall &call, const Variant &variant,
                        std::span<const core::WrittenRegion> regions);
  /// `capture` captures the call.
  void note(const Variant &variant, DifferentBytes found,
            const std::function<CapturedCall()> &capture);

  const Entry &entry_;
  const Verification &how_;
  base::Bell &bell_;
  const std::shared_ptr<CheckerShare> share_;
  const std::set<unsigned> bound_;
  const std::span<const std::uint64_t> counters_;
  std::unique_ptr<Code> stub_;
  core::Comparability comparability_;
  StubSource source_ = StubSource::stores;
  ComparisonMemory *memory_ = nullptr; ///< Of the thread that is_busy_, while it needs it.
  std::string refusal_;                ///< Written before `is_refused_` is true.
  core::NotCompared refused_for_{};    ///< As `refusal_`.
  std::optional<ErrorCode> error_;     ///< As `refusal_`.
  std::atomic<bool> is_refused_ = false;

  std::atomic<bool> is_busy_ = false;        ///< A thread compares a call.
  std::atomic<std::uint64_t> burst_end_ = 0; ///< The value of `ticks_` that ends comparisons.
  std::atomic<std::uint32_t> left_out_ = 0;  ///< Reasons, see bit_of().
  std::atomic<std::uint64_t> calls_ = 0;     ///< Counted for Verification::every.
  std::atomic<std::uint64_t> ticks_ = 0;
  std::atomic<std::uint64_t> compared_ = 0;
  std::atomic<bool> has_difference_ = false; ///< Then `difference_` is not written.
  DifferentBytes difference_;
  /// Calls that could not be compared, because native code differed from itself or for the reason
  /// of a comparison in a child process. Used by the thread that is_busy_.
  unsigned failed_ = 0;
};

} // namespace sartor::runtime

#endif
