// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_READ_SECTION_HPP
#define SARTOR_READ_SECTION_HPP

// Registration of a call of a handler that is under way (src/base/readers.h). Inlined into the
// program: the names, and the order of the members of Reader, are part of libsartor's binary
// interface.

namespace sartor::detail {

/// State of one thread's calls of handlers. Written by the thread itself.
struct Reader {
  /// Upper half: the epoch in which the outermost section began. Lower half: number of open
  /// sections.
  unsigned long word;
  /// The stack pointer where the outermost section began, if that is known: all frames within the
  /// section are below it. It identifies sections that were left by longjmp().
  unsigned long frame;
  /// Identifies the caller: an address in the function, or, with kReturnAddress, its return
  /// address. 0 if the section is that of a direct call of a handler
  /// (src/compiler/plugin/direct_stub.h). The `frame` of such a section is the address of its
  /// return address; the section ends when the call returns there
  /// (src/compiler/plugin/direct.cpp).
  unsigned long place;
  /// The low end of the thread's own stack; all ones before the first look-up.
  unsigned long stack;
  /// The high end of the thread's own stack; 0 before the first look-up.
  unsigned long stack_end;
  /// The `frame` of a direct call before it became unknown; else 0.
  unsigned long frame_before;
};

/// Has a cache line of its own.
struct alignas(64) Epoch {
  unsigned long now; ///< The upper half counts grace periods, the lower half is 1.
};

extern __thread Reader *reader __asm__("sartor_reader") __attribute__((tls_model("initial-exec")));
extern Epoch epoch __asm__("sartor_epoch");

/// Slow path of the begin of a section (`place` is 0 if the frame is not known): the thread is not
/// registered yet, the kernel has no membarrier(), the thread is on another stack, or a section was
/// left by longjmp(). Returns null if sartor_leave() must be called at the end.
Reader *enter(unsigned long frame, unsigned long place) noexcept __asm__("sartor_enter");
void leave() noexcept __asm__("sartor_leave");

constexpr unsigned long kNesting = 0xffff'ffff;
constexpr unsigned long kUnknownFrame = ~0UL;
constexpr unsigned long kReturnAddress = 1UL << 63;

/// While one exists, no variant that this thread may have loaded from an entry is reclaimed.
/// Sections nest. (M. Desnoyers et al., "User-Level Implementations of Read-Copy Update", IEEE TPDS
/// 23(2), 2012.)
class ReadSection {
public:
  /// `frame_is_known` is true if the section runs no code of the program other than the functions
  /// that the protected function calls. Copying an argument, for example, may call anything.
  [[gnu::always_inline]] explicit ReadSection(bool frame_is_known = true) noexcept
      : reader_(reader) {
    const unsigned long frame = stack_pointer();
    const unsigned long caller = place(); // not in a rare path that may have been outlined
    if (__builtin_expect(reader_ != nullptr, true)) {
      const unsigned long word = __atomic_load_n(&reader_->word, __ATOMIC_RELAXED);
      if (__builtin_expect((word & kNesting) == 0, true)) {
        __atomic_store_n(&reader_->word, __atomic_load_n(&epoch.now, __ATOMIC_ACQUIRE),
                         __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_SEQ_CST); // pairs with membarrier() in the waiting thread
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

  Reader *reader_; ///< Null if leave() ends the section.
};

} // namespace sartor::detail

#endif
