// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Isolated calls in programs with other threads, without descriptors, and with small limits.
#include "runtime/verify/isolated_call.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "call_of.h"

namespace sartor::runtime {
namespace {

using testing::StartsWith;

volatile long of_program = 1;

long seven(void *) { return 7; }
long eight(void *) { return 8; }
long count(void *) {
  of_program = of_program + 1;
  return of_program;
}

/// Runs a function in a process of its own, for example after it has closed all descriptors.
/// Returns its exit status, or -1.
int in_process(void (*body)()) {
  const pid_t process = fork();
  if (process == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void expect_in_process(bool holds, int status) {
  if (!holds)
    _exit(status);
}

/// Exits with a status unless comparisons work here.
void compare_in_process() {
  CallOf call;
  expect_in_process(call.compare(seven, seven).verdict == IsolatedVerdict::same, 1);
  expect_in_process(call.compare(count, seven).verdict == IsolatedVerdict::different, 2);
  expect_in_process(of_program == 1, 3);
}

std::atomic<int> child_signals = 0;

TEST(IsolatedSurroundingsTest, ShowTheProgramNoChild) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  struct sigaction action{};
  struct sigaction before{};
  action.sa_handler = [](int) { ++child_signals; };
  ASSERT_EQ(sigaction(SIGCHLD, &action, &before), 0);
  CallOf call;
  std::atomic<bool> ends = false;
  std::jthread waits([&] {
    while (!ends)
      EXPECT_TRUE(waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD);
  });
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(text_of(call.compare(seven, seven)), "same");
  EXPECT_THAT(text_of(call.compare(seven, [](void *) -> long { return __builtin_trap(), 0; })),
              StartsWith("different"));
  ends = true;
  waits.join();
  EXPECT_EQ(waitpid(-1, nullptr, __WALL | WNOHANG), -1) << "a child is left";
  EXPECT_EQ(errno, ECHILD);
  EXPECT_EQ(child_signals, 0);
  sigaction(SIGCHLD, &before, nullptr);
}

TEST(IsolatedSurroundingsTest, KeepErrnoAndTheSignalMask) {
  CallOf call;
  sigset_t before;
  sigset_t after;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  errno = 4321;
  (void)call.compare(seven, eight);
  EXPECT_EQ(errno, 4321);
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  for (int signal = 1; signal <= SIGRTMAX; ++signal)
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal)) << signal;
}

TEST(IsolatedSurroundingsTest, LeaveNoDescriptorOrMapping) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto mappings = [] {
    std::ifstream maps("/proc/self/maps");
    std::size_t shared = 0;
    for (std::string line; std::getline(maps, line);)
      shared += line.find("/dev/zero") != std::string::npos ? 1 : 0;
    return shared;
  };
  CallOf call;
  const auto descriptors_before = descriptors();
  const auto mappings_before = mappings();
  for (int i = 0; i < 10; ++i) {
    (void)call.compare(seven, eight);
    (void)call.touch(seven);
    (void)call.run([](void *) -> long { return getpid(); });
  }
  EXPECT_EQ(descriptors(), descriptors_before);
  EXPECT_EQ(mappings(), mappings_before);
}

TEST(IsolatedSurroundingsTest, NeedNoDescriptors) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  EXPECT_EQ(in_process([] {
              close_range(0, ~0U, 0);
              compare_in_process();
              expect_in_process(dup(0) == -1, 4); // nothing was opened
            }),
            0);
  EXPECT_EQ(in_process([] {
              rlimit limit{};
              getrlimit(RLIMIT_NOFILE, &limit);
              limit.rlim_cur = 0;
              setrlimit(RLIMIT_NOFILE, &limit);
              compare_in_process();
            }),
            0);
  EXPECT_EQ(in_process([] { // all descriptors are in use
              const rlimit limit{8, 8};
              setrlimit(RLIMIT_NOFILE, &limit);
              while (dup(0) >= 0)
                ;
              compare_in_process();
            }),
            0);
}

TEST(IsolatedSurroundingsTest, AreUnknownWithoutProcessesOrMemory) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  EXPECT_EQ(in_process([] {
              const rlimit none{0, 0};
              setrlimit(RLIMIT_NPROC, &none);
              // The limit does not apply to root.
              expect_in_process(setresuid(65534, 65534, 65534) == 0 || geteuid() != 0, 1);
              CallOf call;
              const auto comparison = call.compare(seven, eight);
              expect_in_process(comparison.verdict == IsolatedVerdict::unknown, 2);
              expect_in_process(comparison.reason.starts_with("no child process"), 3);
            }),
            0);
  EXPECT_EQ(in_process([] {
              const rlimit little{1, 1};
              setrlimit(RLIMIT_AS, &little);
              CallOf call;
              const auto comparison = call.compare(seven, eight);
              expect_in_process(comparison.verdict == IsolatedVerdict::unknown, 2);
              expect_in_process(comparison.reason.starts_with("there is no memory"), 3);
              expect_in_process(!call.touch(seven), 4);
            }),
            0);
}

TEST(IsolatedSurroundingsTest, AreUnknownUnderSeccomp) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  EXPECT_EQ(in_process([] {
              sock_filter filter[] = {
                  // ends the process if it makes a child
                  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
                  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
              const sock_fprog program{4, filter};
              prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
              expect_in_process(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, 1);
              CallOf call;
              const auto comparison = call.compare(seven, eight);
              expect_in_process(comparison.verdict == IsolatedVerdict::unknown, 2);
              expect_in_process(comparison.reason.find("seccomp") != std::string::npos, 3);
            }),
            0);
}

