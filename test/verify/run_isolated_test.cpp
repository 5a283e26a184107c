// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/isolated_call.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "call_of.h"
#include "runtime/verify/fork_time.h"

namespace sartor::runtime {
namespace {

using testing::StartsWith;

constexpr std::size_t kPageBytes = 4096;

/// Memory of a test in pages of its own.
class Pages {
public:
  explicit Pages(std::size_t count, int flags = MAP_PRIVATE)
      : bytes_(count * kPageBytes),
        memory_(static_cast<char *>(
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0))) {}
  ~Pages() { munmap(memory_, bytes_); }
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;

  [[nodiscard]] char *page(std::size_t number) const { return memory_ + number * kPageBytes; }

private:
  std::size_t bytes_;
  char *memory_;
};

const MemoryPiece *piece_at(const std::vector<MemoryPiece> &pieces, const void *address) {
  for (const MemoryPiece &piece : pieces)
    if (piece.address == reinterpret_cast<std::uintptr_t>(address))
      return &piece;
  return nullptr;
}

long write_two_pages(void *memory) {
  static_cast<volatile char *>(memory)[1] = 'a';
  static_cast<volatile char *>(memory)[2 * kPageBytes + 5] = 'b';
  return 3;
}

TEST(RunIsolatedTest, ReportsTheFrameAndThePagesWritten) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  const Pages pages(4);
  std::memset(pages.page(0), '.', 4 * kPageBytes);
  CallOf call(pages.page(0));
  const auto outcome = call.run(write_two_pages);
  EXPECT_EQ(outcome.end, IsolatedEnd::returned) << outcome.reason;
  EXPECT_EQ(CallOf::result_in(outcome.frame), 3);
  const auto *first = piece_at(outcome.written, pages.page(0));
  ASSERT_TRUE(first);
  EXPECT_EQ(std::string(first->bytes.begin(), first->bytes.begin() + 3), ".a.");
  EXPECT_EQ(first->bytes.size(), kPageBytes);
  const auto *third = piece_at(outcome.written, pages.page(2));
  ASSERT_TRUE(third);
  EXPECT_EQ(third->bytes[5], 'b');
  EXPECT_FALSE(piece_at(outcome.written, pages.page(1)));
  EXPECT_FALSE(piece_at(outcome.written, pages.page(3)));
  // The other piece is the stack with the frame.
  EXPECT_LE(outcome.written.size(), 4U);
  EXPECT_EQ(std::string(pages.page(0), 3), "...") << "the program's memory was changed";
}

TEST(RunIsolatedTest, ReportsCrashesWithTheMemoryUntilThen) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  const Pages pages(3);
  CallOf call(pages.page(0));
  const auto outcome = call.run([](void *memory) -> long {
    write_two_pages(memory);
    __builtin_trap();
  });
  EXPECT_EQ(outcome.end, IsolatedEnd::crashed);
  EXPECT_EQ(outcome.signal, SIGILL);
  EXPECT_THAT(outcome.reason, StartsWith("crashes with signal 4 (SIGILL)"));
  EXPECT_TRUE(piece_at(outcome.written, pages.page(2)));
}

TEST(RunIsolatedTest, ReportsAccessesThatTheProgramMayNotDo) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  const Pages pages(2);
  mprotect(pages.page(0), kPageBytes, PROT_READ);
  mprotect(pages.page(1), kPageBytes, PROT_NONE);
  CallOf call(pages.page(0));
  EXPECT_EQ(call.run(write_two_pages).end, IsolatedEnd::crashed);
  EXPECT_EQ(call.touch(write_two_pages).value().size() > 0, true);
  CallOf none(pages.page(1));
  const Code reads = [](void *memory) -> long { return *static_cast<volatile char *>(memory); };
  const auto outcome = none.run(reads);
  EXPECT_EQ(outcome.end, IsolatedEnd::crashed);
  EXPECT_EQ(outcome.signal, SIGSEGV);
}

