// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_READ_SECTION_HPP
#define SARTOR_READ_SECTION_HPP

// How a call of a handler says that it is under way (src/base/readers.h). Inlined into the
// program: the names, and the order of what is in Reader, are part of libsartor's binary interface.

namespace sartor::detail {

/// What is known of one thread's calls of handlers. Written by the thread itself.
struct Reader {
  /// The epoch in which the outermost section began in the upper half, how many there are in the
  /// lower one.
  unsigned long word;
  /// The stack pointer where the outermost section began, if that is known: the frames of whatever
  /// is within it are below. It tells sections that were left by longjmp().
  unsigned long frame;
  /// What has called: an address in the function, or, with kReturnAddress, where it goes on. 0 if
  /// the section is that of a direct call of a handler (src/compiler/plugin/direct_stub.h), whose
  /// `frame` is where its return address is: it ends where that is returned to
  /// (src/compiler/plugin/direct_return.h).
  unsigned long place;
  /// The low end of the thread's own stack; all ones before it was looked up.
  unsigned long stack;
  /// Its high end; 0 before.
  unsigned long stack_end;
  /// What a direct call's `frame` was before it was not known any more; else 0.
  unsigned long frame_before;
};

/// On a cache line of its own.
struct alignas(64) Epoch {
  unsigned long now; ///< The upper half counts grace periods, the lower one is 1.
};

extern __thread Reader *reader __asm__("sartor_reader") __attribute__((tls_model("initial-exec")));
extern Epoch epoch __asm__("sartor_epoch");

/// The rare ways in (`place` is 0 if the frame is not known): the thread is not known yet, the
/// kernel has no membarrier(), another stack, or a section that was left by longjmp(). Null if
/// sartor_leave() must be called at the end.
Reader *enter(unsigned long frame, unsigned long place) noexcept __asm__("sartor_enter");
void leave() noexcept __asm__("sartor_leave");

constexpr unsigned long kNesting = 0xffff'ffff;
constexpr unsigned long kUnknownFrame = ~0UL;
constexpr unsigned long kReturnAddress = 1UL << 63;

/// While one exists, no variant that this thread may have loaded from an entry is given back.
/// Sections nest. (M. Desnoyers et al., "User-Level Implementations of Read-Copy Update", IEEE TPDS
/// 23(2), 2012.)
class ReadSection {
public:
  /// `frame_is_known`: nothing of the program's runs within the section but what is called by the
  /// function that it protects. Copying an argument, for one, may call anything.
  [[gnu::always_inline]] explicit ReadSection(bool frame_is_known = true) noexcept
      : reader_(reader) {
    const unsigned long frame = stack_pointer();
    const unsigned long caller = place(); // here, not where a rare path may have been split off to
    if (__builtin_expect(reader_ != nullptr, true)) {
      const unsigned long word = __atomic_load_n(&reader_->word, __ATOMIC_RELAXED);
      if (__builtin_expect((word & kNesting) == 0, true)) {
        __atomic_store_n(&reader_->word, __atomic_load_n(&epoch.now, __ATOMIC_ACQUIRE),
                         __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_SEQ_CST); // membarrier() on the other side does the rest
        __atomic_store_n(&reader_->place, caller, __ATOMIC_RELAXED);
        __atomic_store_n(&reader_->frame, frame_is_known ? frame : kUnknownFrame, __ATOMIC_RELAXED);
        return;
      }
      if (__builtin_expect(frame >= reader_->stack && frame < reader_->frame, true)) {
        __atomic_store_n(&reader_->word, word + 1, __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        return;
      }
    }
    reader_ = enter(frame, frame_is_known ? caller : 0);
  }
  ~ReadSection() {
    if (__builtin_expect(reader_ != nullptr, true)) {
      const unsigned long word = __atomic_load_n(&reader_->word, __ATOMIC_RELAXED) - 1;
      if (__builtin_expect((word & kNesting) == 0, true)) {
        __atomic_store_n(&reader_->frame, kUnknownFrame, __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
      }
      __atomic_store_n(&reader_->word, word, __ATOMIC_RELEASE);
    } else {
      leave();
    }
  }
  ReadSection(const ReadSection &) = delete;
  ReadSection &operator=(const ReadSection &) = delete;

private:
  [[gnu::always_inline]] static unsigned long stack_pointer() noexcept {
    unsigned long pointer;
    __asm__ volatile("mov %%rsp, %0" : "=r"(pointer));
    return pointer;
  }

  [[gnu::always_inline]] static unsigned long place() noexcept {
    unsigned long address;
    __asm__ volatile("lea (%%rip), %0" : "=r"(address));
    return address;
  }

  Reader *reader_; ///< Null if leave() ends it.
};

} // namespace sartor::detail

#endif
