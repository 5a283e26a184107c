// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quasi-invariants and process events: overlapping guards, fork(), cancellation, privileges.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <sartor/sartor.hpp>

#include "comes_true.h"
#include "handlers/files.h"
#include "logged.h"

namespace {

using namespace std::chrono_literals;
using sartor::_;
using sartor::QuasiInvariant;
using sartor::QuasiInvariantOptions;
using sartor::Write;

std::uint64_t expected(const File &file, std::uint64_t bytes) {
  File copy = file;
  return read_file(&copy, bytes);
}

QuasiInvariantOptions restless() {
  QuasiInvariantOptions options;
  options.back_off = options.longest_back_off = 1ms;
  return options;
}

/// The exit code of a child process: 0 on success, otherwise it identifies the step that failed.
int exit_of(pid_t child) {
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -status;
}

class QuasiInvariantsLife : public Logged {
protected:
  QuasiInvariantsLife() { setenv("SARTOR_EVENT_LOG", log_.c_str(), 1); }
  ~QuasiInvariantsLife() override { unsetenv("SARTOR_EVENT_LOG"); }
  QuasiInvariant shared(QuasiInvariantOptions options = restless()) {
    QuasiInvariant quasi_invariant("shared", std::move(options));
    quasi_invariant.add_fields(file_, &File::shared);
    return quasi_invariant;
  }
  /// Calls code that folds `shared`; the result shows its value.
  bool is_right(const auto &read) {
    return read(1) == expected({file_.offset - 1, file_.shared, 0, 4096}, 1);
  }

  File file_ = {0, 0, 0, 4096};
};

// The last guard to end may be one that invalidated nothing.
TEST_F(QuasiInvariantsLife, HoldAgainWhicheverGuardEndsLast) {
  const sartor::Runtime runtime;
  for (const auto &order : {std::array{1, 0, 2}, {0, 1, 2}, {2, 1, 0}, {1, 2, 0}}) {
    const auto quasi_invariant = shared();
    ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
    std::array<std::unique_ptr<Write>, 3> guards;
    guards[0] = std::make_unique<Write>(quasi_invariant);
    guards[1] = std::make_unique<Write>(quasi_invariant);
    if (order[0] != 2)
      guards.at(static_cast<std::size_t>(order[0])).reset(); // disarms
    guards[2] = std::make_unique<Write>(quasi_invariant);
    for (const int which : order)
      guards.at(static_cast<std::size_t>(which)).reset();
    EXPECT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  }
}

TEST_F(QuasiInvariantsLife, HoldAgainAfterManyThreadsHaveWritten) {
  const sartor::Runtime runtime;
  const auto quasi_invariant = shared();
  for (unsigned round = 0; round < 20; ++round) {
    ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience)) << "round " << round;
    std::vector<std::jthread> writers;
    for (unsigned writer = 0; writer < 3; ++writer)
      writers.emplace_back([&, seed = 100 * round + writer] {
        std::minstd_rand random(seed);
        for (int i = 0; i < 20; ++i) {
          const Write write(quasi_invariant);
          std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
        }
      });
  }
  EXPECT_TRUE(quasi_invariant.wait_until_valid(kPatience));
}

TEST_F(QuasiInvariantsLife, ThatOverlapAreInvalidatedTogether) {
  sartor::Runtime runtime;
  QuasiInvariant whole("whole", restless());
  whole.add_part(&file_, sizeof file_, &file_.shared, 2 * sizeof file_.shared);
  const auto part = shared();
  const auto read = runtime.bind<&read_file>(&file_, _);
  ASSERT_TRUE(whole.wait_until_valid(kPatience) && part.wait_until_valid(kPatience));
  ASSERT_TRUE(comes_true([&] { return (read(kWhatIsFolded) & kSharedIsFolded) != 0; }));
  {
    const Write write(part);
    EXPECT_FALSE(whole.valid());
    file_.shared = 3;
  }
  EXPECT_TRUE(is_right(read));
  ASSERT_TRUE(whole.wait_until_valid(kPatience) && part.wait_until_valid(kPatience));
  {
    const Write write(whole);
    EXPECT_FALSE(part.valid());
    file_.shared = 4;
  }
  EXPECT_TRUE(is_right(read));
}

