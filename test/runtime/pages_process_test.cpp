// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of a process while some of its pages are protected.
#include <array>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pages.h"

namespace {

using namespace std::chrono_literals;
using sartor::_;

int status_of(pid_t child) {
  int status = -1;
  EXPECT_TRUE(comes_true([&] { return waitpid(child, &status, WNOHANG) == child; }));
  return status;
}

TEST_F(Pages, GoOnInAChild) {
  sartor::Runtime runtime(logged());
  const auto quasi_invariant = shared_of(*file_);
  const auto read = runtime.bind<&read_and_call>(&*file_, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  const pid_t child = fork();
  if (child == 0) {
    const bool was_folded = shared_is_folded(read);
    store(file_->shared, 3);
    const bool seen = holds([&] { return shared_by(read) == 3; }) &&
                      holds([&] { return quasi_invariant.figures().page_faults >= 1; });
    const bool again = comes_true([&] { return shared_is_folded(read); });
    store(file_->shared, 4);
    const bool seen_again = holds([&] { return shared_by(read) == 4; });
    _exit(was_folded && seen && again && seen_again ? 0 : 1);
  }
  EXPECT_EQ(status_of(child), 0);
  EXPECT_TRUE(shared_is_folded(read));
  store(file_->shared, 5);
  EXPECT_TRUE(holds([&] { return shared_by(read) == 5; }));
  EXPECT_TRUE(holds([&] { return quasi_invariant.figures().page_faults >= 1; }));
}

// A child that Sartor does not know of may not call handlers, but it may write.
TEST_F(Pages, AreOpenToAChildBehindTheLibrarysBack) {
  sartor::Runtime runtime;
  const auto quasi_invariant = shared_of(*file_);
  ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  const auto child = static_cast<pid_t>(syscall(SYS_fork));
  if (child == 0) {
    store(file_->shared, 3);
    _exit(file_->shared == 3 ? 0 : 1);
  }
  EXPECT_EQ(status_of(child), 0);
  EXPECT_TRUE(quasi_invariant.valid());
}

TEST_F(Pages, LetAProcessExitWhileAWriterWaits) {
  const pid_t child = fork();
  if (child == 0) {
    static sartor::Runtime runtime;
    static const auto quasi_invariant = shared_of(*file_);
    static const auto read = runtime.bind<&read_and_call>(&*file_, _);
    static std::atomic<bool> is_inside = false;
    if (!comes_true([&] { return shared_is_folded(read); }))
      _exit(2);
    std::thread([] {
      read([](File *) {
        is_inside = true;
        for (;;)
          pause();
      });
    }).detach();
    (void)comes_true([] { return is_inside.load(); });
    std::thread([this] { store(file_->shared, 1); }).detach();
    (void)comes_true([] { return !quasi_invariant.valid(); });
    std::exit(0); // NOLINT(concurrency-mt-unsafe)
  }
  EXPECT_EQ(status_of(child), 0);
}

// Page protection does not depend on descriptors that the program can close, and Sartor writes
// nothing to a file of the program.
TEST_F(Pages, GoOnWhenTheProgramClosesAllDescriptors) {
  const pid_t child = fork();
  if (child == 0) {
    sartor::Runtime runtime;
    const auto quasi_invariant = shared_of(*file_);
    const auto read = runtime.bind<&read_and_call>(&*file_, _);
    if (!comes_true([&] { return shared_is_folded(read); }))
      _exit(1);
    closefrom(3);
    std::array<int, 40> files{};
    for (int &file : files)
      file = memfd_create("of the program", 0);
    for (std::uint64_t value = 3; value < 6; ++value) {
      store(file_->shared, value);
      if (shared_by(read) != value)
        _exit(2);
      if (!comes_true([&] { return shared_is_folded(read); }))
        _exit(3);
    }
    for (const int file : files)
      if (lseek(file, 0, SEEK_END) != 0)
        _exit(4);
    _exit(quasi_invariant.figures().page_faults >= 3 ? 0 : 5);
  }
  EXPECT_EQ(WEXITSTATUS(status_of(child)), 0);
}

/// Variables of the program: a private mapping of its file, until Sartor replaces the mapping.
struct alignas(4096) Variables {
  File file;
  std::array<std::uint64_t, 2> counts;
};
constexpr std::size_t kVariables = 64;
std::array<Variables, kVariables> variables = {{{{0, 1, 2, 4096}, {}}}};

sigjmp_buf sealed;

TEST_F(Pages, OfTheProgramsVariablesMayBeSealed) {
  if (is_by_signal())
    GTEST_SKIP() << "where there is no userfaultfd, mprotect() is ours and the program's at once";
  const pid_t child = fork();
  if (child == 0) {
    sartor::Runtime runtime;
    File &file = variables[0].file;
    const auto quasi_invariant = shared_of(file);
    if (!quasi_invariant.wait_until_valid(kPatience) ||
        mprotect(&variables[0], page_size(), PROT_READ) != 0)
      _exit(1);
    (void)signal(SIGSEGV, [](int) { siglongjmp(sealed, 1); });
    if (sigsetjmp(sealed, 1) == 0) {
      store(file.shared, 3);
      _exit(2);
    }
    _exit(quasi_invariant.valid() ? 0 : 3);
  }
  EXPECT_EQ(WEXITSTATUS(status_of(child)), 0);
}

TEST_F(Pages, OfTheProgramsVariablesAreWrittenToBySystemCalls) {
  if (!system_calls_are_seen())
    GTEST_SKIP() << "needs a userfaultfd for the kernel's writes";
  sartor::Runtime runtime(logged());
  File &file = variables[1].file;
  const auto quasi_invariant = shared_of(file);
  const auto read_file = runtime.bind<&read_and_call>(&file, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read_file); }));
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const std::uint64_t value = 9;
  ASSERT_EQ(write(ends[1], &value, sizeof value), static_cast<ssize_t>(sizeof value));
  EXPECT_EQ(read(ends[0], &file.shared, sizeof value), static_cast<ssize_t>(sizeof value));
  EXPECT_TRUE(holds([&] { return shared_by(read_file) == 9; }));
  close(ends[0]);
  close(ends[1]);
}

