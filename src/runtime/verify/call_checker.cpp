// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/call_checker.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <ranges>
#include <utility>

#include <sys/uio.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/default_floats.h"
#include "base/thread/no_cancel.h"
#include "runtime/verify/isolated_call.h"

namespace sartor::runtime {

namespace {

// The first calls of a variant end when comparing them has taken so long: about 20 ms.
constexpr std::uint64_t kMostFirstTicks = 50'000'000;

// A difference counts if it is found so often in a row, on equal input.
constexpr int kConfirmations = 3;
// The handler is given up after so many calls that could not be compared.
constexpr unsigned kMostFailed = 8;

// A child process is not used, unless all calls are to be compared, if this takes longer.
constexpr std::chrono::milliseconds kLongestFork{5};
// The first calls that are compared in child processes.
constexpr std::uint64_t kFirstInChild = 3;
// Calls that leave the variant by a guard are no first calls, up to so many times their number.
constexpr std::uint64_t kMostLeft = 10;

constexpr const char kHexDigits[] = "0123456789abcdef";

std::string hex(std::span<const std::byte> bytes) {
  std::string text = "0x";
  for (const std::byte byte : bytes | std::views::reverse) { // as a little-endian number
    text += kHexDigits[std::to_integer<unsigned>(byte) >> 4U];
    text += kHexDigits[std::to_integer<unsigned>(byte) & 0xfU];
  }
  return text;
}

/// Returns false if a part of it cannot be read: its extent may be larger than what is accessed.
bool copy_if_readable(std::byte *copy, const core::WrittenRegion &region) {
  const iovec local{copy, region.bytes};
  const iovec remote{region.begin, region.bytes};
  const int before = errno;
  const ssize_t got = region.bytes == 0 ? 0 : process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  errno = before;
  return got == static_cast<ssize_t>(region.bytes);
}

/// True if floating-point numbers are rounded to nearest, and denormal ones are kept. Otherwise
/// what was computed when a variant was made may differ from what the native code computes now.
bool are_floats_default() {
  constexpr unsigned kExceptionFlags = 0x3f;
  constexpr unsigned kDefault = 0x1f80;
  return (_mm_getcsr() & ~kExceptionFlags) == kDefault;
}

/// Describes the bytes around the first difference.
CallChecker::DifferentBytes around(std::size_t at, std::span<const std::byte> native,
                                   std::span<const std::byte> variant) {
  CallChecker::DifferentBytes found;
  found.offset = at / found.native.size() * found.native.size();
  found.count =
      static_cast<std::uint32_t>(std::min(found.native.size(), native.size() - found.offset));
  std::ranges::copy(native.subspan(found.offset, found.count), found.native.begin());
  std::ranges::copy(variant.subspan(found.offset, found.count), found.by_variant.begin());
  return found;
}

} // namespace

/// While one exists, calls of the handler within the call being compared run the same code.
class CallChecker::Within {
public:
  Within(const CallChecker &checker, void *code) : before_(here) { here = {&checker, code}; }
  ~Within() { here = before_; }
  Within(const Within &) = delete;
  Within &operator=(const Within &) = delete;

