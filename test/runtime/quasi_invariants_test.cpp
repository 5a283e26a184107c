// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <sartor/sartor.hpp>

#include "comes_true.h"
#include "failing.h"
#include "handlers/files.h"
#include "logged.h"

namespace {

using namespace std::chrono_literals;
using sartor::_;
using sartor::ErrorCode;
using sartor::QuasiInvariant;
using sartor::QuasiInvariantOptions;
using sartor::Write;

QuasiInvariant shared_of(const File &file, QuasiInvariantOptions options = {}) {
  QuasiInvariant quasi_invariant("shared", std::move(options));
  quasi_invariant.add_fields(file, &File::shared);
  return quasi_invariant;
}

/// The result of the native code.
std::uint64_t expected(const File &file, std::uint64_t bytes) {
  File copy = file;
  return read_file(&copy, bytes);
}

template <class Read> bool shared_is_folded(const Read &read) {
  return (read(kWhatIsFolded) & kSharedIsFolded) != 0;
}
template <class Read> bool locks_are_folded(const Read &read) {
  return (read(kWhatIsFolded) & kLocksAreFolded) != 0;
}

class QuasiInvariants : public Logged {
protected:
  File file_ = {0, 0, 0, 4096};
};

TEST_F(QuasiInvariants, ReportWritersThatPassNoGuard) {
  QuasiInvariantOptions options;
  options.check_every = 1ms;
  sartor::Runtime runtime(logged());
  const auto quasi_invariant = shared_of(file_, options);
  const auto read = runtime.bind<&read_file>(&file_, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(quasi_invariant.figures().unseen, 0U);
  __atomic_store_n(&file_.shared, 5, __ATOMIC_RELAXED); // without a guard
  ASSERT_TRUE(comes_true([&] { return quasi_invariant.figures().invalidated == 1; }));
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  const std::uint64_t left = expected(file_, 8);
  EXPECT_EQ(read(8), left);
  EXPECT_EQ(quasi_invariant.figures().unseen, 1U);
  EXPECT_THAT(log(), testing::HasSubstr(
                         R"("event":"quasi_invariant_changed_unseen","quasi_invariant":"shared")"));
  EXPECT_THAT(log(), testing::HasSubstr(R"("bytes":"1")"));
}

TEST_F(QuasiInvariants, BecomeValidInTheBackgroundAndFold) {
  sartor::Runtime runtime;
  const auto quasi_invariant = shared_of(file_);
  EXPECT_EQ(quasi_invariant.name(), "shared");
  const auto read = runtime.bind<&read_file>(&file_, _);
  ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  EXPECT_TRUE(quasi_invariant.valid());
  EXPECT_EQ(quasi_invariant.figures().held, 1U);
  EXPECT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  EXPECT_FALSE(locks_are_folded(read));
  EXPECT_EQ(read(10), expected(File{file_.offset - 10, 0, 0, 4096}, 10));
}

TEST_F(QuasiInvariants, AreInvalidatedByAWriterAndValidAgainWithWhatIsThereThen) {
  sartor::Runtime runtime;
  const auto quasi_invariant = shared_of(file_);
  const auto read = runtime.bind<&read_file>(&file_, _);
  for (std::uint64_t shared = 1; shared < 4; ++shared) {
    ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); })) << shared;
    {
      const Write write(quasi_invariant);
      ASSERT_TRUE(write);
      EXPECT_FALSE(quasi_invariant.valid());
      file_.shared = shared;
      EXPECT_FALSE(shared_is_folded(read));
      EXPECT_EQ(read(1), expected(File{file_.offset - 1, shared, 0, 4096}, 1));
    }
    EXPECT_EQ(quasi_invariant.figures().invalidated, shared);
  }
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  EXPECT_EQ(read(1), expected(File{file_.offset - 1, 3, 0, 4096}, 1));
  EXPECT_GT(quasi_invariant.figures().longest_invalidation_nanoseconds, 0U);
}

