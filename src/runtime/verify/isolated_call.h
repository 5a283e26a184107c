// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_ISOLATED_CALL_H
#define SARTOR_RUNTIME_VERIFY_ISOLATED_CALL_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/compiler/checked_call.h"

/// Calls in a child process, on a copy of this process's memory: nothing that the code does reaches
/// the program. The code runs on a stack of its own (of 8 MiB). System calls of the code are not
/// made; they end the call. The functions block signals and cancellation of the calling thread, and
/// use no descriptor, no signal and no child that the program can see. Thread-safe.
namespace sartor::runtime {

struct IsolationLimits {
  std::chrono::nanoseconds time = std::chrono::milliseconds(200); ///< Processor time of each call.
  std::size_t bytes = 1U << 20; ///< Memory that is recorded, in whole pages.
  /// Memory in which a variant counts events for Sartor: it is not compared.
  std::span<const std::uint64_t> counters = {};
};

/// The way in which a call has ended.
enum class IsolatedEnd : std::uint8_t {
  returned,
  threw,   ///< It has thrown a C++ exception.
  crashed, ///< It has caused a signal.
  hung,    ///< It has used more than the limit of time.
  refused, ///< It was ended because its effects cannot be isolated or recorded.
  unknown, ///< It could not be made.
  kLast = unknown,
};

struct MemoryPiece {
  std::uintptr_t address;
  std::vector<unsigned char> bytes;
};

struct IsolatedOutcome {
  IsolatedEnd end = IsolatedEnd::unknown;
  int signal = 0;                   ///< If it has crashed.
  std::string reason;               ///< For people; empty if it has returned.
  std::vector<unsigned char> frame; ///< Afterwards. Empty if it has hung, or was not made.
  std::vector<MemoryPiece> written; ///< Afterwards: all pages that it has written to.
};

/// Calls `code` as `call` describes.
IsolatedOutcome run_isolated(const core::CheckedCall &call, void *code,
                             const IsolationLimits &limits);

enum class IsolatedVerdict : std::uint8_t {
  same,
  different,
  not_comparable, ///< The native code does something that cannot be repeated, or not isolated.
  unknown,        ///< The calls could not be made.
  kLast = unknown,
};

struct IsolatedComparison {
  IsolatedVerdict verdict = IsolatedVerdict::unknown;
  std::string reason; ///< For people; empty if they are the same.
  /// The frames after both calls; empty for a call that was not made or has not ended.
  std::vector<unsigned char> native_frame;
  std::vector<unsigned char> variant_frame;
  bool is_undetermined = false; ///< Not comparable, because native code differs from itself.
  bool counts = false;          ///< The variant has changed IsolationLimits::counters.
  /// Although they are different: both have returned, and have written the same memory.
  bool same_effects = false;
};

/// Calls `native` and `variant` one after the other in one child process, which restores all memory
/// between the calls, so that both begin with equal memory. Compares how they end, the defined
/// bytes of the result, and all memory that either has written to. If they differ, it calls
/// `native` once more, with other content in the unused part of the stack: native code that differs
/// from itself is not comparable. Internal data of the dynamic linker and this library are not
/// compared, nor is memory if both have thrown an exception of one type. If one of them has called
/// the allocator, differences in other memory than variables and the stack make them not
/// comparable: code may be optimized so that it allocates less.
IsolatedComparison compare_isolated(const core::CheckedCall &call, void *native, void *variant,
                                    const IsolationLimits &limits);

/// The content, before the call, of all pages that `code` reads or writes, except executable ones;
/// of the page that has the end of the caller's stack, the part that belongs to the caller. If the
/// code crashes or hangs, the pages until then. Fails with `unreadable_memory` if it is refused,
/// and with `not_permitted` if the call cannot be made.
Result<std::vector<MemoryPiece>> touched_memory(const core::CheckedCall &call, void *code,
                                                const IsolationLimits &limits);

/// Time that the next call of one of these functions takes without the code itself. Most of it is
/// the copy of the process. Measured at earlier ones in proportion to resident memory; a guess
/// before the first. Each page that the program writes to next is also copied once.
std::chrono::nanoseconds expected_fork_time();
/// To be called when no call was made because of that time: it may have been measured while the
/// machine was busy, and no later call would correct it.
void lower_expected_fork_time();

/// True in the child process, where the called code may call handlers in turn: no comparison can
/// begin there.
bool in_isolated_call() noexcept;

} // namespace sartor::runtime

#endif