TEST_F(QuasiInvariantsLife, ThatOverlapMayAllRefuse) {
  const sartor::Runtime runtime;
  auto refusing = restless();
  refusing.refuse = [](void *, std::size_t) { return true; };
  const auto part = shared(refusing);
  QuasiInvariant whole("whole", restless());
  whole.add_part(&file_, sizeof file_, &file_.shared, 2 * sizeof file_.shared);
  ASSERT_TRUE(whole.wait_until_valid(kPatience) && part.wait_until_valid(kPatience));
  const Write write(whole);
  EXPECT_FALSE(write);
  EXPECT_TRUE(part.valid());
  EXPECT_TRUE(whole.wait_until_valid(kPatience));
}

// A comparison takes longer than the time between two comparisons.
TEST_F(QuasiInvariantsLife, MayGoWhileOthersAreComparedAllTheTime) {
  const sartor::Runtime runtime;
  std::vector<char> table(8U << 20, 1);
  auto options = restless();
  options.check_every = 1ms;
  QuasiInvariant large("table", options);
  large.add(table.data(), table.size());
  ASSERT_TRUE(large.wait_until_valid(kPatience));
  for (int i = 0; i < 5; ++i) {
    const auto small = shared();
    ASSERT_TRUE(small.wait_until_valid(kPatience));
  }
}

TEST_F(QuasiInvariantsLife, MayGoWhileHundredsOfOthersAreTried) {
  const sartor::Runtime runtime;
  std::vector<File> files(200);
  std::vector<std::unique_ptr<QuasiInvariant>> quasi_invariants;
  auto options = restless();
  options.back_off = options.longest_back_off = 100us;
  for (const File &file : files) {
    quasi_invariants.push_back(std::make_unique<QuasiInvariant>("shared", options));
    quasi_invariants.back()->add_fields(file, &File::shared);
  }
  const std::jthread writer([&](const std::stop_token &stop) {
    while (!stop.stop_requested())
      for (std::size_t i = 0; i + 20 < files.size(); ++i)
        const Write write(*quasi_invariants.data()[i]); // the others are destroyed meanwhile
  });
  for (int i = 0; i < 20; ++i)
    quasi_invariants.pop_back();
}

TEST_F(QuasiInvariantsLife, DoNotHoldInAChildWithinAGuard) {
  sartor::Runtime runtime;
  const auto quasi_invariant = shared();
  const auto read = runtime.bind<&read_file>(&file_, _);
  ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  auto write = std::make_unique<Write>(quasi_invariant);
  const pid_t child = fork();
  if (child == 0) {
    if (quasi_invariant.wait_until_valid(100ms))
      _exit(1);
    file_.shared = 5; // which the guard permits
    if (!is_right(read))
      _exit(2);
    write.reset();
    _exit(quasi_invariant.wait_until_valid(kPatience) && is_right(read) ? 0 : 3);
  }
  EXPECT_EQ(exit_of(child), 0);
  write.reset();
  EXPECT_TRUE(quasi_invariant.wait_until_valid(kPatience));
}

TEST_F(QuasiInvariantsLife, OfAnotherThreadsGuardHoldInAChild) {
  const sartor::Runtime runtime;
  const auto quasi_invariant = shared();
  ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  std::atomic<bool> is_open = false;
  std::atomic<bool> may_end = false;
  std::thread writer([&] {
    const Write write(quasi_invariant);
    is_open = true;
    while (!may_end)
      std::this_thread::sleep_for(1ms);
  });
  while (!is_open)
    std::this_thread::sleep_for(1ms);
  const pid_t child = fork();
  if (child == 0)
    _exit(quasi_invariant.wait_until_valid(kPatience) ? 0 : 1);
  EXPECT_EQ(exit_of(child), 0);
  EXPECT_FALSE(quasi_invariant.valid());
  may_end = true;
  writer.join();
}

TEST_F(QuasiInvariantsLife, AnswersMayForkAndTakeLocksThatAForkIsUnder) {
  const sartor::Runtime runtime;
  auto forking = restless();
  forking.refuse = [](void *, std::size_t) {
    const pid_t child = fork();
    if (child == 0)
      _exit(0);
    return exit_of(child) == 0;
  };
  {
    const auto quasi_invariant = shared(forking);
    ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
    EXPECT_FALSE(Write(quasi_invariant));
  }
  std::mutex table;
  auto locking = restless();
  locking.refuse = [&](void *, std::size_t) {
    const std::lock_guard lock(table);
    return true;
  };
  const auto quasi_invariant = shared(locking);
  ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  std::unique_lock lock(table);
  std::jthread writer([&] { EXPECT_FALSE(Write(quasi_invariant)); });
  std::this_thread::sleep_for(20ms); // usually, it is waiting for the answer by now
  const pid_t child = fork();
  if (child == 0) {
    lock.unlock();
    _exit(Write(quasi_invariant) ? 1 : 0); // the callback is called in the child, too
  }
  EXPECT_EQ(exit_of(child), 0);
  lock.unlock();
}

