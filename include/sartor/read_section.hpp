// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_READ_SECTION_HPP
#define SARTOR_READ_SECTION_HPP

// The read side of liburcu's "bulletproof" flavour, whose binary interface this is. liburcu's own
// header would do, but declares its variable C++-thread_local, which costs a call at every access;
// and it need not be installed to use Sartor. src/dispatch/retire.cpp checks that the two agree.
extern "C" {
void urcu_bp_read_lock(void);
void urcu_bp_read_unlock(void);
}

namespace sartor::detail {

struct UrcuReader {
  unsigned long nesting;
};
struct UrcuGracePeriod {
  unsigned long counter;
};

extern __thread UrcuReader *urcu_reader __asm__("urcu_bp_reader")
    __attribute__((tls_model("initial-exec")));
extern UrcuGracePeriod urcu_grace_period __asm__("urcu_bp_gp");
extern int urcu_has_membarrier __asm__("urcu_bp_has_sys_membarrier");

constexpr unsigned long kUrcuNestingMask = (1UL << (sizeof(unsigned long) << 2)) - 1;

/// While one exists, no variant that this thread may have loaded from an entry is given back. A
/// thread becomes known to liburcu with its first section and leaves when it exits. Sections nest.
/// (M. Desnoyers et al., "User-Level Implementations of Read-Copy Update", IEEE TPDS 23(2), 2012.)
class ReadSection {
public:
  ReadSection() noexcept : reader_(urcu_reader) {
    if (__builtin_expect(reader_ != nullptr && urcu_has_membarrier != 0, true) &&
        __builtin_expect((reader_->nesting & kUrcuNestingMask) == 0, true)) {
      __atomic_store_n(&reader_->nesting,
                       __atomic_load_n(&urcu_grace_period.counter, __ATOMIC_RELAXED),
                       __ATOMIC_RELAXED);
      __atomic_signal_fence(__ATOMIC_SEQ_CST); // sys_membarrier() on the other side does the rest
    } else {
      reader_ = nullptr;
      urcu_bp_read_lock();
    }
  }
  ~ReadSection() {
    if (__builtin_expect(reader_ != nullptr, true)) {
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      __atomic_store_n(&reader_->nesting, reader_->nesting - 1, __ATOMIC_RELAXED);
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } else {
      urcu_bp_read_unlock();
    }
  }
  ReadSection(const ReadSection &) = delete;
  ReadSection &operator=(const ReadSection &) = delete;

private:
  UrcuReader *reader_; ///< Null if liburcu's own functions were called.
};

} // namespace sartor::detail

#endif