TEST(IsolatedSurroundingsTest, MayIgnoreSignalsOfChildren) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  EXPECT_EQ(in_process([] {
              signal(SIGCHLD, SIG_IGN);
              compare_in_process();
            }),
            0);
}

TEST(IsolatedSurroundingsTest, AreUnknownWithASanitizer) {
  CallOf call;
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  EXPECT_THAT(text_of(call.compare(seven, eight)), testing::HasSubstr("sanitizer"));
  return;
#endif
#endif
  EXPECT_THAT(text_of(call.compare(seven, eight)), StartsWith("different"));
}

// Threads change memory that the code uses the pages of, and hold the allocator's locks.
TEST(IsolatedSurroundingsTest, MayHaveBusyThreads) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  struct Shared {
    volatile long of_code;
    std::atomic<long> of_threads;
    volatile long sums[8];
  };
  const auto shared = std::make_unique<Shared>();
  const Code works = [](void *of) -> long {
    auto &mine = *static_cast<Shared *>(of);
    mine.of_code = mine.of_code + 1;
    auto *const memory = static_cast<volatile long *>(std::malloc(5000));
    memory[100] = mine.of_code;
    const long result = memory[100];
    std::free(const_cast<long *>(memory));
    return result;
  };
  const Code works_wrongly = [](void *of) -> long {
    static_cast<Shared *>(of)->of_code = 77;
    return 1;
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i](const std::stop_token &stop) {
      std::vector<std::unique_ptr<char[]>> kept;
      for (long round = 0; !stop.stop_requested(); ++round) {
        shared->of_threads += i;
        shared->sums[i] = shared->sums[i] + round;
        kept.push_back(std::make_unique<char[]>(static_cast<std::size_t>(round * 37 % 9000)));
        if (kept.size() == 100)
          kept.clear();
      }
    });
  CallOf call(shared.get());
  int same = 0;
  int missed = 0;
  for (int i = 0; i < 200; ++i) {
    const auto comparison = call.compare(works, works);
    EXPECT_NE(comparison.verdict, IsolatedVerdict::different) << comparison.reason;
    same += comparison.verdict == IsolatedVerdict::same ? 1 : 0;
    if (i % 10 == 0) {
      const auto verdict = call.compare(
          [](void *of) -> long {
            static_cast<Shared *>(of)->of_code = 76;
            return 1;
          },
          works_wrongly);
      missed += verdict.verdict == IsolatedVerdict::different ? 0 : 1;
    }
  }
  EXPECT_GE(same, 100) << "the locks of the allocator are not held most of the time";
  EXPECT_EQ(missed, 0);
  EXPECT_EQ(shared->of_code, 0);
}

TEST(IsolatedSurroundingsTest, MayBeUsedByManyThreadsAtOnce) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      CallOf call;
      for (int round = 0; round < 25; ++round) {
        EXPECT_EQ(text_of(call.compare(count, count)), "same");
        EXPECT_THAT(text_of(call.compare(count, seven)), StartsWith("different"));
      }
    });
  threads.clear();
  EXPECT_EQ(of_program, 1);
}

ucontext_t main_context;
ucontext_t other_context;
std::string found_on_stack;

// A stack that the program has allocated, with memory of the program right below it.
TEST(IsolatedSurroundingsTest, MayHaveStacksOfTheirOwn) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  constexpr std::size_t kBytes = 256U << 10;
  const auto memory = std::make_unique<char[]>(2 * kBytes);
  getcontext(&other_context);
  other_context.uc_stack.ss_sp = memory.get() + kBytes;
  other_context.uc_stack.ss_size = kBytes;
  other_context.uc_link = &main_context;
  makecontext(
      &other_context,
      [] {
        volatile long on_stack = 1;
        const auto below = [](void *at) -> long {
          static_cast<volatile char *>(at)[-static_cast<long>(kBytes)] = 9;
          return 7;
        };
        CallOf call(const_cast<long *>(&on_stack));
        found_on_stack = text_of(call.compare(seven, seven)) + "; " +
                         text_of(call.compare(seven, below)).substr(0, 9) + "; " +
                         text_of(call.compare(seven, [](void *at) -> long {
                           *static_cast<volatile long *>(at) = 2;
                           return 7;
                         })).substr(0, 9);
      },
      0);
  swapcontext(&main_context, &other_context);
  EXPECT_EQ(found_on_stack, "same; different; different");
}

// A measurement, not a test of speed.
TEST(IsolatedSurroundingsTest, CostIsReported) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  constexpr std::size_t kBytes = 50U << 20;
  void *memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, kBytes, MADV_NOHUGEPAGE);
  std::memset(memory, 1, kBytes);
  CallOf call;
  ASSERT_EQ(text_of(call.compare(seven, seven)), "same");
  std::vector<double> times;
  for (int i = 0; i < 51; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_EQ(text_of(call.compare(seven, seven)), "same");
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  const double expected = std::chrono::duration<double, std::micro>(expected_fork_time()).count();
  munmap(memory, kBytes);
  std::ranges::sort(times);
  std::printf("a comparison with 50 MiB resident: median %.0f us, %.0f to %.0f; expected %.0f us\n",
              times[25], times.front(), times.back(), expected);
  EXPECT_GT(expected, 0);
}

} // namespace
} // namespace sartor::runtime
