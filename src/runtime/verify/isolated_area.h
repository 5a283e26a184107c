// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_ISOLATED_AREA_H
#define SARTOR_RUNTIME_VERIFY_ISOLATED_AREA_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <typeinfo>

#include <linux/futex.h>
#include <sys/types.h>

#include "runtime/verify/isolated_call.h"

namespace sartor::runtime {

inline constexpr std::uintptr_t kPage = 4096;
/// The size of the stack of the child's signal handlers. It begins at a multiple of its size.
inline constexpr std::uintptr_t kFaultStack = 64U << 10;
/// The kernel's default limit of mappings is 65530.
inline constexpr std::uint32_t kMostMappings = 1U << 16;
inline constexpr std::uint32_t kMostRuns = 3;
/// Functions of the allocator that are watched.
inline constexpr std::uint32_t kAllocators = 10;

enum class Refusal : std::uint8_t { none, system_call, shared_memory, device, size, protection };

/// Reasons why the child could not begin.
enum class Unprepared : std::uint8_t {
  none,
  descriptors,
  maps,
  mappings,
  protection,
  filter,
  fault
};

/// Memory of the program whose accesses are seen.
struct IsolatedMapping {
  enum class Kind : std::uint8_t { own, shared, device };
  std::uintptr_t begin;
  std::uintptr_t end;
  int rights; ///< As arguments of mprotect().
  Kind kind;
};

/// How a call of the code has ended, written by the child.
struct IsolatedRun {
  IsolatedEnd end;
  Refusal refusal;
  bool allocates; ///< It has called the allocator.
  int signal;
  std::uint32_t pages; ///< The number of pages recorded until then.
  std::int64_t system_call;
  std::uintptr_t address; ///< The access that was refused or crashed.
  const std::type_info *exception;
};

/// The memory that a child process shares with its parent, which outlives the child. It is located
/// directly after the stack of the child's signal handlers, who find it there: the child must not
/// read a variable of the program.
struct IsolatedArea {
  // Set by the parent.
  void (*call)(void *code, void *frame);
  void *frame;
  std::size_t frame_bytes;
  void *native;
  void *variant; ///< Null: only one call is made.
  bool sees_reads;
  std::uint32_t most_pages;
  pid_t parent;
  void *rseq; ///< The area that the C library has registered for the thread, or null.
  std::uintptr_t begin;
  std::uintptr_t end;
  unsigned char *allocators[kAllocators]; ///< Null: none, or it cannot be watched.
  IsolatedMapping *mappings;
  std::uintptr_t *pages;
  unsigned char *originals;         ///< The content of each page before the calls.
  unsigned char *finals[kMostRuns]; ///< The content of each page after a call.
  unsigned char *frames[kMostRuns];

  // Set by the child.
  robust_list_head robust;
  robust_list link;
  /// The kernel sets FUTEX_OWNER_DIED, and wakes the parent, when the child ends in any way.
  std::atomic<std::uint32_t> life;
  std::atomic<std::uint32_t> begun; ///< Number of calls.
  std::atomic<std::uint32_t> ended;
  Unprepared unprepared;
  int error; ///< The number of the system's error for `unprepared`.
  std::uint32_t mapping_count;
  std::uint32_t page_count;
  unsigned char first_bytes[kAllocators]; ///< Of the allocators' code.
  std::uint64_t call_ticks;               ///< Time of the calls, of the time stamp counter.
  bool is_running;                        ///< True while the code runs.
  void *jump[5];                          ///< For __builtin_setjmp().
  IsolatedRun runs[kMostRuns];
  char text[4096]; ///< A part of /proc/self/maps.

  /// A page's content after a call. All pages had their original content before it.
  [[nodiscard]] const unsigned char *content(std::uint32_t run, std::uint32_t page) const {
    return (page < runs[run].pages ? finals[run] : originals) + page * kPage;
  }
};
static_assert(std::is_trivially_destructible_v<IsolatedArea>);

/// The child process: calls the code as its IsolatedArea says.
int isolated_child(void *area);

} // namespace sartor::runtime

#endif