  /// Null if this thread compares no call of this handler.
  static void *code(const CallChecker &checker) {
    return here.checker == &checker ? here.code : nullptr;
  }

private:
  struct Here {
    const CallChecker *checker;
    void *code;
  };
  [[gnu::tls_model("initial-exec")]] static thread_local constinit Here here;
  const Here before_;
};

thread_local constinit CallChecker::Within::Here CallChecker::Within::here{};

std::string CallChecker::DifferentBytes::text() const {
  if (!reason.empty())
    return reason;
  const std::string place =
      parameter ? "memory behind parameter " + std::to_string(*parameter) : "the result";
  return place + " is " + hex(std::span(native).first(count)) + " by the native code and " +
         hex(std::span(by_variant).first(count)) + " by the variant, at byte " +
         std::to_string(offset);
}

CallChecker::CallChecker(const Entry &entry, const Verification &how, base::Bell &bell,
                         std::shared_ptr<CheckerShare> share, std::set<unsigned> bound,
                         std::span<const std::uint64_t> counters)
    : entry_(entry), how_(how), bell_(bell), share_(std::move(share)), bound_(std::move(bound)),
      counters_(counters) {}

std::map<std::string, void *, std::less<>> CallChecker::symbols() {
  void (*const check)(void *, const core::CheckedCall *) = &CallChecker::check;
  return {{core::kChecker, this}, {core::kCheck, reinterpret_cast<void *>(check)}};
}

bool CallChecker::allow(StubSource source) {
  if (source <= source_)
    return false;
  source_ = source;
  if (stub_ || !error_)
    return false; // found, or still being searched for
  error_ = std::nullopt;
  is_refused_.store(false, std::memory_order_relaxed);
  return true;
}

void CallChecker::set_stub(std::unique_ptr<Code> stub, core::Comparability comparability) {
  comparability_ = std::move(comparability);
  if (comparability_.how == core::Comparison::none)
    refuse(comparability_.code, comparability_.reason);
  else
    stub_ = std::move(stub);
}

void CallChecker::refuse(core::NotCompared code, std::string reason,
                         std::optional<ErrorCode> error) {
  refusal_ = std::move(reason);
  refused_for_ = code;
  error_ = error;
  is_refused_.store(true, std::memory_order_release);
  bell_.ring();
}

void CallChecker::leave_out(core::NotCompared code) {
  if (!has_left_out(code)) {
    left_out_.fetch_or(bit_of(code), std::memory_order_relaxed);
    bell_.ring();
  }
}

std::optional<core::NotCompared> CallChecker::refused_for() const {
  if (!is_refused_.load(std::memory_order_acquire))
    return std::nullopt;
  return refused_for_;
}

std::optional<std::string> CallChecker::refusal() const {
  if (!is_refused_.load(std::memory_order_acquire))
    return std::nullopt;
  return refusal_;
}

std::optional<core::Comparability> CallChecker::comparability() const {
  if (auto reason = refusal(); reason && *reason != comparability_.reason)
    return core::Comparability{.how = core::Comparison::none,
                               .reason = std::move(*reason),
                               .code = refused_for_,
                               .error = error_};
  return stub_ || is_refused_ ? std::optional(comparability_) : std::nullopt;
}

std::optional<CallChecker::DifferentBytes> CallChecker::take_difference() {
  if (!has_difference_.load(std::memory_order_acquire))
    return std::nullopt;
  DifferentBytes found = std::move(difference_);
  has_difference_.store(false, std::memory_order_release);
  return found;
}

void CallChecker::check(void *checker, const core::CheckedCall *call) {
  static_cast<CallChecker *>(checker)->check(*call);
}

void CallChecker::check(const core::CheckedCall &call) {
  const Variant *const variant = entry_.checked();
  if (void *const code = Within::code(*this)) {
    call.call(code, call.frame);
  } else if (!variant || in_isolated_call() ||
             variant->trust->differs.load(std::memory_order_acquire)) {
    call.call(entry_.generic(), call.frame);
  } else if (wants(*variant->trust) && !is_busy_.exchange(true, std::memory_order_acquire)) {
    compare(call, *variant);
  } else {
    call.call(variant->code->entry(), call.frame);
  }
}

bool CallChecker::wants(Trust &trust) {
  if (is_refused_.load(std::memory_order_relaxed) || !can_compare(trust))
    return false;
  if (!are_floats_default()) {
    leave_out(core::NotCompared::floating_point);
    return false;
  }
  if (how_.every != 0 && calls_.fetch_add(1, std::memory_order_relaxed) % how_.every == 0)
    return true;
  if (trust.is_first.load(std::memory_order_relaxed)) {
    if (!share_->first_calls.is_reached())
      return true;
    trust.is_first.store(false, std::memory_order_relaxed);
    bell_.ring();
  }
  return is_armed();
}

/// Makes the call. `is_busy_` is true, and false afterwards.
void CallChecker::compare(const core::CheckedCall &call, const Variant &variant) {
  bool is_made = false;
  {
    const base::NoCancel no_cancel; // what is counted here must be counted to the end
    is_made = compare_both(call, variant);
  }
  is_busy_.store(false, std::memory_order_release);
  if (!is_made) // it may not return
    call.call(entry_.generic(), call.frame);
}

/// Returns false if the call is still to be made.
bool CallChecker::compare_both(const core::CheckedCall &call, const Variant &variant) {
  Trust &trust = *variant.trust;
  const bool in_process = comparability_.how != core::Comparison::isolated && !is_bound(call);
  const std::uint64_t begin = __rdtsc();
  const std::uint64_t failures = guard_failures();
  bool is_compared = false;
  bool has_left = false;
  // The first call of a variant runs in a child process, where it may crash or hang.
  const bool wants_child = !comparability_.never_in_child &&
                           (!in_process || trust.compared.load(std::memory_order_relaxed) == 0);
  const bool may_fork = wants_child && (how_.every != 0 || expected_fork_time() < kLongestFork);
  if (may_fork)
    is_compared = compare_in_child(call, variant, has_left);
  else if (wants_child)
    lower_expected_fork_time();
  const bool is_made = in_process && !trust.differs.load(std::memory_order_relaxed);
  if (is_made)
    is_compared |= compare_in_place(call, variant);
  const std::uint64_t taken = __rdtsc() - begin;
  ticks_.fetch_add(taken, std::memory_order_relaxed);
  const std::uint64_t ticks = trust.ticks.fetch_add(taken, std::memory_order_relaxed) + taken;
  const std::uint64_t one = is_compared ? 1 : 0;
  compared_.fetch_add(one, std::memory_order_relaxed);
  const std::uint64_t compared = trust.compared.fetch_add(one, std::memory_order_relaxed) + one;
  has_left |= guard_failures() != failures;
  const std::uint64_t one_left = is_compared && has_left ? 1 : 0;
  const std::uint64_t left = trust.left.fetch_add(one_left, std::memory_order_relaxed) + one_left;
  const std::uint64_t most =
      in_process ? how_.first_calls : std::min<std::uint64_t>(kFirstInChild, how_.first_calls);
  const bool is_over = compared - std::min(left, kMostLeft * most) >= most ||
                       ticks >= kMostFirstTicks || !(in_process || may_fork) ||
                       is_refused_.load(std::memory_order_relaxed);
  const bool was_first = trust.is_first.load(std::memory_order_relaxed);
  if (was_first)
    share_->first_calls.spend(taken);
  if (was_first && is_over)
    trust.is_first.store(false, std::memory_order_relaxed);
  if ((was_first && is_over) || (!was_first && how_.every == 0 && !is_armed()))
    bell_.ring();
  return is_made;
}

/// True if memory that a call changes is behind a bound argument, which a variant need not read.
bool CallChecker::is_bound(const core::CheckedCall &call) const {
  return std::ranges::any_of(
      std::span(call.forms, call.regions),
      [&](const core::RegionForm &form) { return bound_.contains(form.parameter); });
}

/// The guards that have failed in all variants so far.
std::uint64_t CallChecker::guard_failures() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t &counter : counters_)
    sum += __atomic_load_n(&counter, __ATOMIC_RELAXED); // NOLINT: JIT code writes it
  return sum;
}

