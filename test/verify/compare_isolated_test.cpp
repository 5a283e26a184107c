// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/isolated_call.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <stdexcept>

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "call_of.h"
#include "paths.h"

namespace sartor::runtime {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using Numbers = std::array<volatile long, 4096>;

Numbers &numbers(void *argument) { return *static_cast<Numbers *>(argument); }

volatile long global = 1;
thread_local volatile long of_thread = 1;
volatile long *volatile nowhere = nullptr;

long seven(void *) { return 7; }
long eight(void *) { return 8; }
long also_seven(void *) { return global * 7; }
long store_5(void *to) {
  numbers(to)[100] = 5;
  return 0;
}
long store_6(void *to) {
  numbers(to)[100] = 6;
  return 0;
}
long store_5_elsewhere(void *to) {
  numbers(to)[3000] = 5;
  return 0;
}
long store_nothing(void *) { return 0; }
long set_global(void *) {
  global = 2;
  return 2;
}
long leave_global(void *) { return 2; }
long set_of_thread(void *) {
  of_thread = 2;
  return 2;
}
long leave_of_thread(void *) { return 2; }
long crash(void *) {
  *nowhere = 1;
  return 7;
}
// Until the end of the stack.
long overwrite_callers(void *) {
  auto *at = static_cast<volatile char *>(__builtin_frame_address(0));
  for (;; ++at)
    *at = static_cast<char>(*at * 5 + 1);
}
long trap(void *) { __builtin_trap(); }
long loop(void *) {
  while (global != 0)
    ;
  return 7;
}
long fail(void *) { throw std::runtime_error("failed"); }
long fail_too(void *) { throw std::runtime_error(std::string(100, 'x')); }
long fail_otherwise(void *) { throw 7; }

TEST(CompareIsolatedTest, FindsPureFunctionsSame) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call;
  const auto comparison = call.compare(seven, also_seven);
  EXPECT_EQ(text_of(comparison), "same");
  EXPECT_EQ(CallOf::result_in(comparison.native_frame), 7);
  EXPECT_EQ(CallOf::result_in(comparison.variant_frame), 7);
  EXPECT_EQ(call.result(), -1) << "the calls have written to the program's memory";
}

TEST(CompareIsolatedTest, FindsAWrongResult) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call;
  EXPECT_EQ(text_of(call.compare(seven, eight)),
            "different: the variant returns another result: byte 0 is 0x8 instead of 0x7");
}

TEST(CompareIsolatedTest, ComparesOnlyTheDefinedPartOfTheResult) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call;
  std::array<unsigned char, 8> mask{0xf0};
  (*call).result_mask = mask.data();
  EXPECT_EQ(text_of(call.compare(seven, eight)), "same");
  mask[0] = 1;
  EXPECT_THAT(text_of(call.compare(seven, eight)), StartsWith("different: "));
}

TEST(CompareIsolatedTest, FindsAWrongOrMissingStore) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  const auto heap = std::make_unique<Numbers>();
  alignas(16) Numbers stack{};
  for (Numbers *to : {heap.get(), &stack}) {
    CallOf call(to);
    EXPECT_EQ(text_of(call.compare(store_5, store_5)), "same");
    for (const Code wrong : {store_6, store_5_elsewhere, store_nothing}) {
      EXPECT_THAT(text_of(call.compare(store_5, wrong)),
                  StartsWith("different: the variant writes other memory"));
      EXPECT_THAT(text_of(call.compare(wrong, store_5)),
                  StartsWith("different: the variant writes other memory"));
    }
    EXPECT_EQ((*to)[100], 0);
    EXPECT_EQ((*to)[3000], 0);
  }
}

TEST(CompareIsolatedTest, IgnoresStoresOfTheSameValue) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  const auto heap = std::make_unique<Numbers>();
  (*heap)[100] = 5;
  CallOf call(heap.get());
  EXPECT_EQ(text_of(call.compare(store_5, store_nothing)), "same");
  EXPECT_EQ(text_of(call.compare(store_nothing, store_5)), "same");
}

TEST(CompareIsolatedTest, FindsWrongGlobalsAndThreadLocals) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call;
  EXPECT_THAT(text_of(call.compare(set_global, leave_global)), StartsWith("different: "));
  EXPECT_THAT(text_of(call.compare(set_of_thread, leave_of_thread)), StartsWith("different: "));
  EXPECT_EQ(global, 1);
  EXPECT_EQ(of_thread, 1);
}

TEST(CompareIsolatedTest, BeginsEachCallWithTheSameMemory) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call;
  const Code next = [](void *) -> long {
    global = global + 1;
    return global;
  };
  const auto comparison = call.compare(next, next);
  EXPECT_EQ(text_of(comparison), "same");
  EXPECT_EQ(CallOf::result_in(comparison.native_frame), 2);
  EXPECT_EQ(CallOf::result_in(comparison.variant_frame), 2);
}

