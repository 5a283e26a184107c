// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/thread/own_stack.h"

#include <array>
#include <csignal>
#include <memory>
#include <thread>

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sartor::base {
namespace {

/// The bounds of the calling thread's stack, as the C library reports them.
OwnStack stack_by_library() {
  pthread_attr_t attributes;
  void *low = nullptr;
  std::size_t size = 0;
  EXPECT_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
  EXPECT_EQ(pthread_attr_getstack(&attributes, &low, &size), 0);
  pthread_attr_destroy(&attributes);
  const auto begin = reinterpret_cast<std::uintptr_t>(low);
  return {begin, begin + size};
}

std::uintptr_t here() { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }

/// Expects the library's bounds. `above`: bytes beyond the last frame (arguments and environment),
/// which the library omits.
void expect_as_the_library_says(std::size_t above = 0) {
  const auto found = OwnStack::find();
  const OwnStack expected = stack_by_library();
  ASSERT_TRUE(found);
  EXPECT_GE(found->low, expected.low);
  EXPECT_LT(found->low, here());
  EXPECT_GT(found->end, here());
  EXPECT_LE(found->end, expected.end + above);
}

TEST(OwnStackTest, OfTheMainThreadIsWhatTheLibrarySays) {
  expect_as_the_library_says(4U << 20);
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  if (limit.rlim_cur != RLIM_INFINITY)
    EXPECT_LE(OwnStack::find()->low, here() - limit.rlim_cur / 2); // all it may grow to
}

TEST(OwnStackTest, OfOtherThreadsIsWhatTheLibrarySays) {
  for (int i = 0; i < 3; ++i)
    std::thread([] {
      expect_as_the_library_says();
      EXPECT_EQ(OwnStack::find()->low, stack_by_library().low);
    }).join();
}

TEST(OwnStackTest, IsTheSameOnAnAlternateStack) {
  static std::optional<OwnStack> found;
  std::array<char, 1U << 15> memory{};
  const stack_t alternate{.ss_sp = memory.data(), .ss_flags = 0, .ss_size = memory.size()};
  stack_t before{};
  ASSERT_EQ(sigaltstack(&alternate, &before), 0);
  struct sigaction action{};
  action.sa_handler = [](int) { found = OwnStack::find(); };
  action.sa_flags = SA_ONSTACK;
  ASSERT_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
  raise(SIGUSR1);
  sigaltstack(&before, nullptr);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->low, OwnStack::find()->low);
  EXPECT_EQ(found->end, OwnStack::find()->end);
}

/// Runs `thread` on a stack of the program's own, without a guard page.
void run_on_stack_of_ours(void *(*thread)(void *)) {
  constexpr std::size_t size = 1U << 20;
  void *memory = std::aligned_alloc(4096, size);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstack(&attributes, memory, size), 0);
  pthread_t started{};
  ASSERT_EQ(pthread_create(&started, &attributes, thread, nullptr), 0);
  pthread_join(started, nullptr);
  pthread_attr_destroy(&attributes);
  std::free(memory);
}

TEST(OwnStackTest, IsNeverMoreThanTheThreadHas) {
  run_on_stack_of_ours([](void *) -> void * {
    if (const auto found = OwnStack::find())
      EXPECT_GE(found->low, stack_by_library().low);
    return nullptr;
  });
}

TEST(OwnStackTest, IsRightInAChildThatAThreadHasForked) {
  std::thread([] {
    const auto found = OwnStack::find();
    ASSERT_TRUE(found);
    OwnStack::before_fork();
    const pid_t child = fork();
    if (child == 0) {
      OwnStack::after_fork_in_child();
      const auto again = OwnStack::find();
      _exit(again && again->low == found->low && again->end == found->end ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }).join();
}

} // namespace
} // namespace sartor::base
