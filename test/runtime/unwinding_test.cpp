// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unwinders find the frames of variants without locks and without allocation.
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/time.h>
#include <unwind.h>

#include <gmock/gmock.h>

#include <sartor/sartor.hpp>

#include "comes_true.h"
#include "handlers/files.h"

namespace {

std::atomic<std::size_t> registered = 0;

} // namespace

// Replace libgcc's functions, for the library too.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): libgcc's names
extern "C" void __register_frame(void *) { ++registered; }
extern "C" void __deregister_frame(void *) {}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace {

using sartor::_;

std::atomic<std::size_t> walks = 0;

_Unwind_Reason_Code next_frame(_Unwind_Context *, void *frames) {
  ++*static_cast<std::size_t *>(frames);
  return _URC_NO_REASON;
}

/// Walks the stack, as a profiler does.
void walk(int) {
  std::size_t frames = 0;
  (void)_Unwind_Backtrace(next_frame, &frames);
  walks += frames > 1 ? 1 : 0;
}

void throws(File *) { throw std::runtime_error("through a variant"); }

std::size_t frames_seen;
void counts_frames(File *) {
  frames_seen = 0;
  (void)_Unwind_Backtrace(next_frame, &frames_seen);
}

bool passes(const auto &variant) {
  try {
    variant(throws);
  } catch (const std::runtime_error &) {
    return true;
  }
  return false;
}

TEST(Unwinding, PassesVariantsThatTheUnwinderDoesNotKnow) {
  sartor::Runtime runtime;
  File file = {0, 1, 2, 4096};
  const auto generic = runtime.handler<&read_and_call>();
  generic(&file, counts_frames);
  const std::size_t frames = frames_seen;
  const auto variant = runtime.bind<&read_and_call>(&file, _);
  variant.wait();
  variant(counts_frames);
  EXPECT_GE(frames_seen, frames);
  EXPECT_TRUE(passes(variant));
  EXPECT_EQ(registered, 0U) << "every throw takes a lock from the first registered frame on";
}

// Signals interrupt allocations while another thread adds and removes variants.
TEST(Unwinding, IsForSignalHandlersToo) {
  sartor::Runtime runtime;
  std::atomic<bool> ends = false;
  std::atomic<bool> all_pass = true;
  std::thread makes([&] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    std::array<File, 100> files{};
    for (File &file : files) {
      const auto variant = runtime.bind<&read_and_call>(&file, _);
      variant.wait();
      all_pass = all_pass && passes(variant);
    }
    ends = true;
  });
  struct sigaction before = {};
  struct sigaction walking = {};
  walking.sa_handler = walk;
  walking.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &walking, &before);
  const itimerval often = {{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &often, nullptr);
  for (std::size_t i = 0; !ends; ++i) {
    std::vector<std::string> strings;
    for (std::size_t j = 0; j < 200; ++j)
      strings.emplace_back(30 + (i * 7 + j * 13) % 3000, 'x');
  }
  const itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  makes.join();
  sigaction(SIGALRM, &before, nullptr);
  EXPECT_TRUE(all_pass);
  EXPECT_GT(walks, 0U);
  EXPECT_EQ(registered, 0U);
}

} // namespace