TEST(RunIsolatedTest, ReportsJumpsToData) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  const Pages pages(1);
  CallOf call(nullptr);
  EXPECT_EQ(call.run(reinterpret_cast<Code>(pages.page(0))).end, IsolatedEnd::crashed);
}

TEST(RunIsolatedTest, RefusesWritesToSharedMemory) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  const Pages pages(3, MAP_SHARED);
  std::memset(pages.page(0), '.', kPageBytes);
  CallOf call(pages.page(0));
  const auto outcome = call.run(write_two_pages);
  EXPECT_EQ(outcome.end, IsolatedEnd::refused);
  EXPECT_THAT(outcome.reason, StartsWith("writes shared memory"));
  EXPECT_EQ(std::string(pages.page(0), 3), "...");
  EXPECT_THAT(text_of(call.compare(write_two_pages, write_two_pages)),
              StartsWith("not comparable: native code writes shared memory"));
  EXPECT_FALSE(call.touch(write_two_pages));
  // Reading it is no effect.
  const Code reads = [](void *memory) -> long { return static_cast<volatile char *>(memory)[1]; };
  EXPECT_EQ(CallOf::result_in(call.run(reads).frame), '.');
  EXPECT_THAT(text_of(call.compare(reads, write_two_pages)),
              StartsWith("different: the variant writes shared memory"));
}

TEST(RunIsolatedTest, RefusesAccessToDevices) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  // A file without a name. Mappings of devices are recognized by their folder.
  const int file = open("/dev", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, kPageBytes) != 0)
    GTEST_SKIP() << "only root may create a file in /dev";
  void *memory = mmap(nullptr, kPageBytes, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  ASSERT_NE(memory, MAP_FAILED);
  CallOf call(memory);
  const auto outcome = call.run([](void *at) -> long { return *static_cast<volatile char *>(at); });
  EXPECT_THAT(outcome.reason, StartsWith("accesses the memory of a device"));
  munmap(memory, kPageBytes);
}

TEST(RunIsolatedTest, MakesNoSystemCall) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), 0);
  CallOf call(ends.data());
  const auto outcome = call.run([](void *to) -> long {
    return write(static_cast<const int *>(to)[1], "x", 1) + kill(getppid(), SIGKILL);
  });
  EXPECT_EQ(outcome.end, IsolatedEnd::refused);
  EXPECT_EQ(outcome.reason, "makes the system call write");
  char got = 0;
  EXPECT_EQ(read(ends[0], &got, 1), -1);
  close(ends[0]);
  close(ends[1]);
}

// A system call's number of 32-bit programs means another call.
TEST(RunIsolatedTest, MakesNoSystemCallOf32BitPrograms) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call;
  const auto outcome = call.run([](void *) -> long {
    long result = 20; // getpid
    asm volatile("int $0x80" : "+a"(result) : : "memory");
    return result;
  });
  EXPECT_NE(outcome.end, IsolatedEnd::returned);
}

TEST(RunIsolatedTest, IsKnownToTheCode) {
  SARTOR_NEEDS_PAGE_PROTECTION;
  CallOf call;
  const Code asks = [](void *) -> long { return in_isolated_call() ? 1 : 0; };
  EXPECT_EQ(CallOf::result_in(call.run(asks).frame), 1);
  EXPECT_FALSE(in_isolated_call());
  const Code nests = [](void *) -> long {
    CallOf inner;
    return static_cast<long>(inner.run([](void *) -> long { return 7; }).end);
  };
  EXPECT_EQ(CallOf::result_in(call.run(nests).frame), static_cast<long>(IsolatedEnd::unknown));
}

TEST(RunIsolatedTest, CostsWhatItExpects) { EXPECT_GT(expected_fork_time().count(), 0); }

TEST(RunIsolatedTest, DoesNotExpectForeverWhatABusyMachineHasCost) {
  const ForkTimer timer;
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  timer.done(0);
  const auto busy = expected_fork_time();
  for (int i = 0; i < 100; ++i)
    lower_expected_fork_time();
  EXPECT_LT(expected_fork_time(), busy / 2);
}

} // namespace
} // namespace sartor::runtime