TEST_F(QuasiInvariants, AreValidAgainAfterAGuardThatNobodyHadToAskFor) {
  const auto quasi_invariant = shared_of(file_);
  ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  {
    const Write write(quasi_invariant);
  } // for a moment, guards need not invalidate anything
  {
    const Write write(quasi_invariant);
    std::this_thread::sleep_for(100ms); // during an attempt to make it valid
    EXPECT_FALSE(quasi_invariant.valid());
  }
  EXPECT_TRUE(quasi_invariant.wait_until_valid(kPatience));
}

TEST_F(QuasiInvariants, FindTheirVariantsAgainWhereNothingHasChanged) {
  sartor::Runtime runtime;
  const auto quasi_invariant = shared_of(file_);
  const auto read = runtime.bind<&read_file>(&file_, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  const auto compiles = runtime.statistics().compiles;
  for (int i = 0; i < 3; ++i) {
    {
      const Write write(quasi_invariant);
      file_.shared = 5;
      file_.shared = 0;
    }
    ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  }
  // The variant that does not depend on the quasi-invariant is compiled once.
  EXPECT_LE(runtime.statistics().compiles, compiles + 1);
}

TEST_F(QuasiInvariants, LeaveTheBestVariantThatRemains) {
  sartor::Runtime runtime(logged());
  const auto shared = shared_of(file_);
  QuasiInvariant locks("locks");
  locks.add_fields(file_, &File::locks);
  const auto read = runtime.bind<&read_file>(&file_, _);
  ASSERT_TRUE(shared.wait_until_valid(kPatience) && locks.wait_until_valid(kPatience));
  const auto both = [&] { return shared_is_folded(read) && locks_are_folded(read); };
  ASSERT_TRUE(comes_true(both));
  for (int i = 0; i < 2; ++i) {
    const Write write(shared);
    file_.shared = 3;
    // Compiled in the background the first time, and available the second time.
    EXPECT_TRUE(comes_true([&] { return locks_are_folded(read); }));
    EXPECT_FALSE(shared_is_folded(read));
    file_.shared = 0;
  }
  ASSERT_TRUE(comes_true(both));
  {
    const Write write(locks);
    const Write nested(shared);
    file_.locks = 1;
    file_.shared = 2;
    EXPECT_EQ(read(1), expected(File{file_.offset - 1, 2, 1, 4096}, 1));
  }
  ASSERT_TRUE(comes_true(both));
  EXPECT_THAT(log(), testing::HasSubstr(R"("event":"replug")"));
}

TEST_F(QuasiInvariants, OfVariablesFoldInHandlersThatWereSpecialized) {
  sartor::Runtime runtime;
  const auto read = runtime.handler<&read_only_file>();
  QuasiInvariant quasi_invariant("only_file");
  quasi_invariant.add_fields(only_file, &File::shared, &File::locks);
  runtime.specialize({});
  EXPECT_TRUE(comes_true([&] { return shared_is_folded(read) && locks_are_folded(read); }));
  if (const Write write(quasi_invariant); write)
    only_file.shared = 2;
  EXPECT_EQ(read(5), 20'005U);
  if (const Write write(quasi_invariant); write)
    only_file.shared = 0;
}

TEST_F(QuasiInvariants, MayHaveWritesRefused) {
  sartor::Runtime runtime;
  void *asked_for = this;
  QuasiInvariantOptions options;
  options.refuse = [&](void *address, std::size_t) {
    asked_for = address;
    return true;
  };
  const auto quasi_invariant = shared_of(file_, options);
  ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  EXPECT_FALSE(Write(quasi_invariant));
  EXPECT_EQ(asked_for, nullptr);
  EXPECT_TRUE(quasi_invariant.valid());
  EXPECT_EQ(quasi_invariant.figures().refused, 1U);
  EXPECT_EQ(quasi_invariant.figures().invalidated, 0U);
}

TEST_F(QuasiInvariants, MayBeReinforced) {
  sartor::Runtime runtime;
  File copy = file_;
  bool may = true;
  QuasiInvariantOptions options;
  options.reinforce = [&](void *, std::size_t) {
    if (may)
      copy.shared = 1; // the writer gets a separate file
    return may;
  };
  const auto quasi_invariant = shared_of(file_, options);
  ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  EXPECT_FALSE(Write(quasi_invariant));
  EXPECT_EQ(copy.shared, 1U);
  EXPECT_EQ(quasi_invariant.figures().reinforced, 1U);
  may = false;
  EXPECT_TRUE(Write(quasi_invariant));
  EXPECT_EQ(quasi_invariant.figures().invalidated, 1U);
}

TEST_F(QuasiInvariants, AreInvalidatedWhereTheAnswerThrows) {
  sartor::Runtime runtime(logged());
  QuasiInvariantOptions options;
  options.reinforce = [](void *, std::size_t) -> bool { throw std::runtime_error("no room"); };
  const auto quasi_invariant = shared_of(file_, options);
  ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  EXPECT_TRUE(Write(quasi_invariant));
  EXPECT_EQ(quasi_invariant.figures().invalidated, 1U);
  EXPECT_THAT(log(), testing::HasSubstr("quasi_invariant_not_answered"));
}

TEST_F(QuasiInvariants, MayBeWrittenToInTheirOwnAnswer) {
  QuasiInvariant *quasi_invariant = nullptr;
  QuasiInvariantOptions options;
  options.reinforce = [&](void *, std::size_t) { return !Write(*quasi_invariant); };
  auto made = shared_of(file_, options);
  quasi_invariant = &made;
  ASSERT_TRUE(made.wait_until_valid(kPatience));
  EXPECT_TRUE(Write(made));
  EXPECT_EQ(made.figures().invalidated, 1U);
}

TEST_F(QuasiInvariants, ThatContradictThemselvesAreRefused) {
  QuasiInvariantOptions options;
  options.refuse = [](void *, std::size_t) { return true; };
  options.reinforce = options.refuse;
  EXPECT_EQ(failing([&] { shared_of(file_, options); }), ErrorCode::bad_invariant);
  QuasiInvariantOptions impatient;
  impatient.back_off = 0s;
  EXPECT_EQ(failing([&] { shared_of(file_, impatient); }), ErrorCode::bad_invariant);
  QuasiInvariant of_nothing("nothing");
  EXPECT_EQ(failing([&] { of_nothing.add(nullptr, 8); }), ErrorCode::bad_invariant);
  EXPECT_FALSE(of_nothing.valid());
  EXPECT_TRUE(Write(of_nothing));
}

TEST_F(QuasiInvariants, ThatContradictEachOtherHoldInTurn) {
  QuasiInvariantOptions none;
  none.validate = [&] { return file_.shared == 0; };
  QuasiInvariantOptions some;
  some.validate = [&] { return file_.shared != 0; };
  const auto exclusive = shared_of(file_, none);
  const auto shared = shared_of(file_, some);
  ASSERT_TRUE(exclusive.wait_until_valid(kPatience));
  EXPECT_FALSE(shared.wait_until_valid(50ms));
  {
    const Write first(exclusive);
    const Write second(shared);
    file_.shared = 1;
  }
  ASSERT_TRUE(shared.wait_until_valid(kPatience));
  EXPECT_FALSE(exclusive.wait_until_valid(50ms));
}

TEST_F(QuasiInvariants, WhosePredicateThrowsDoNotHold) {
  QuasiInvariantOptions options;
  options.validate = []() -> bool { throw std::runtime_error("who knows"); };
  EXPECT_FALSE(shared_of(file_, options).wait_until_valid(100ms));
}

QuasiInvariant *written_within = nullptr;

void share(File *file) {
  const Write write(*written_within);
  file->shared = 4;
  file->locks = 2;
}

TEST_F(QuasiInvariants, MayBeWrittenToWithinHandlers) {
  sartor::Runtime runtime;
  auto quasi_invariant = shared_of(file_);
  written_within = &quasi_invariant;
  const auto read = runtime.bind<&read_and_call>(&file_, _);
  ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  read.wait();
  ASSERT_TRUE(comes_true([&] { return read(nullptr) == kSharedIsFolded; }));
  EXPECT_EQ(read(share), 2U); // a call that had begun uses the folded value
  EXPECT_EQ(read(share), 4'002U);
  EXPECT_TRUE(quasi_invariant.wait_until_valid(kPatience));
}

void extend(File *file) { written_within->add_fields(*file, &File::locks); }

TEST_F(QuasiInvariants, MayBeExtendedWithinHandlers) {
  sartor::Runtime runtime;
  auto quasi_invariant = shared_of(file_);
  written_within = &quasi_invariant;
  const auto read = runtime.bind<&read_and_call>(&file_, _);
  ASSERT_TRUE(comes_true([&] { return read(nullptr) == kSharedIsFolded; }));
  EXPECT_EQ(read(extend), 0U);
  ASSERT_TRUE(comes_true([&] { return read(nullptr) == (kSharedIsFolded | kLocksAreFolded); }));
  EXPECT_EQ(read(share), 0U); // both have their original values
  EXPECT_EQ(read([](File *) {}), 4'002U);
}

TEST_F(QuasiInvariants, AboutMemoryThatHasGoneAreReportedAndNeverValid) {
  sartor::Runtime runtime(logged());
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto *file = static_cast<File *>(
      mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(file, MAP_FAILED);
  const auto quasi_invariant = shared_of(*file);
  ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  {
    const Write write(quasi_invariant);
    munmap(file, page);
  }
  EXPECT_TRUE(comes_true([&] { return log().contains("quasi_invariant_unreadable"); }));
  EXPECT_FALSE(quasi_invariant.valid());
}

TEST_F(QuasiInvariants, ThatAreInvalidatedAllTheTimeAreLeftAloneForLonger) {
  sartor::Runtime runtime;
  const auto quasi_invariant = shared_of(file_);
  const auto read = runtime.bind<&read_file>(&file_, _);
  ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  std::uint64_t writes = 0;
  // If this thread does not run for a while, that is a time without writes.
  bool is_left_alone = false;
  for (int attempt = 0; attempt < 5 && !is_left_alone; ++attempt) {
    const std::uint64_t before = quasi_invariant.figures().invalidated;
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() < begin + 500ms) {
      const Write write(quasi_invariant);
      file_.shared = ++writes;
    }
    const sartor::QuasiInvariantFigures figures = quasi_invariant.figures();
    is_left_alone = figures.invalidated - before < 12U && figures.back_off > 10ms;
  }
  EXPECT_TRUE(is_left_alone);
  EXPECT_EQ(read(1), expected(File{file_.offset - 1, writes, 0, 4096}, 1));
}

// A call sees each value that a writer has published before the call began, or a newer one.
TEST_F(QuasiInvariants, AreNeverSeenStale) {
  sartor::Runtime runtime;
  QuasiInvariantOptions options;
  options.back_off = 100us;
  options.longest_back_off = 2ms;
  const auto quasi_invariant = shared_of(file_, options);
  const auto read = runtime.bind<&read_file>(&file_, _);
  read.wait();
  std::atomic<std::uint64_t> published = 0;
  std::atomic<bool> done = false;
  std::vector<std::jthread> readers;
  std::atomic<std::uint64_t> wrong = 0;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      while (!done) {
        const std::uint64_t least = published;
        const std::uint64_t seen = read(0) / 10'000;
        const std::uint64_t most = published + 1;
        if (seen < least || seen > most)
          ++wrong;
      }
    });
  for (std::uint64_t value = 1; value < 300; ++value) {
    {
      const Write write(quasi_invariant);
      __atomic_store_n(&file_.shared, value, __ATOMIC_RELAXED);
    }
    published = value;
    if (value % 30 == 0)
      (void)quasi_invariant.wait_until_valid(kPatience);
  }
  done = true;
  readers.clear();
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(quasi_invariant.figures().held, 1U);
}

TEST_F(QuasiInvariants, MayBeInvalidatedWhileAVariantIsMade) {
  sartor::Runtime runtime;
  QuasiInvariantOptions options;
  options.back_off = 100us;
  const auto quasi_invariant = shared_of(file_, options);
  std::atomic<bool> done = false;
  std::jthread writer([&] {
    while (!done) {
      const Write write(quasi_invariant);
      __atomic_fetch_add(&file_.shared, 1, __ATOMIC_RELAXED);
    }
  });
  for (int i = 0; i < 10; ++i) {
    const auto read = runtime.bind<&read_and_call>(&file_, _);
    EXPECT_NO_THROW(read.wait());
  }
  done = true;
}

TEST_F(QuasiInvariants, MayAllBeInvalidatedAtOnce) {
  constexpr std::size_t kFiles = 10'000;
  constexpr std::size_t kKinds = 10;
  constexpr std::size_t kSpecialized = 1'000; // of the 1,024 contexts of a handler
  sartor::Runtime runtime;
  std::deque<File> files(kFiles, file_);
  std::vector<QuasiInvariant> quasi_invariants;
  for (const File &file : files)
    quasi_invariants.push_back(shared_of(file));
  std::vector<decltype(runtime.bind<&read_file>(&file_, _))> bindings;
  for (File &file : files)
    bindings.push_back(runtime.bind<&read_file>(&file, _));
  for (const QuasiInvariant &quasi_invariant : quasi_invariants)
    ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  const auto all_are_folded = [&] {
    return std::ranges::all_of(std::span(bindings).first(kSpecialized),
                               [](const auto &read) { return shared_is_folded(read); });
  };
  ASSERT_TRUE(comes_true(all_are_folded));
  for (std::size_t i = 0; i < kFiles; ++i) {
    const Write write(quasi_invariants[i]);
    files[i].shared = i % kKinds;
  }
  for (std::size_t i = 0; i < kFiles; ++i) {
    const std::uint64_t offset = files[i].offset;
    ASSERT_EQ(bindings[i](1), expected(File{offset, i % kKinds, 0, 4096}, 1));
  }
  for (const QuasiInvariant &quasi_invariant : quasi_invariants)
    ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
  EXPECT_TRUE(comes_true(all_are_folded));
}

TEST_F(QuasiInvariants, MayGoWhileTheirCodeIsActive) {
  sartor::Runtime runtime;
  auto quasi_invariant = std::make_unique<QuasiInvariant>(shared_of(file_));
  const auto read = runtime.bind<&read_file>(&file_, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  quasi_invariant.reset();
  file_.shared = 6;
  EXPECT_EQ(read(1), expected(File{file_.offset - 1, 6, 0, 4096}, 1));
}

TEST_F(QuasiInvariants, GoOnInAChild) {
  sartor::Runtime runtime;
  const auto quasi_invariant = shared_of(file_);
  const auto read = runtime.bind<&read_file>(&file_, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  const pid_t child = fork();
  if (child == 0) {
    {
      const Write write(quasi_invariant);
      file_.shared = 3;
    }
    const bool seen = read(1) == expected(File{file_.offset - 1, 3, 0, 4096}, 1);
    _exit(seen && quasi_invariant.wait_until_valid(kPatience) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(shared_is_folded(read));
}

TEST_F(QuasiInvariants, AreNothingWhereSartorIsOff) {
  setenv("SARTOR", "off", 1);
  sartor::Runtime runtime;
  unsetenv("SARTOR");
  const auto quasi_invariant = shared_of(file_);
  const auto read = runtime.bind<&read_file>(&file_, _);
  if (const Write write(quasi_invariant); write)
    file_.shared = 2;
  EXPECT_EQ(read(1), expected(File{file_.offset - 1, 2, 0, 4096}, 1));
}

} // namespace