/// Returns false if the calls could not be compared. `has_left`: a guard has failed.
bool CallChecker::compare_in_child(const core::CheckedCall &call, const Variant &variant,
                                   bool &has_left) try {
  DifferentBytes found;
  IsolatedComparison outcome =
      compare_isolated(call, entry_.generic(), variant.code->entry(), {.counters = counters_});
  has_left = outcome.counts;
  switch (outcome.verdict) {
  case IsolatedVerdict::same:
    failed_ = 0;
    return true;
  case IsolatedVerdict::different:
    if (is_close(call, outcome))
      return true;
    found.reason = std::move(outcome.reason);
    note(variant, std::move(found),
         [&] { return capture_call(call, comparability_.how, entry_.generic(), variant); });
    return true;
  case IsolatedVerdict::not_comparable:
  case IsolatedVerdict::unknown:
    // If calls can be compared in the process, this is only the first one.
    if (comparability_.how == core::Comparison::isolated && ++failed_ == kMostFailed)
      refuse(outcome.is_undetermined ? core::NotCompared::undetermined
                                     : core::NotCompared::isolation,
             std::move(outcome.reason));
    return false;
  }
  std::unreachable();
} catch (const std::bad_alloc &) {
  return false;
}

/// True if only the last bits of the result's floating-point numbers differ, and they may.
bool CallChecker::is_close(const core::CheckedCall &call, const IsolatedComparison &outcome) const {
  const std::size_t end = call.result_offset + call.result_bytes;
  if (call.inexact_floats == 0 || !outcome.same_effects || outcome.native_frame.size() < end ||
      outcome.variant_frame.size() < end)
    return false;
  const auto result = [&](const std::vector<unsigned char> &frame) {
    return std::as_bytes(std::span(frame)).subspan(call.result_offset, call.result_bytes);
  };
  return !first_difference(result(outcome.native_frame), result(outcome.variant_frame),
                           {call.result_mask, call.inexact_floats, how_.tolerance});
}