TEST(CompareIsolatedTest, FindsAVariantThatCrashes) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call;
  EXPECT_EQ(text_of(call.compare(seven, crash)),
            "different: the variant crashes with signal 11 (SIGSEGV) at 0x0, native code returns");
  EXPECT_THAT(text_of(call.compare(seven, trap)), HasSubstr("SIGILL"));
  EXPECT_THAT(text_of(call.compare(crash, seven)),
              StartsWith("not comparable: native code crashes"));
  EXPECT_EQ(text_of(call.compare(crash, crash)), "same");
}

TEST(CompareIsolatedTest, FindsAnOverflowOfTheStack) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call;
  struct Recursion {
    static long deeper(void *depth) {
      volatile char room[4096];
      room[0] = 0;
      return global == 0 ? 0 : deeper(static_cast<char *>(depth) + 1) + room[0];
    }
  };
  EXPECT_THAT(text_of(call.compare(seven, Recursion::deeper)),
              StartsWith("different: the variant crashes with signal 11"));
}

TEST(CompareIsolatedTest, FindsAVariantThatOverwritesItsCallers) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call;
  EXPECT_THAT(text_of(call.compare(seven, overwrite_callers)),
              StartsWith("different: the variant crashes with signal 11"));
  EXPECT_THAT(text_of(call.compare(overwrite_callers, seven)),
              StartsWith("not comparable: native code crashes"));
}

TEST(CompareIsolatedTest, FindsAVariantThatDoesNotReturn) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call;
  const IsolationLimits limits{.time = std::chrono::milliseconds(30)};
  EXPECT_EQ(text_of(call.compare(seven, loop, limits)),
            "different: the variant runs for more than 30 ms");
  EXPECT_EQ(text_of(call.compare(loop, seven, limits)),
            "not comparable: native code runs for more than 30 ms");
}

TEST(CompareIsolatedTest, ComparesExceptions) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call;
  EXPECT_EQ(text_of(call.compare(fail, fail_too)), "same");
  EXPECT_EQ(text_of(call.compare(fail, fail_otherwise)),
            "different: the variant throws an exception of another type");
  EXPECT_EQ(text_of(call.compare(seven, fail)),
            "different: the variant throws an exception, native code returns");
  EXPECT_EQ(text_of(call.compare(fail, seven)),
            "different: the variant returns, native code throws an exception");
}

TEST(CompareIsolatedTest, RefusesSystemCalls) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call;
  const Code writes = [](void *) -> long { return write(STDOUT_FILENO, "written\n", 8); };
  const Code asks = [](void *) -> long { return syscall(SYS_getpid); };
  const Code rare = [](void *) -> long { return syscall(SYS_swapoff, nullptr); };
  EXPECT_EQ(text_of(call.compare(writes, writes)),
            "not comparable: native code makes the system call write");
  EXPECT_EQ(text_of(call.compare(asks, seven)),
            "not comparable: native code makes the system call getpid");
  EXPECT_EQ(text_of(call.compare(rare, seven)),
            "not comparable: native code makes the system call number " +
                std::to_string(SYS_swapoff));
  EXPECT_EQ(text_of(call.compare(seven, asks)),
            "different: the variant makes the system call getpid, native code returns");
  EXPECT_THAT(text_of(call.compare(seven, [](void *) -> long { std::abort(); })),
              StartsWith("different: the variant makes the system call "));
}

TEST(CompareIsolatedTest, LeavesTheAllocatorsSystemCallsUndecided) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call;
  const Code maps = [](void *) -> long {
    return mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
  };
  EXPECT_EQ(text_of(call.compare(seven, maps)),
            "not comparable: the variant makes the system call mmap, native code returns");
}

TEST(CompareIsolatedTest, RecognizesNativeCodeThatDiffersFromItself) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call;
  const Code clock = [](void *) -> long {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now); // in the process, by the vDSO
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
  };
  const Code counter = [](void *) -> long { return static_cast<long>(__builtin_ia32_rdtsc()); };
  const Code stack_garbage = [](void *) -> long {
    volatile long uninitialized[512];
    long sum = 0;
    for (int i = 0; i < 512; ++i)
      sum += uninitialized[i];
    return sum;
  };
  const std::string expected = "not comparable: native code gives different results";
  const auto clocks = text_of(call.compare(clock, clock));
  if (clocks.find("clock_gettime") != std::string::npos)
    std::puts("this machine's clock is read by a system call");
  else
    EXPECT_EQ(clocks, expected);
  EXPECT_EQ(text_of(call.compare(counter, counter)), expected);
  EXPECT_EQ(text_of(call.compare(stack_garbage, seven)), expected);
}

TEST(CompareIsolatedTest, DoesNotCompareTheCalleesStack) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call;
  const Code uses_stack = [](void *) -> long {
    volatile char garbage[20000];
    for (unsigned i = 0; i < sizeof garbage; ++i)
      garbage[i] = static_cast<char>(i);
    return garbage[7];
  };
  EXPECT_EQ(text_of(call.compare(uses_stack, seven)), "same");
}