TEST_F(QuasiInvariantsLife, AnswersMayWriteToEachOthersQuasiInvariants) {
  const sartor::Runtime runtime;
  std::array<File, 2> files{};
  std::array<std::unique_ptr<QuasiInvariant>, 2> quasi_invariants;
  for (std::size_t i = 0; i < 2; ++i) {
    auto options = restless();
    options.reinforce = [&, i](void *, std::size_t) {
      std::this_thread::sleep_for(20ms);
      const Write write(*quasi_invariants.at(1 - i));
      return true;
    };
    quasi_invariants.at(i) = std::make_unique<QuasiInvariant>("shared", options);
    quasi_invariants.at(i)->add_fields(files.at(i), &File::shared);
  }
  for (int round = 0; round < 3; ++round) {
    for (const auto &quasi_invariant : quasi_invariants)
      ASSERT_TRUE(quasi_invariant->wait_until_valid(kPatience));
    const std::jthread one([&] { const Write write(*quasi_invariants[0]); });
    const std::jthread other([&] { const Write write(*quasi_invariants[1]); });
  }
}

/// Runs `body` on a thread that is cancelled after the given time.
void cancel(void *(*body)(void *), void *of, std::chrono::microseconds after) {
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, nullptr, body, of), 0);
  std::this_thread::sleep_for(after);
  pthread_cancel(thread);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
}

TEST_F(QuasiInvariantsLife, HoldAgainAfterWritersAreCancelled) {
  sartor::Runtime runtime;
  const auto quasi_invariant = shared();
  const auto read = runtime.bind<&read_file>(&file_, _);
  const auto write_for_ever = [](void *of) -> void * {
    const auto &quasi_invariant = *static_cast<const QuasiInvariant *>(of);
    for (;;) {
      {
        const Write write(quasi_invariant);
      }
      (void)quasi_invariant.wait_until_valid(5ms);
      pthread_testcancel();
    }
  };
  for (int i = 0; i < 40; ++i)
    cancel(write_for_ever, const_cast<QuasiInvariant *>(&quasi_invariant),
           std::chrono::microseconds(500 + 137 * i));
  EXPECT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  EXPECT_TRUE(is_right(read));
}

TEST_F(QuasiInvariantsLife, HoldAgainAfterAThreadEndsInAnAnswer) {
  const sartor::Runtime runtime;
  for (const bool exits : {true, false}) {
    auto options = restless();
    options.refuse = [=](void *, std::size_t) -> bool {
      if (exits)
        pthread_exit(nullptr);
      usleep(50'000); // cancellation is delayed until the guard has been passed
      return true;
    };
    const auto quasi_invariant = shared(options);
    ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
    const auto write = [](void *of) -> void * {
      {
        const Write write(*static_cast<const QuasiInvariant *>(of));
      }
      for (;;)
        pause();
    };
    cancel(write, const_cast<QuasiInvariant *>(&quasi_invariant), 20ms);
    EXPECT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  }
}

TEST_F(QuasiInvariantsLife, DurationsMayBeAsLongAsCanBe) {
  const sartor::Runtime runtime;
  constexpr auto kLongest = std::chrono::nanoseconds::max();
  const auto soon = shared();
  EXPECT_TRUE(soon.wait_until_valid(kLongest));
  auto options = restless();
  options.check_every = kLongest;
  const auto seldom_compared = shared(options);
  EXPECT_TRUE(seldom_compared.wait_until_valid(kPatience));
  options.back_off = options.longest_back_off = kLongest;
  const auto never = shared(options);
  EXPECT_FALSE(never.wait_until_valid(100ms));
  const auto seconds = [] {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  };
  // No thread polls. If the machine stops, that may count as time of the process.
  bool is_idle = false;
  for (int attempt = 0; attempt < 5 && !is_idle; ++attempt) {
    const double before = seconds();
    std::this_thread::sleep_for(500ms);
    is_idle = seconds() - before < 0.2;
  }
  EXPECT_TRUE(is_idle);
}

// Code of other handlers is compiled again each time, because it might use a quasi-invariant that
// has become valid.
TEST_F(QuasiInvariantsLife, LeaveNoCodeOfOtherHandlersBehind) {
  sartor::Runtime runtime;
  const auto quasi_invariant = shared();
  const auto read = runtime.bind<&read_file>(&file_, _);
  const auto other = runtime.bind<&read_only_file>(_);
  other.wait();
  std::size_t early = 0;
  for (std::size_t round = 0; round < 120; ++round) {
    ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
    ASSERT_TRUE(is_right(read));
    ASSERT_EQ(other(1), 1U);
    {
      const Write write(quasi_invariant);
      file_.shared = round;
    }
    if (round == 20)
      early = runtime.statistics().variants;
  }
  EXPECT_TRUE(comes_true([&] { return runtime.statistics().variants <= early + 10; }))
      << early << " variants, and later " << runtime.statistics().variants;
}

// Only root can read the system calls of a daemon's threads after it dropped its privileges.
TEST_F(QuasiInvariantsLife, HoldInADaemonThatDropsItsPrivileges) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root's privileges, to drop them";
  const pid_t child = fork();
  if (child == 0) {
    if (setgroups(0, nullptr) != 0 || setgid(65534) != 0 || setuid(65534) != 0)
      _exit(1);
    std::thread([] { pause(); }).detach(); // waits for work
    const sartor::Runtime runtime;
    const auto quasi_invariant = shared();
    _exit(quasi_invariant.wait_until_valid(kPatience) ? 0 : 2);
  }
  EXPECT_EQ(exit_of(child), 0);
}