bool CallChecker::copy_input(const core::CheckedCall &call,
                             std::span<core::WrittenRegion> regions) {
  ComparisonMemory &memory = *memory_;
  if (call.frame_bytes > memory.frame_before.size() ||
      (!regions.empty() && !call.footprint(call.frame, regions.data())))
    return false;
  std::memcpy(memory.frame_before.data(), call.frame, call.frame_bytes);
  std::size_t bytes = 0;
  std::size_t end = 0;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    constexpr std::size_t kAlignment = ComparisonMemory::kAlignment;
    bytes += std::min(regions[i].bytes, ComparisonMemory::kMostRegionBytes + 1);
    if (bytes > ComparisonMemory::kMostRegionBytes)
      return false;
    memory.places[i] = (end + kAlignment - 1) / kAlignment * kAlignment +
                       reinterpret_cast<std::uintptr_t>(regions[i].begin) % kAlignment;
    end = memory.places[i] + regions[i].bytes;
    if (!copy_if_readable(&memory.before[memory.places[i]], regions[i]))
      return false;
  }
  return true;
}

/// Makes the call. Returns false if it could not be compared.
bool CallChecker::compare_in_place(const core::CheckedCall &call, const Variant &variant) {
  std::array<core::WrittenRegion, ComparisonMemory::kMostRegions> regions;
  const auto used = std::span(regions).first(std::min<std::size_t>(call.regions, regions.size()));
  memory_ = share_->memories.acquire();
  const bool is_copied = memory_ && call.regions <= regions.size() && copy_input(call, used);
  if (is_copied)
    compare_copied(call, variant, used);
  else if (memory_)
    leave_out(core::NotCompared::input);
  share_->memories.release(memory_);
  if (!is_copied)
    call.call(variant.code->entry(), call.frame);
  return is_copied;
}

/// Makes the call, whose input has been copied.
void CallChecker::compare_copied(const core::CheckedCall &call, const Variant &variant,
                                 std::span<const core::WrittenRegion> used) {
  ComparisonMemory &memory = *memory_;
  run_on_copy(call, variant.code->entry(), memory.frame_variant.data(), used,
              memory.variant.data());
  {
    const Within within(*this, entry_.generic());
    call.call(entry_.generic(), call.frame);
  }
  for (std::size_t i = 0; i < used.size(); ++i)
    copy_racy(&memory.native[memory.places[i]], used[i].begin, used[i].bytes);
  const auto *result = static_cast<const std::byte *>(call.frame);
  if (!difference(call, result, used))
    return;
  if (auto found = confirmed(call, variant.code->entry(), used)) {
    note(variant, std::move(*found), [&] { return captured(call, variant, used); });
  }
}

/// Makes a copy of the frame and of the regions as they were before the call.
void CallChecker::place_input(const core::CheckedCall &call, std::byte *frame,
                              std::span<const core::WrittenRegion> regions,
                              std::byte *copies) const {
  const ComparisonMemory &memory = *memory_;
  std::memcpy(frame, memory.frame_before.data(), call.frame_bytes);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const std::size_t at = memory.places[i];
    std::memcpy(copies + at, &memory.before[at], regions[i].bytes);
    std::byte *const place = frame + call.forms[i].offset;
    std::uintptr_t pointer = 0;
    std::memcpy(&pointer, place, sizeof pointer);
    pointer += reinterpret_cast<std::uintptr_t>(copies + at) -
               reinterpret_cast<std::uintptr_t>(regions[i].begin);
    std::memcpy(place, &pointer, sizeof pointer);
  }
}

/// Runs code on such a copy.
void CallChecker::run_on_copy(const core::CheckedCall &call, void *code, std::byte *frame,
                              std::span<const core::WrittenRegion> regions, std::byte *copies) {
  const ComparisonMemory &memory = *memory_;
  place_input(call, frame, regions, copies);
  {
    const base::DefaultFloats floats; // raised exception flags are not the program's
    const Within within(*this, code);
    call.call(code, frame);
  }
  std::uintptr_t result = 0;
  if (call.result_bytes != sizeof result)
    return;
  // A pointer into a copy stands for one into the region.
  std::memcpy(&result, frame + call.result_offset, sizeof result);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const std::uintptr_t offset =
        result - reinterpret_cast<std::uintptr_t>(copies + memory.places[i]);
    if (offset <= regions[i].bytes) {
      result = reinterpret_cast<std::uintptr_t>(regions[i].begin) + offset;
      std::memcpy(frame + call.result_offset, &result, sizeof result);
      return;
    }
  }
}