TEST_F(Pages, OfTheProgramsVariablesLoseNoWrite) {
  sartor::Runtime runtime;
  std::atomic<bool> ends = false;
  std::array<std::thread, 2> writers;
  std::array<std::uint64_t, 2> rounds{};
  for (std::size_t i = 0; i < writers.size(); ++i)
    writers.at(i) = std::thread([&, i] {
      for (; !ends; ++rounds.at(i))
        for (Variables &each : variables)
          store(each.counts.at(i), each.counts.at(i) + 1);
    });
  for (std::size_t i = 2; i < kVariables; ++i) {
    const auto quasi_invariant = shared_of(variables.at(i).file);
    std::this_thread::sleep_for(1ms);
  }
  ends = true;
  for (std::thread &writer : writers)
    writer.join();
  for (std::size_t i = 0; i < writers.size(); ++i)
    for (const Variables &each : variables)
      ASSERT_EQ(each.counts.at(i), rounds.at(i));
}

// A callback of the program is called without any lock that invalidation takes.
TEST_F(Pages, MayBeWrittenToByTheAnswersOfOthers) {
  bool is_in_time = false;
  // If the machine stops, the invalidation is late, too.
  for (std::uint64_t value = 4; value < 7 && !is_in_time; ++value) {
    std::filesystem::remove(log_);
    sartor::Runtime runtime(logged());
    const auto quasi_invariant = shared_of(*file_);
    const auto read = runtime.bind<&read_and_call>(&*file_, _);
    const OwnPage other;
    sartor::QuasiInvariantOptions asking;
    asking.refuse = [&](void *, std::size_t) {
      store(file_->shared, value);
      return true;
    };
    const auto asked = shared_of(*other, asking);
    ASSERT_TRUE(asked.wait_until_valid(kPatience));
    ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
    const sartor::Write write(asked);
    EXPECT_FALSE(write);
    ASSERT_TRUE(comes_true([&] { return shared_by(read) == value; }));
    is_in_time = !log().contains("quasi_invariant_invalidated_late");
    EXPECT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  }
  EXPECT_TRUE(is_in_time);
}