TEST(CompareIsolatedTest, DoesNotCompareAddressesOfLocals) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  [[maybe_unused]] static volatile char *volatile kept;
  CallOf call;
  const Code keeps_one = [](void *) -> long {
    volatile char locals[100];
    kept = &locals[10];
    return 7;
  };
  const Code keeps_another = [](void *) -> long {
    volatile char locals[100];
    kept = &locals[50];
    return 7;
  };
  EXPECT_EQ(text_of(call.compare(keeps_one, keeps_another)), "same");
  const Code keeps_none = [](void *) -> long {
    kept = nullptr;
    return 7;
  };
  EXPECT_THAT(text_of(call.compare(keeps_one, keeps_none)),
              testing::HasSubstr("writes other memory"));
}

TEST(CompareIsolatedTest, LetsTheCodeAllocate) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call;
  const Code allocates = [](void *) -> long {
    long sum = 0;
    for (int i = 1; i <= 10; ++i) {
      auto *volatile memory = static_cast<long *>(std::malloc(100));
      memory[3] = i;
      sum += memory[3];
      std::free(memory);
    }
    return sum;
  };
  EXPECT_EQ(text_of(call.compare(allocates, allocates)), "same");
  EXPECT_EQ(CallOf::result_in(call.run(allocates).frame), 55);
}

/// Allocates and releases memory, which leaves traces in the heap.
long allocate(void *) {
  auto *volatile memory = static_cast<long *>(std::malloc(3000));
  memory[3] = 7;
  const long result = memory[3];
  std::free(memory);
  return result;
}

TEST(CompareIsolatedTest, DoesNotMistakeLessAllocationForADifference) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  const auto heap = std::make_unique<Numbers>();
  CallOf call(heap.get());
  EXPECT_THAT(text_of(call.compare(allocate, seven)),
              StartsWith("not comparable: the code allocates memory, and the variant writes"));
  EXPECT_THAT(text_of(call.compare(seven, allocate)),
              StartsWith("not comparable: the code allocates memory, and the variant writes"));
  // Results, variables and the stack are compared all the same.
  const Code sets_global = [](void *of) -> long {
    global = 2;
    return allocate(of);
  };
  const Code wrong = [](void *of) -> long { return allocate(of) + 1; };
  EXPECT_THAT(text_of(call.compare(allocate, sets_global)), StartsWith("different: "));
  EXPECT_THAT(text_of(call.compare(sets_global, seven)), StartsWith("different: "));
  EXPECT_THAT(text_of(call.compare(wrong, seven)), StartsWith("different: "));
  alignas(16) Numbers stack{};
  CallOf on_stack(&stack);
  const Code stores = [](void *to) -> long { return store_5(to) + allocate(to); };
  EXPECT_THAT(text_of(on_stack.compare(stores, allocate)), StartsWith("different: "));
  const Code allocates_and_crashes = [](void *of) -> long {
    (void)allocate(of);
    __builtin_trap();
  };
  EXPECT_THAT(text_of(call.compare(seven, allocates_and_crashes)), StartsWith("different: "));
}

TEST(CompareIsolatedTest, RefusesMoreMemoryThanTheLimit) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  const auto heap = std::make_unique<Numbers>();
  CallOf call(heap.get());
  const Code writes_all = [](void *to) -> long {
    for (auto &number : numbers(to))
      number = 1;
    return 0;
  };
  EXPECT_EQ(text_of(call.compare(writes_all, writes_all)), "same");
  EXPECT_EQ(text_of(call.compare(writes_all, writes_all, {.bytes = 16384})),
            "not comparable: native code writes more than 16384 bytes of memory");
  EXPECT_THAT(text_of(call.compare(store_nothing, writes_all, {.bytes = 16384})),
              StartsWith("not comparable: the variant writes more than 16384 bytes"));
}

// The first call of a function that is bound lazily changes a slot and data of the dynamic linker.
TEST(CompareIsolatedTest, DoesNotCompareTheDynamicLinkersData) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  void *library = dlopen(paths::lazy_library().c_str(), RTLD_LAZY | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
  const auto calls = reinterpret_cast<Code>(dlsym(library, "calls_lazily"));
  const auto inlined = reinterpret_cast<Code>(dlsym(library, "calls_nothing"));
  ASSERT_TRUE(calls && inlined);
  CallOf call;
  EXPECT_FALSE(call.run(calls).written.empty()) << "the library is not bound lazily";
  EXPECT_EQ(text_of(call.compare(calls, inlined)), "same");
  EXPECT_EQ(text_of(call.compare(inlined, calls)), "same");
  dlclose(library);
}

// The floating-point environment belongs to the caller.
TEST(CompareIsolatedTest, KeepsTheCallersRounding) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call;
  const Code rounds = [](void *) -> long { return __builtin_ia32_stmxcsr(); };
  const unsigned before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before | 0x6000);
  const auto outcome = call.run(rounds);
  __builtin_ia32_ldmxcsr(before);
  EXPECT_EQ(CallOf::result_in(outcome.frame) & 0x6000, 0x6000);
}

} // namespace
} // namespace sartor::runtime
