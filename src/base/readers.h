// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_READERS_H
#define SARTOR_BASE_READERS_H

#include <cstddef>
#include <cstdint>

#include <sys/types.h>

/// Registry of the threads that are inside a handler: the writers' side of
/// include/sartor/read_section.hpp. A call of a handler costs a few loads and stores and no fence;
/// a waiting thread has the kernel interrupt all threads of the process instead (membarrier()). If
/// that is not available, each call has a fence. All functions may be called from any thread; none
/// takes a lock, or memory that others may hold.
namespace sartor::base {

/// Makes earlier writes of all other threads visible here, and earlier writes of this thread
/// visible to them.
void fence_for_all();

/// Stamp of a new object, to be taken before others can reach it: the number of grace periods so
/// far, which never wraps around.
std::uint64_t stamp();
constexpr std::uint64_t kNoStamp = 0;

/// All read sections that are under way at construction.
class GracePeriod {
public:
  GracePeriod();

  /// A thread that is still in such a section; 0 if there is none: objects that were unreachable at
  /// construction are not used any more.
  [[nodiscard]] pid_t reader() const { return find(/*blocked_too=*/true); }
  /// The same, ignoring blocked threads (leave_to_block()).
  [[nodiscard]] pid_t reader_that_runs() const { return find(/*blocked_too=*/false); }
  /// True if a blocked thread may use an object with this stamp: while blocked, a thread finds no
  /// newer object.
  [[nodiscard]] bool blocked_may_use(std::uint64_t stamp) const;

private:
  [[nodiscard]] pid_t find(bool blocked_too) const;

  std::uint32_t epoch_;
};

enum class Left : unsigned char {
  not_at_all,   ///< The thread counts as running.
  in_good_time, ///< No grace period has begun since its section did.
  late          ///< The code that it runs may be unreachable already.
};
/// Announces that the thread is about to wait in a function whose canonical frame address is
/// `frame`. If that function was called by the outermost section, so that there are no other
/// sections around it, the thread counts as blocked from now on.
Left leave_to_block(std::uintptr_t frame);
/// The same for a thread that is about to enter the code that its section protects, which is not a
/// direct call's: there are no other sections around it unless sections nest.
Left leave_to_wait();
/// Ends either state. A writer that does not wait for the thread has called note_invalidation()
/// before, which is visible from now on.
void come_back();

/// The stack pointer of the calling function at the time of a call.
[[gnu::always_inline]] inline std::uintptr_t frame_of_caller() {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) + 2 * sizeof(void *);
}

/// True if this thread is within a handler. `frame` is the stack pointer of the caller
/// (frame_of_caller() in the function that the program calls): sections further down the same
/// stack, and those whose caller is not on it any more, have been left by longjmp(), and are ended
/// here.
bool inside_handler(std::uintptr_t frame);

/// True if another thread, given by its number, is within a handler, or has left one by longjmp()
/// unnoticed.
bool is_inside_handler(pid_t thread);

/// Number of sections so far that were found to have been left by longjmp().
std::uint64_t sections_repaired();

/// False if every call of a handler has a fence, because membarrier() is not available, or because
/// a check runs after each call (base/after_calls.h).
bool has_membarrier();

/// Offset from the thread pointer, equal in every thread, of the pointer that a direct call of a
/// handler reads: the address of the thread's detail::Reader, or of one that is never idle.
std::ptrdiff_t direct_reader_offset();

/// For the child: threads of the parent are not inside any section here.
void forget_other_readers();

} // namespace sartor::base

#endif