// The writer holds the lock of the allocator, which itself writes on the protected page.
TEST_F(Pages, AreOpenedInTheEndForWhoHoldsTheAllocatorsLock) {
#ifdef SARTOR_TEST_OTHERS_ALLOCATOR
  GTEST_SKIP() << "the sanitizer's allocator has no lock that a test can hold";
#endif
  sartor::Runtime runtime(logged());
  const auto quasi_invariant = shared_of(*file_);
  const auto read = runtime.bind<&read_and_call>(&*file_, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  {
    const std::lock_guard allocating(allocator_lock);
    store(file_->shared, 2);
  }
  ASSERT_TRUE(comes_true([&] { return shared_by(read) == 2; }));
  EXPECT_TRUE(comes_true([&] { return log().contains("quasi_invariant_invalidated_late"); }));
  EXPECT_TRUE(comes_true([&] { return shared_is_folded(read); }));
}

sigjmp_buf recovery;
struct sigaction before_ours;
std::atomic<int> recovered = 0;

void recover(int, siginfo_t *, void *) {
  ++recovered;
  siglongjmp(recovery, 1);
}

void pass_on(int signal, siginfo_t *info, void *context) {
  ++recovered;
  before_ours.sa_sigaction(signal, info, context);
}

void write_to(void *page) {
  if (sigsetjmp(recovery, 1) == 0)
    *static_cast<volatile char *>(page) = 1;
}

// As a garbage collector does, or a program that recovers from errors.
TEST_F(Pages, LeaveFaultsOfTheProgramsOwnToItsHandler) {
  struct sigaction own = {};
  struct sigaction before = {};
  own.sa_sigaction = recover;
  own.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &own, &before);
  void *wall = mmap(nullptr, page_size(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  sartor::Runtime runtime(logged());
  const auto quasi_invariant = shared_of(*file_);
  const auto read = runtime.bind<&read_and_call>(&*file_, _);
  for (int i = 1; i < 4; ++i) {
    ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
    write_to(wall);
    EXPECT_EQ(recovered, i);
    store(file_->shared, static_cast<std::uint64_t>(i));
    EXPECT_TRUE(holds([&] { return shared_by(read) == static_cast<std::uint64_t>(i); }));
  }
  // Now a handler is installed after Sartor's; it passes on unknown faults.
  own.sa_sigaction = pass_on;
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  sigaction(SIGSEGV, &own, &before_ours);
  store(file_->shared, 9);
  EXPECT_TRUE(holds([&] { return shared_by(read) == 9; }));
  if (is_by_signal()) {
    EXPECT_EQ(recovered, 4);
    ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); })); // Sartor's is first again
    store(file_->shared, 10);
    EXPECT_TRUE(holds([&] { return shared_by(read) == 10; }));
    EXPECT_EQ(recovered, 4);
    write_to(wall); // to the new handler, from there to Sartor's, and then to the earlier one
    EXPECT_EQ(recovered, 6);
  }
  sigaction(SIGSEGV, &before, nullptr);
  munmap(wall, page_size());
}

// The program itself makes a page inaccessible that was protected and opened before.
TEST_F(Pages, ThatTheProgramProtectsItselfEndItAsEver) {
  const pid_t child = fork();
  if (child == 0) {
    sartor::Runtime runtime;
    const auto quasi_invariant = shared_of(*file_);
    (void)quasi_invariant.wait_until_valid(kPatience);
    store(file_->shared, 1);
    signal(SIGSEGV, SIG_DFL);
    mprotect(&*file_, page_size(), PROT_NONE);
    store(file_->shared, 2);
    _exit(0);
  }
  const int status = status_of(child);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
}

} // namespace
