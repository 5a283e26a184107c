// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/isolated_call.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <sys/auxv.h>

#include <sartor/read_section.hpp>

#include "base/loaded_object.h"
#include "base/thread/own_stack.h"
#include "runtime/assumptions/hex.h"
#include "runtime/verify/allocator_memory.h"
#include "runtime/verify/isolated_area.h"
#include "runtime/verify/isolated_process.h"
#include "runtime/verify/system_call_name.h"

namespace sartor::runtime {

namespace {

bool has_slot(const dl_phdr_info &object, const ElfW(Phdr) & dynamic, std::uintptr_t slot) {
  std::uintptr_t relocations = 0;
  std::size_t bytes = 0;
  const auto *entry = reinterpret_cast<const ElfW(Dyn) *>(object.dlpi_addr + dynamic.p_vaddr);
  for (; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_JMPREL)
      relocations = entry->d_un.d_ptr;
    else if (entry->d_tag == DT_PLTRELSZ)
      bytes = entry->d_un.d_val;
  if (relocations < object.dlpi_addr) // glibc has relocated the entry, musl does not
    relocations += object.dlpi_addr;
  const auto *relocation = reinterpret_cast<const ElfW(Rela) *>(relocations);
  for (std::size_t i = 0; i < bytes / sizeof *relocation; ++i)
    if (object.dlpi_addr + relocation[i].r_offset == slot)
      return true;
  return false;
}

/// True for memory that the dynamic linker changes when a function is called for the first time:
/// its own data, and the slots of functions that are bound lazily.
bool is_linker_memory(std::uintptr_t address) {
  bool is_linkers = false;
  base::find_loaded_object([&](const dl_phdr_info &object) {
    if (!base::contains(object, address))
      return false;
    is_linkers = object.dlpi_addr == getauxval(AT_BASE);
    for (const ElfW(Phdr) &part : base::program_headers_of(object))
      is_linkers = is_linkers || (part.p_type == PT_DYNAMIC &&
                                  has_slot(object, part, address & ~std::uintptr_t{7}));
    return true;
  });
  return is_linkers;
}

std::uintptr_t as_number(const void *address) { return reinterpret_cast<std::uintptr_t>(address); }

/// A recorded page without the part of the stack below the caller.
std::uintptr_t begin_of(std::uintptr_t page, std::uintptr_t caller) {
  return page < caller && caller < page + kPage ? caller : page;
}

/// The recorded pages: after the first call, or before it if reads are recorded.
std::vector<MemoryPiece> pieces_of(const IsolatedArea &area, std::uintptr_t caller) {
  std::vector<MemoryPiece> pieces;
  for (std::uint32_t i = 0; i < area.page_count; ++i) {
    const std::uintptr_t begin = begin_of(area.pages[i], caller);
    const unsigned char *content =
        area.sees_reads ? area.originals + i * kPage : area.content(0, i);
    pieces.push_back({begin, {content + (begin - area.pages[i]), content + kPage}});
  }
  std::ranges::sort(pieces, {}, &MemoryPiece::address);
  return pieces;
}

struct Difference {
  std::string text;
  /// Perhaps one allocates in another way, which is no mistake.
  bool may_be_allocators = false;
};

/// Compares calls of one process.
class Comparer {
public:
  Comparer(const core::CheckedCall &call, const IsolatedProcess &process, std::uintptr_t caller,
           std::span<const std::uint64_t> counters)
      : call_(call), process_(process), area_(process.area()), caller_(caller),
        counters_(std::as_bytes(counters)) {}

  /// The difference of two calls that have both ended alike; nothing if there is none.
  [[nodiscard]] std::optional<Difference> difference(std::uint32_t one, std::uint32_t other) const {
    if (process_.end(one) != process_.end(other))
      return Difference{"ends differently"};
    const IsolatedRun &first = area_.runs[one];
    const IsolatedRun &second = area_.runs[other];
    if (process_.end(one) == IsolatedEnd::threw)
      return are_equal(first.exception, second.exception)
                 ? std::nullopt
                 : std::optional<Difference>({"throws an exception of another type"});
    if (process_.end(one) == IsolatedEnd::crashed)
      return first.signal == second.signal
                 ? std::nullopt
                 : std::optional<Difference>({"crashes with another signal"});
    if (auto found = difference_of_results(one, other))
      return found;
    return difference_of_memory(one, other);
  }

