// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_READERS_H
#define SARTOR_BASE_READERS_H

#include <cstddef>
#include <cstdint>

#include <sys/types.h>

/// Which threads are inside a handler: the writers' side of include/sartor/read_section.hpp. A call
/// of a handler costs a few loads and stores and no fence; who waits has the kernel interrupt all
/// threads of the process instead (membarrier()), or, where it cannot, calls have a fence each. All
/// functions may be called from any thread; none takes a lock or memory that others may hold.
namespace sartor::base {

/// What other threads have written before they run on is visible here, and what was written here to
/// them.
void fence_for_all();

/// When something is made, before others can reach it: how many grace periods have begun.
std::uint32_t stamp();
constexpr std::uint32_t kNoStamp = 0;

/// All read sections that are under way when it is made.
class GracePeriod {
public:
  GracePeriod();

  /// A thread that is still in such a section; 0 if there is none: whatever was out of reach before
  /// is used by nobody any more.
  [[nodiscard]] pid_t reader() const { return find(/*blocked_too=*/true); }
  /// The same, but for those that are blocked (leave_to_block()): nobody else uses it.
  [[nodiscard]] pid_t reader_that_runs() const { return find(/*blocked_too=*/false); }
  /// Whether a thread that is blocked may use what has that stamp: it finds nothing new while it
  /// is.
  [[nodiscard]] bool blocked_may_use(std::uint32_t stamp) const;

private:
  [[nodiscard]] pid_t find(bool blocked_too) const;

  std::uint32_t epoch_;
};

enum class Left : unsigned char {
  not_at_all,   ///< It counts as running.
  in_good_time, ///< No grace period has begun since its section did.
  late          ///< What it runs may be out of reach already.
};
/// The thread is about to wait for something in a function whose canonical frame address this is.
/// Where that is what the outermost section has called, so that nobody is around it, the thread
/// counts as blocked from now on.
Left leave_to_block(std::uintptr_t frame);
/// The same where the thread is about to enter what a section of its own was begun for, which is
/// not a direct call's: nobody is around it unless sections nest.
Left leave_to_wait();
/// Ends either. Who does not wait for it has said so before (note_break()), which is seen from now
/// on.
void come_back();

/// Where the stack pointer is in the function that calls this, when it calls something.
[[gnu::always_inline]] inline std::uintptr_t frame_of_caller() {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) + 2 * sizeof(void *);
}

/// Whether this thread is within a handler. `frame` is where the stack pointer was in who asks
/// (frame_of_caller() in the function that the program calls): sections further down the same
/// stack, and those whose caller is not on it any more, have been left by longjmp(), and are ended
/// here.
bool inside_handler(std::uintptr_t frame);

/// Whether another thread, by its number, is within a handler, or has left one by longjmp() without
/// anybody having noticed.
bool is_inside_handler(pid_t thread);

/// Sections that were found to have been left by longjmp(), so far.
std::uint64_t sections_mended();

/// False if every call of a handler has a fence, for want of membarrier(), or because something is
/// done after each (base/after_calls.h).
bool has_membarrier();

/// How far from the thread pointer, in every thread, what a direct call of a handler goes by is:
/// the address of the thread's detail::Reader, or of one that is never at rest.
std::ptrdiff_t direct_reader_offset();

/// In the child: threads of the parent's are not inside of anything here.
void forget_other_readers();

} // namespace sartor::base

#endif