std::optional<CallChecker::DifferentBytes>
CallChecker::difference(const core::CheckedCall &call, const std::byte *native_frame,
                        std::span<const core::WrittenRegion> regions) const {
  const ComparisonMemory &memory = *memory_;
  const auto native = std::span(native_frame + call.result_offset, call.result_bytes);
  const auto variant =
      std::span(memory.frame_variant).subspan(call.result_offset, call.result_bytes);
  if (const auto at = first_difference(native, variant,
                                       {call.result_mask, call.inexact_floats, how_.tolerance}))
    return around(*at, native, variant);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const std::size_t begin = memory.places[i];
    const auto written = std::span(memory.native).subspan(begin, regions[i].bytes);
    const auto copied = std::span(memory.variant).subspan(begin, regions[i].bytes);
    if (const auto at = first_difference(written, copied,
                                         {nullptr, call.forms[i].inexact_floats, how_.tolerance})) {
      DifferentBytes found = around(*at, written, copied);
      found.parameter = call.forms[i].parameter;
      return found;
    }
  }
  return std::nullopt;
}

/// Compares both codes again, each on copies of the same input. Returns the difference if it is
/// found each time, and the native code always gives the same.
std::optional<CallChecker::DifferentBytes>
CallChecker::confirmed(const core::CheckedCall &call, void *variant,
                       std::span<const core::WrittenRegion> regions) {
  ComparisonMemory &memory = *memory_;
  std::optional<DifferentBytes> found;
  for (int i = 0; i < kConfirmations; ++i) {
    // The native code twice: the second time in the variant's place.
    run_on_copy(call, entry_.generic(), memory.frame_native.data(), regions, memory.native.data());
    run_on_copy(call, entry_.generic(), memory.frame_variant.data(), regions,
                memory.variant.data());
    if (difference(call, memory.frame_native.data(), regions)) {
      if (++failed_ == kMostFailed)
        refuse(core::NotCompared::undetermined,
               "native code gives different results for the same input");
      return std::nullopt;
    }
    run_on_copy(call, variant, memory.frame_variant.data(), regions, memory.variant.data());
    found = difference(call, memory.frame_native.data(), regions);
    if (!found)
      return std::nullopt;
  }
  return found;
}

/// Captures a call whose difference has been confirmed.
CapturedCall CallChecker::captured(const core::CheckedCall &call, const Variant &variant,
                                   std::span<const core::WrittenRegion> regions) {
  ComparisonMemory &memory = *memory_;
  const ComparedCopies copies{.frame_before =
                                  std::span(memory.frame_before).first(call.frame_bytes),
                              .frame_native = memory.frame_native.data(),
                              .frame_variant = memory.frame_variant.data(),
                              .regions = regions,
                              .places = memory.places,
                              .before = memory.before.data(),
                              .native = memory.native.data(),
                              .variant = memory.variant.data(),
                              .all = std::as_bytes(std::span(memory_, 1))};
  CapturedCall captured = capture_effects(call, comparability_.how, copies, variant);
  core::CheckedCall again = call;
  again.frame = memory.frame_variant.data();
  place_input(call, memory.frame_variant.data(), regions, memory.variant.data());
  capture_memory(captured, again, entry_.generic(), variant, copies);
  return captured;
}

void CallChecker::note(const Variant &variant, DifferentBytes found,
                       const std::function<CapturedCall()> &capture) {
  variant.trust->differs.store(true, std::memory_order_release);
  if (has_difference_.load(std::memory_order_acquire))
    return;
  try {
    found.call = std::make_shared<const CapturedCall>(capture());
  } catch (const std::bad_alloc &) {
    found.call = std::make_shared<const CapturedCall>(
        CapturedCall{std::unexpected(out_of_memory(variant.name)), nullptr});
  }
  found.variant = {variant.name,        variant.configuration.text(),
                   variant.key,         variant.quarantine_key,
                   variant.code->asked, variant.trust->compared.load()};
  difference_ = std::move(found);
  has_difference_.store(true, std::memory_order_release);
  bell_.ring();
}

} // namespace sartor::runtime