TEST_F(QuasiInvariantsLife, HoldOnceThereAreDescriptorsAgain) {
  const pid_t child = fork();
  if (child == 0) {
    std::thread([] { pause(); }).detach();
    const sartor::Runtime runtime;
    const auto quasi_invariant = shared();
    if (!quasi_invariant.wait_until_valid(kPatience))
      _exit(1);
    const int events = open(log_.c_str(), O_RDONLY); // later, it cannot be opened
    const auto is_reported = [&] {
      std::string text(1U << 20, '\0');
      const ssize_t size = pread(events, text.data(), text.size(), 0);
      text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
      return text.contains("\"no_descriptors\"");
    };
    const rlimit few = {64, 64};
    setrlimit(RLIMIT_NOFILE, &few);
    std::vector<int> all;
    for (int file = 0; (file = open("/dev/null", O_RDONLY)) >= 0;)
      all.push_back(file);
    {
      const Write write(quasi_invariant);
    }
    // Threads that cannot be inspected do not count as having left old code.
    if (quasi_invariant.wait_until_valid(3s))
      _exit(2);
    if (!comes_true(is_reported))
      _exit(4);
    for (const int file : all)
      close(file);
    _exit(quasi_invariant.wait_until_valid(kPatience) ? 0 : 3);
  }
  EXPECT_EQ(exit_of(child), 0);
  EXPECT_THAT(log(), testing::HasSubstr("\"no_descriptors\""));
}

/// From now on, the calling thread cannot start another one.
void forbid_threads() {
  std::array<sock_filter, 5> filter = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog program = {filter.size(), filter.data()};
  ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

// Without it, writes of signal handlers would invalidate nothing.
TEST_F(QuasiInvariantsLife, DoNotHoldUntilThereIsTheThreadForSignalHandlers) {
  const sartor::Runtime runtime;
  std::optional<QuasiInvariant> quasi_invariant;
  std::thread([&] {
    forbid_threads();
    quasi_invariant.emplace(shared());
  }).join();
  EXPECT_THAT(log(), testing::HasSubstr("\"no_thread\""));
  EXPECT_THAT(log(), testing::HasSubstr("sartor-signals"));
  EXPECT_THAT(log(), testing::Not(testing::HasSubstr("sartor-quasi"))); // is not tried
  EXPECT_TRUE(quasi_invariant->wait_until_valid(kPatience));            // tries again
}

TEST_F(QuasiInvariantsLife, ThatNobodyGuardsAreReported) {
  const sartor::Runtime runtime;
  {
    const auto quasi_invariant = shared();
    ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
    EXPECT_THAT(log(), testing::HasSubstr("\"quasi_invariant_unguarded\""));
  }
  std::ofstream(log_, std::ios::trunc).flush();
  auto options = restless();
  options.check_every = 1h;
  const auto compared = shared(options);
  ASSERT_TRUE(compared.wait_until_valid(kPatience));
  EXPECT_THAT(log(), testing::Not(testing::HasSubstr("\"quasi_invariant_unguarded\"")));
}

} // namespace