  /// True if two calls have returned, and have written the same memory.
  [[nodiscard]] bool have_same_effects(std::uint32_t one, std::uint32_t other) const {
    if (process_.end(one) != IsolatedEnd::returned || process_.end(other) != IsolatedEnd::returned)
      return false;
    const auto found = difference_of_memory(one, other);
    return !found || found->may_be_allocators;
  }

  /// True if a call has changed the counters.
  [[nodiscard]] bool counts(std::uint32_t run) const {
    const std::uintptr_t begin = as_number(counters_.data());
    for (std::uint32_t i = 0; i < std::min(area_.page_count, area_.runs[run].pages); ++i) {
      const std::uintptr_t page = area_.pages[i];
      const std::uintptr_t low = std::max(page, begin);
      const std::uintptr_t high = std::min(page + kPage, begin + counters_.size());
      if (low < high && std::memcmp(area_.content(run, i) + (low - page),
                                    area_.originals + i * kPage + (low - page), high - low) != 0)
        return true;
    }
    return false;
  }

private:
  /// Exceptions of other languages have no type.
  static bool are_equal(const std::type_info *one, const std::type_info *other) {
    return one == other || (one && other && *one == *other);
  }

  [[nodiscard]] std::optional<Difference> difference_of_results(std::uint32_t one,
                                                                std::uint32_t other) const {
    const unsigned char *first = area_.frames[one] + call_.result_offset;
    const unsigned char *second = area_.frames[other] + call_.result_offset;
    for (std::uint32_t i = 0; i < call_.result_bytes; ++i)
      if (((first[i] ^ second[i]) & (call_.result_mask ? call_.result_mask[i] : 0xff)) != 0)
        return Difference{"returns another result: byte " + std::to_string(i) + " is " +
                          as_hex(second[i]) + " instead of " + as_hex(first[i])};
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Difference> difference_of_memory(std::uint32_t one,
                                                               std::uint32_t other) const {
    const bool allocate = area_.runs[one].allocates || area_.runs[other].allocates;
    std::optional<Difference> found;
    for (std::uint32_t i = 0; i < area_.page_count && !(found && !found->may_be_allocators); ++i)
      if (auto other_page = difference_of_page(one, other, i, allocate))
        found = std::move(other_page);
    return found;
  }

  [[nodiscard]] std::optional<Difference> difference_of_page(std::uint32_t one, std::uint32_t other,
                                                             std::uint32_t number,
                                                             bool allocate) const {
    const std::uintptr_t page = area_.pages[number];
    const auto frame = reinterpret_cast<std::uintptr_t>(call_.frame);
    const unsigned char *first = area_.content(one, number);
    const unsigned char *second = area_.content(other, number);
    std::optional<Difference> found;
    for (std::uintptr_t at = begin_of(page, caller_); at < page + kPage; ++at) {
      const std::uintptr_t i = at - page;
      const bool is_of_frame = at - frame < call_.frame_bytes;
      const bool is_counter =
          at - reinterpret_cast<std::uintptr_t>(counters_.data()) < counters_.size();
      if (first[i] == second[i] || is_of_frame || is_counter || is_own(at) ||
          is_linker_memory(at) || (is_of_local(first, i) && is_of_local(second, i)))
        continue;
      found = Difference{"writes other memory: the byte at " + as_hex(at) + " is " +
                             as_hex(second[i]) + " instead of " + as_hex(first[i]),
                         allocate && !is_on_stack(at) && may_be_allocators(at)};
      if (!found->may_be_allocators)
        break;
    }
    return found;
  }

  /// True if a byte is part of the address of a variable of the call that has ended: its place on
  /// the stack is up to the compiler.
  [[nodiscard]] bool is_of_local(const unsigned char *page, std::uintptr_t offset) const {
    std::uintptr_t address = 0;
    std::memcpy(&address, page + offset / sizeof address * sizeof address, sizeof address);
    return area_.begin <= address && address < area_.end;
  }

  /// True for this library's record of the handlers that the thread is in: calls of direct handlers
  /// leave traces there, which code may be optimized to leave out.
  static bool is_own(std::uintptr_t address) {
    return address - reinterpret_cast<std::uintptr_t>(detail::reader) < sizeof *detail::reader;
  }

  static bool is_on_stack(std::uintptr_t address) {
    const auto stack = base::OwnStack::find();
    return stack && stack->low <= address && address < stack->end;
  }

  const core::CheckedCall &call_;
  const IsolatedProcess &process_;
  const IsolatedArea &area_;
  std::uintptr_t caller_;
  std::span<const std::byte> counters_;
};

constexpr std::uint32_t kNative = 0;
constexpr std::uint32_t kVariant = 1;
constexpr std::uint32_t kAgain = 2;

bool is_refused_by_chance(const IsolatedRun &run) {
  return run.refusal == Refusal::size || run.refusal == Refusal::protection ||
         (run.refusal == Refusal::system_call && is_call_of_allocator(run.system_call));
}

void judge(IsolatedComparison &result, const IsolatedProcess &process, const Comparer &comparer) {
  const auto decide = [&result](IsolatedVerdict verdict, std::string reason) {
    result.verdict = verdict;
    result.reason = std::move(reason);
  };
  const IsolatedEnd native = process.end(kNative);
  const IsolatedEnd variant = process.end(kVariant);
  if (native == IsolatedEnd::hung || native == IsolatedEnd::refused)
    return decide(IsolatedVerdict::not_comparable, "native code " + process.describe(kNative));
  if (native == IsolatedEnd::crashed && variant != native)
    return decide(IsolatedVerdict::not_comparable, "native code " + process.describe(kNative));
  if (variant == IsolatedEnd::hung || process.has_ended_process(kVariant))
    return decide(IsolatedVerdict::different, "the variant " + process.describe(kVariant));
  const auto difference = comparer.difference(kNative, kVariant);
  if (!difference)
    return decide(IsolatedVerdict::same, {});
  result.is_undetermined = process.runs() <= kAgain || comparer.difference(kNative, kAgain);
  if (result.is_undetermined)
    return decide(IsolatedVerdict::not_comparable, "native code gives different results");
  if (difference->may_be_allocators)
    return decide(IsolatedVerdict::not_comparable,
                  "the code allocates memory, and the variant " + difference->text);
  if (native == variant)
    return decide(IsolatedVerdict::different, "the variant " + difference->text);
  const bool by_chance =
      variant == IsolatedEnd::refused && is_refused_by_chance(process.area().runs[kVariant]);
  decide(by_chance ? IsolatedVerdict::not_comparable : IsolatedVerdict::different,
         "the variant " + process.describe(kVariant) + ", native code " +
             process.describe(kNative));
}

// The frame pointer is followed by the saved one and the return address.
#define SARTOR_CALLER (as_number(__builtin_frame_address(0)) + 2 * sizeof(void *))

} // namespace

[[gnu::noinline]] IsolatedOutcome run_isolated(const core::CheckedCall &call, void *code,
                                               const IsolationLimits &limits) {
  const IsolatedProcess process(call, {code, nullptr, false}, limits);
  IsolatedOutcome outcome;
  if (!process.failure().empty()) {
    outcome.reason = process.failure();
    return outcome;
  }
  outcome.end = process.end(kNative);
  if (outcome.end != IsolatedEnd::returned)
    outcome.reason = process.describe(kNative);
  if (outcome.end == IsolatedEnd::hung)
    return outcome;
  outcome.signal = process.area().runs[kNative].signal;
  outcome.frame = process.frame(kNative);
  outcome.written = pieces_of(process.area(), SARTOR_CALLER);
  return outcome;
}

[[gnu::noinline]] IsolatedComparison compare_isolated(const core::CheckedCall &call, void *native,
                                                      void *variant,
                                                      const IsolationLimits &limits) {
  const IsolatedProcess process(call, {native, variant, false}, limits);
  IsolatedComparison result;
  if (!process.failure().empty()) {
    result.reason = process.failure();
    return result;
  }
  const Comparer comparer(call, process, SARTOR_CALLER, limits.counters);
  judge(result, process, comparer);
  if (result.verdict == IsolatedVerdict::different)
    result.same_effects = comparer.have_same_effects(kNative, kVariant);
  result.counts = process.runs() > kVariant && comparer.counts(kVariant);
  result.native_frame = process.frame(kNative);
  result.variant_frame = process.frame(kVariant);
  return result;
}

[[gnu::noinline]] Result<std::vector<MemoryPiece>>
touched_memory(const core::CheckedCall &call, void *code, const IsolationLimits &limits) {
  const IsolatedProcess process(call, {code, nullptr, true}, limits);
  if (!process.failure().empty())
    return std::unexpected(Failure{ErrorCode::not_permitted, "memory of a call",
                                   "cannot be recorded: " + process.failure(),
                                   "remove the obstacle, or do without the record"});
  if (process.end(kNative) == IsolatedEnd::refused)
    return std::unexpected(Failure{ErrorCode::unreadable_memory, "memory of a call",
                                   "cannot be recorded: the code " + process.describe(kNative),
                                   "record a call that does less"});
  return pieces_of(process.area(), SARTOR_CALLER);
}

} // namespace sartor::runtime
