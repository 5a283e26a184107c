// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which writers to a protected page are detected, and which are not.
#include <array>
#include <cerrno>
#include <csignal>
#include <functional>
#include <thread>
#include <vector>

#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pages.h"

namespace {

using namespace std::chrono_literals;
using sartor::_;

File *signalled = nullptr;

TEST_F(Pages, SeeSignalHandlersWrite) {
  sartor::Runtime runtime(logged());
  const auto quasi_invariant = shared_of(*file_);
  const auto read = runtime.bind<&read_and_call>(&*file_, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  signalled = &*file_;
  std::signal(SIGUSR1, [](int) { store(signalled->shared, 6); });
  raise(SIGUSR1);
  EXPECT_TRUE(holds([&] { return shared_by(read) == 6; }));
  EXPECT_TRUE(holds([&] { return quasi_invariant.figures().page_faults >= 1; }));
}

TEST_F(Pages, SeeThreadsThatStartLater) {
  sartor::Runtime runtime(logged());
  const auto quasi_invariant = shared_of(*file_);
  const auto read = runtime.bind<&read_and_call>(&*file_, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  std::thread([&] { store(file_->shared, 2); }).join();
  EXPECT_TRUE(holds([&] { return shared_by(read) == 2; }));
  EXPECT_TRUE(holds([&] { return quasi_invariant.figures().page_faults >= 1; }));
}

TEST_F(Pages, SeeSystemCallsWriteOrHaveThemFail) {
  sartor::Runtime runtime(logged());
  const auto quasi_invariant = shared_of(*file_);
  const auto call = runtime.bind<&read_and_call>(&*file_, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(call); }));
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const std::uint64_t value = 8;
  ASSERT_EQ(write(ends[1], &value, sizeof value), 8);
  const ssize_t got = read(ends[0], &file_->shared, sizeof value);
  if (system_calls_are_seen()) {
    EXPECT_EQ(got, 8);
    EXPECT_TRUE(holds([&] { return quasi_invariant.figures().page_faults >= 1; }));
    EXPECT_TRUE(holds([&] { return shared_by(call) == 8; }));
  } else {
    EXPECT_EQ(got, -1);
    EXPECT_EQ(errno, EFAULT);
    EXPECT_EQ(shared_by(call), 0U);
  }
  close(ends[0]);
  close(ends[1]);
}

// Writes from a process that does not use Sartor.
ssize_t write_from_another_process(File &file, std::uint64_t value) {
  const pid_t target = getpid();
  const pid_t other = fork();
  if (other == 0) {
    const iovec local = {&value, sizeof value};
    const iovec remote = {&file.shared, sizeof value};
    _exit(process_vm_writev(target, &local, 1, &remote, 1, 0) == 8 ? 0 : 1);
  }
  int status = -1;
  waitpid(other, &status, 0);
  return status == 0 ? 8 : -1;
}

TEST_F(Pages, SeeAnotherProcessWriteByTheKernelOrHaveItFail) {
  sartor::Runtime runtime(logged());
  const auto quasi_invariant = shared_of(*file_);
  const auto read = runtime.bind<&read_and_call>(&*file_, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  const ssize_t wrote = write_from_another_process(*file_, 9);
  EXPECT_EQ(wrote, system_calls_are_seen() ? 8 : -1);
  EXPECT_TRUE(holds([&] { return shared_by(read) == (system_calls_are_seen() ? 9U : 0U); }));
  const std::uint64_t least = system_calls_are_seen() ? 1 : 0;
  EXPECT_TRUE(holds([&] { return quasi_invariant.figures().page_faults >= least; }));
}

// Writers are reported after the write, without protected pages.
TEST_F(Pages, ThatAreCheckedReportAllWriters) {
  sartor::Runtime runtime(logged());
  sartor::QuasiInvariantOptions checked;
  checked.check_every = 1ms;
  checked.back_off = 1ms;
  checked.longest_back_off = 4ms;
  const auto quasi_invariant = shared_of(*file_, checked);
  const auto read = runtime.bind<&read_and_call>(&*file_, _);
  signalled = &*file_;
  std::signal(SIGUSR1, [](int) { store(signalled->shared, 1); });
  const std::vector<std::function<void()>> writers = {
      [] { raise(SIGUSR1); },
      [&] { std::thread([&] { store(file_->shared, 2); }).join(); },
      [&] { EXPECT_EQ(write_from_another_process(*file_, 3), 8); },
  };
  for (std::uint64_t value = 1; const auto &write : writers) {
    ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
    write();
    EXPECT_TRUE(comes_true([&] { return quasi_invariant.figures().unseen == value; }));
    EXPECT_TRUE(comes_true([&] { return shared_by(read) == value; }));
    ++value;
  }
  EXPECT_THAT(log(), testing::HasSubstr("quasi_invariant_changed_unseen"));
}

// Each process has its own page protections.
TEST_F(Pages, DoNotSeeAnotherProcessWriteToSharedMemory) {
  sartor::Runtime runtime(logged());
  const OwnPage file(MAP_SHARED);
  auto options = protecting();
  options.check_every = 1ms;
  const auto quasi_invariant = shared_of(*file, options);
  const auto read = runtime.bind<&read_and_call>(&*file, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  const pid_t other = static_cast<pid_t>(syscall(SYS_fork)); // equivalent to another program
  if (other == 0) {
    file->shared = 5;
    _exit(0);
  }
  waitpid(other, nullptr, 0);
  EXPECT_TRUE(comes_true([&] { return quasi_invariant.figures().unseen == 1; }));
  EXPECT_EQ(quasi_invariant.figures().page_faults, 0U);
  EXPECT_TRUE(comes_true([&] { return shared_by(read) == 5U; })); // counted first, then invalidated
  EXPECT_TRUE(comes_true([&] { return shared_is_folded(read); }));
}

TEST_F(Pages, OfSharedMemorySeeThisProcessWrite) {
  sartor::Runtime runtime(logged());
  const OwnPage file(MAP_SHARED);
  const auto quasi_invariant = shared_of(*file);
  const auto read = runtime.bind<&read_and_call>(&*file, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  store(file->shared, 5);
  EXPECT_TRUE(holds([&] { return shared_by(read) == 5; }));
  EXPECT_TRUE(holds([&] { return quasi_invariant.figures().page_faults >= 1; }));
}

TEST_F(Pages, OfTheProgramsOwnVariablesSeeItWrite) {
  sartor::Runtime runtime(logged());
  // In a private mapping of the program's file.
  alignas(4096) static std::array<File, 4096 / sizeof(File)> files = {{{0, 0, 0, 1'000}}};
  File &file = files[0];
  {
    const auto quasi_invariant = shared_of(file);
    const auto read = runtime.bind<&read_and_call>(&file, _);
    ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
    store(file.shared, 5);
    EXPECT_TRUE(holds([&] { return shared_by(read) == 5; }));
    EXPECT_TRUE(holds([&] { return quasi_invariant.figures().page_faults >= 1; }));
  }
}

} // namespace
