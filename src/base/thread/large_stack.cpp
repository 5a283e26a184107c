// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/thread/large_stack.h"

#include <cstddef>
#include <cstdint>
#include <exception>

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#endif

namespace sartor::base {

namespace {

thread_local bool is_on_one = false;

/// Memory for a stack, with an inaccessible page below it.
class Stack {
public:
  Stack() : guard_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    void *memory = mmap(nullptr, kLargeStackBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
      return;
    memory_ = static_cast<std::byte *>(memory);
    (void)mprotect(memory_, guard_, PROT_NONE);
  }
  ~Stack() {
    if (memory_)
      munmap(memory_, kLargeStackBytes);
  }
  Stack(const Stack &) = delete;
  Stack &operator=(const Stack &) = delete;

  explicit operator bool() const { return memory_ != nullptr; }
  [[nodiscard]] std::byte *begin() const { return memory_ + guard_; }
  [[nodiscard]] std::size_t size() const { return kLargeStackBytes - guard_; }

private:
  std::byte *memory_ = nullptr;
  std::size_t guard_;
};

/// A call that switches between two stacks.
struct Call {
  const std::function<void()> &body;
  std::exception_ptr thrown = nullptr;
  ucontext_t caller{};
  ucontext_t callee{};
  const void *caller_stack = nullptr; ///< For AddressSanitizer.
  std::size_t caller_size = 0;
  void *caller_fake = nullptr;
};

// AddressSanitizer must know the current stack.
void leave([[maybe_unused]] void **fake, [[maybe_unused]] const void *to,
           [[maybe_unused]] std::size_t size) {
#if __has_feature(address_sanitizer)
  __sanitizer_start_switch_fiber(fake, to, size);
#endif
}
void arrive([[maybe_unused]] void *fake, [[maybe_unused]] const void **from,
            [[maybe_unused]] std::size_t *size) {
#if __has_feature(address_sanitizer)
  __sanitizer_finish_switch_fiber(fake, from, size);
#endif
}

// makecontext() passes numbers of 32 bits.
void begin(unsigned high, unsigned low) {
  auto &call = *reinterpret_cast<Call *>((std::uintptr_t{high} << 32) | low); // NOLINT
  arrive(nullptr, &call.caller_stack, &call.caller_size);
  try {
    call.body();
  } catch (...) {
    call.thrown = std::current_exception();
  }
  leave(nullptr, call.caller_stack, call.caller_size);
}

} // namespace

void run_on_large_stack(const std::function<void()> &body) {
  const Stack stack;
  if (is_on_one || !stack)
    return body();
  Call call{body};
  if (getcontext(&call.callee) != 0)
    return body();
  call.callee.uc_stack.ss_sp = stack.begin();
  call.callee.uc_stack.ss_size = stack.size();
  call.callee.uc_link = &call.caller;
  const auto address = reinterpret_cast<std::uintptr_t>(&call);
  makecontext(&call.callee, reinterpret_cast<void (*)()>(begin), 2,
              static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
  int cancelled = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled);
  is_on_one = true;
  leave(&call.caller_fake, stack.begin(), stack.size());
  swapcontext(&call.caller, &call.callee);
  arrive(call.caller_fake, nullptr, nullptr);
  is_on_one = false;
  pthread_setcancelstate(cancelled, nullptr);
  if (call.thrown)
    std::rethrow_exception(call.thrown);
}

} // namespace sartor::base
