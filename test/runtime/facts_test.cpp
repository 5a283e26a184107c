// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <sstream>
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

namespace {

using namespace std::chrono_literals;
using sartor::_;
using sartor::ErrorCode;
using sartor::QuasiInvariant;
using sartor::QuasiInvariantOptions;
using sartor::Write;

QuasiInvariant shared_of(const File &file, QuasiInvariantOptions options = {}) {
  QuasiInvariant fact("shared", std::move(options));
  fact.add_fields(file, &File::shared);
  return fact;
}

/// What the native code gives.
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

class Facts : public testing::Test {
protected:
  sartor::Options logged() {
    sartor::Options options;
    options.event_log = log_;
    return options;
  }
  [[nodiscard]] std::string log() const {
    std::ifstream file(log_);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  ~Facts() override { std::filesystem::remove(log_); }

  std::filesystem::path log_ = std::filesystem::temp_directory_path() /
                               ("sartor-facts-" + std::to_string(getpid()) + ".log");
  File file_ = {0, 0, 0, 4096};
};

TEST_F(Facts, TellOfWritersThatPassNoGuard) {
  QuasiInvariantOptions options;
  options.check_every = 1ms;
  sartor::Runtime runtime(logged());
  const auto fact = shared_of(file_, options);
  const auto read = runtime.bind<&read_file>(&file_, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(fact.figures().unseen, 0U);
  __atomic_store_n(&file_.shared, 5, __ATOMIC_RELAXED); // behind everybody's back
  ASSERT_TRUE(comes_true([&] { return fact.figures().broken == 1; }));
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  const std::uint64_t left = expected(file_, 8);
  EXPECT_EQ(read(8), left);
  EXPECT_EQ(fact.figures().unseen, 1U);
  EXPECT_THAT(log(), testing::HasSubstr(R"("event":"fact_changed_unseen","fact":"shared")"));
  EXPECT_THAT(log(), testing::HasSubstr(R"("bytes":"1")"));
}

TEST_F(Facts, HoldInTheBackgroundAndFold) {
  sartor::Runtime runtime;
  const auto fact = shared_of(file_);
  EXPECT_EQ(fact.name(), "shared");
  const auto read = runtime.bind<&read_file>(&file_, _);
  ASSERT_TRUE(fact.wait_until_holds(kPatience));
  EXPECT_TRUE(fact.holds());
  EXPECT_EQ(fact.figures().held, 1U);
  EXPECT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  EXPECT_FALSE(locks_are_folded(read));
  EXPECT_EQ(read(10), expected(File{file_.offset - 10, 0, 0, 4096}, 10));
}

TEST_F(Facts, BreakForAWriterAndHoldAgainWithWhatIsThereThen) {
  sartor::Runtime runtime;
  const auto fact = shared_of(file_);
  const auto read = runtime.bind<&read_file>(&file_, _);
  for (std::uint64_t shared = 1; shared < 4; ++shared) {
    ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); })) << shared;
    {
      const Write write(fact);
      ASSERT_TRUE(write);
      EXPECT_FALSE(fact.holds());
      file_.shared = shared;
      EXPECT_FALSE(shared_is_folded(read));
      EXPECT_EQ(read(1), expected(File{file_.offset - 1, shared, 0, 4096}, 1));
    }
    EXPECT_EQ(fact.figures().broken, shared);
  }
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  EXPECT_EQ(read(1), expected(File{file_.offset - 1, 3, 0, 4096}, 1));
  EXPECT_GT(fact.figures().longest_break_nanoseconds, 0U);
}

TEST_F(Facts, HoldAgainAfterAGuardThatNobodyHadToAskFor) {
  const auto fact = shared_of(file_);
  ASSERT_TRUE(fact.wait_until_holds(kPatience));
  {
    const Write write(fact);
  } // from now on, for a moment, nobody asks
  {
    const Write write(fact);
    std::this_thread::sleep_for(100ms); // while it would be tried
    EXPECT_FALSE(fact.holds());
  }
  EXPECT_TRUE(fact.wait_until_holds(kPatience));
}

TEST_F(Facts, FindTheirVariantsAgainWhereNothingHasChanged) {
  sartor::Runtime runtime;
  const auto fact = shared_of(file_);
  const auto read = runtime.bind<&read_file>(&file_, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  const auto compiles = runtime.statistics().compiles;
  for (int i = 0; i < 3; ++i) {
    {
      const Write write(fact);
      file_.shared = 5;
      file_.shared = 0;
    }
    ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  }
  // What does without the fact is made once.
  EXPECT_LE(runtime.statistics().compiles, compiles + 1);
}

TEST_F(Facts, LeaveTheBestVariantThatRemains) {
  sartor::Runtime runtime(logged());
  const auto shared = shared_of(file_);
  QuasiInvariant locks("locks");
  locks.add_fields(file_, &File::locks);
  const auto read = runtime.bind<&read_file>(&file_, _);
  ASSERT_TRUE(shared.wait_until_holds(kPatience) && locks.wait_until_holds(kPatience));
  const auto both = [&] { return shared_is_folded(read) && locks_are_folded(read); };
  ASSERT_TRUE(comes_true(both));
  for (int i = 0; i < 2; ++i) {
    const Write write(shared);
    file_.shared = 3;
    // Made in the background the first time, there already the second.
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

TEST_F(Facts, OfVariablesFoldInHandlersThatWereSpecialized) {
  sartor::Runtime runtime;
  const auto read = runtime.handler<&read_only_file>();
  QuasiInvariant fact("only_file");
  fact.add_fields(only_file, &File::shared, &File::locks);
  runtime.specialize({});
  EXPECT_TRUE(comes_true([&] { return shared_is_folded(read) && locks_are_folded(read); }));
  if (const Write write(fact); write)
    only_file.shared = 2;
  EXPECT_EQ(read(5), 20'005U);
  if (const Write write(fact); write)
    only_file.shared = 0;
}

TEST_F(Facts, MayHaveWritesRefused) {
  sartor::Runtime runtime;
  void *asked_for = this;
  QuasiInvariantOptions options;
  options.refuse = [&](void *address, std::size_t) {
    asked_for = address;
    return true;
  };
  const auto fact = shared_of(file_, options);
  ASSERT_TRUE(fact.wait_until_holds(kPatience));
  EXPECT_FALSE(Write(fact));
  EXPECT_EQ(asked_for, nullptr);
  EXPECT_TRUE(fact.holds());
  EXPECT_EQ(fact.figures().refused, 1U);
  EXPECT_EQ(fact.figures().broken, 0U);
}

TEST_F(Facts, MayBeReinforced) {
  sartor::Runtime runtime;
  File copy = file_;
  bool may = true;
  QuasiInvariantOptions options;
  options.reinforce = [&](void *, std::size_t) {
    if (may)
      copy.shared = 1; // the writer gets a file of its own
    return may;
  };
  const auto fact = shared_of(file_, options);
  ASSERT_TRUE(fact.wait_until_holds(kPatience));
  EXPECT_FALSE(Write(fact));
  EXPECT_EQ(copy.shared, 1U);
  EXPECT_EQ(fact.figures().reinforced, 1U);
  may = false;
  EXPECT_TRUE(Write(fact));
  EXPECT_EQ(fact.figures().broken, 1U);
}

TEST_F(Facts, BreakWhereTheAnswerThrows) {
  sartor::Runtime runtime(logged());
  QuasiInvariantOptions options;
  options.reinforce = [](void *, std::size_t) -> bool { throw std::runtime_error("no room"); };
  const auto fact = shared_of(file_, options);
  ASSERT_TRUE(fact.wait_until_holds(kPatience));
  EXPECT_TRUE(Write(fact));
  EXPECT_EQ(fact.figures().broken, 1U);
  EXPECT_THAT(log(), testing::HasSubstr("fact_not_answered"));
}

TEST_F(Facts, MayBeWrittenToInTheirOwnAnswer) {
  QuasiInvariant *fact = nullptr;
  QuasiInvariantOptions options;
  options.reinforce = [&](void *, std::size_t) { return !Write(*fact); };
  auto made = shared_of(file_, options);
  fact = &made;
  ASSERT_TRUE(made.wait_until_holds(kPatience));
  EXPECT_TRUE(Write(made));
  EXPECT_EQ(made.figures().broken, 1U);
}

TEST_F(Facts, ThatContradictThemselvesAreRefused) {
  QuasiInvariantOptions options;
  options.refuse = [](void *, std::size_t) { return true; };
  options.reinforce = options.refuse;
  EXPECT_EQ(failing([&] { shared_of(file_, options); }), ErrorCode::bad_invariant);
  QuasiInvariantOptions impatient;
  impatient.back_off = 0s;
  EXPECT_EQ(failing([&] { shared_of(file_, impatient); }), ErrorCode::bad_invariant);
  QuasiInvariant of_nothing("nothing");
  EXPECT_EQ(failing([&] { of_nothing.add(nullptr, 8); }), ErrorCode::bad_invariant);
  EXPECT_FALSE(of_nothing.holds());
  EXPECT_TRUE(Write(of_nothing));
}

TEST_F(Facts, ThatContradictEachOtherHoldInTurn) {
  QuasiInvariantOptions none;
  none.holds = [&] { return file_.shared == 0; };
  QuasiInvariantOptions some;
  some.holds = [&] { return file_.shared != 0; };
  const auto exclusive = shared_of(file_, none);
  const auto shared = shared_of(file_, some);
  ASSERT_TRUE(exclusive.wait_until_holds(kPatience));
  EXPECT_FALSE(shared.wait_until_holds(50ms));
  {
    const Write first(exclusive);
    const Write second(shared);
    file_.shared = 1;
  }
  ASSERT_TRUE(shared.wait_until_holds(kPatience));
  EXPECT_FALSE(exclusive.wait_until_holds(50ms));
}

TEST_F(Facts, WhosePredicateThrowsDoNotHold) {
  QuasiInvariantOptions options;
  options.holds = []() -> bool { throw std::runtime_error("who knows"); };
  EXPECT_FALSE(shared_of(file_, options).wait_until_holds(100ms));
}

QuasiInvariant *written_within = nullptr;

void share(File *file) {
  const Write write(*written_within);
  file->shared = 4;
  file->locks = 2;
}

TEST_F(Facts, MayBeWrittenToWithinHandlers) {
  sartor::Runtime runtime;
  auto fact = shared_of(file_);
  written_within = &fact;
  const auto read = runtime.bind<&read_and_call>(&file_, _);
  ASSERT_TRUE(fact.wait_until_holds(kPatience));
  read.wait();
  ASSERT_TRUE(comes_true([&] { return read(nullptr) == kSharedIsFolded; }));
  EXPECT_EQ(read(share), 2U); // what was folded is as it was, in a call that had begun
  EXPECT_EQ(read(share), 4'002U);
  EXPECT_TRUE(fact.wait_until_holds(kPatience));
}

void extend(File *file) { written_within->add_fields(*file, &File::locks); }

TEST_F(Facts, MayBeExtendedWithinHandlers) {
  sartor::Runtime runtime;
  auto fact = shared_of(file_);
  written_within = &fact;
  const auto read = runtime.bind<&read_and_call>(&file_, _);
  ASSERT_TRUE(comes_true([&] { return read(nullptr) == kSharedIsFolded; }));
  EXPECT_EQ(read(extend), 0U);
  ASSERT_TRUE(comes_true([&] { return read(nullptr) == (kSharedIsFolded | kLocksAreFolded); }));
  EXPECT_EQ(read(share), 0U); // both are as they were
  EXPECT_EQ(read([](File *) {}), 4'002U);
}

TEST_F(Facts, AboutMemoryThatHasGoneAreToldAndNeverHold) {
  sartor::Runtime runtime(logged());
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto *file = static_cast<File *>(
      mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(file, MAP_FAILED);
  const auto fact = shared_of(*file);
  ASSERT_TRUE(fact.wait_until_holds(kPatience));
  {
    const Write write(fact);
    munmap(file, page);
  }
  EXPECT_TRUE(comes_true([&] { return log().contains("fact_unreadable"); }));
  EXPECT_FALSE(fact.holds());
}

TEST_F(Facts, ThatBreakAllTheTimeAreLeftAloneForLonger) {
  sartor::Runtime runtime;
  const auto fact = shared_of(file_);
  const auto read = runtime.bind<&read_file>(&file_, _);
  ASSERT_TRUE(fact.wait_until_holds(kPatience));
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t writes = 0;
  while (std::chrono::steady_clock::now() < begin + 500ms) {
    const Write write(fact);
    file_.shared = ++writes;
  }
  EXPECT_LT(fact.figures().broken, 12U);
  EXPECT_GT(fact.figures().back_off, 10ms);
  EXPECT_EQ(read(1), expected(File{file_.offset - 1, writes, 0, 4096}, 1));
}

// Whatever a writer has published before a call begins is what the call sees, or something newer.
TEST_F(Facts, AreNeverSeenStale) {
  sartor::Runtime runtime;
  QuasiInvariantOptions options;
  options.back_off = 100us;
  options.longest_back_off = 2ms;
  const auto fact = shared_of(file_, options);
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
      const Write write(fact);
      __atomic_store_n(&file_.shared, value, __ATOMIC_RELAXED);
    }
    published = value;
    if (value % 30 == 0)
      (void)fact.wait_until_holds(kPatience);
  }
  done = true;
  readers.clear();
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(fact.figures().held, 1U);
}

TEST_F(Facts, MayBreakWhileAVariantIsMade) {
  sartor::Runtime runtime;
  QuasiInvariantOptions options;
  options.back_off = 100us;
  const auto fact = shared_of(file_, options);
  std::atomic<bool> done = false;
  std::jthread writer([&] {
    while (!done) {
      const Write write(fact);
      __atomic_fetch_add(&file_.shared, 1, __ATOMIC_RELAXED);
    }
  });
  for (int i = 0; i < 10; ++i) {
    const auto read = runtime.bind<&read_and_call>(&file_, _);
    EXPECT_NO_THROW(read.wait());
  }
  done = true;
}

TEST_F(Facts, MayAllBreakAtOnce) {
  constexpr std::size_t kFiles = 10'000;
  constexpr std::size_t kKinds = 10;
  constexpr std::size_t kSpecialized = 1'000; // of a handler's 1,024 contexts
  sartor::Runtime runtime;
  std::deque<File> files(kFiles, file_);
  std::vector<QuasiInvariant> facts;
  for (const File &file : files)
    facts.push_back(shared_of(file));
  std::vector<decltype(runtime.bind<&read_file>(&file_, _))> bindings;
  for (File &file : files)
    bindings.push_back(runtime.bind<&read_file>(&file, _));
  for (const QuasiInvariant &fact : facts)
    ASSERT_TRUE(fact.wait_until_holds(kPatience));
  const auto all_are_folded = [&] {
    return std::ranges::all_of(std::span(bindings).first(kSpecialized),
                               [](const auto &read) { return shared_is_folded(read); });
  };
  ASSERT_TRUE(comes_true(all_are_folded));
  for (std::size_t i = 0; i < kFiles; ++i) {
    const Write write(facts[i]);
    files[i].shared = i % kKinds;
  }
  for (std::size_t i = 0; i < kFiles; ++i) {
    const std::uint64_t offset = files[i].offset;
    ASSERT_EQ(bindings[i](1), expected(File{offset, i % kKinds, 0, 4096}, 1));
  }
  for (const QuasiInvariant &fact : facts)
    ASSERT_TRUE(fact.wait_until_holds(kPatience));
  EXPECT_TRUE(comes_true(all_are_folded));
}

TEST_F(Facts, MayGoWhileTheirCodeIsInForce) {
  sartor::Runtime runtime;
  auto fact = std::make_unique<QuasiInvariant>(shared_of(file_));
  const auto read = runtime.bind<&read_file>(&file_, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  fact.reset();
  file_.shared = 6;
  EXPECT_EQ(read(1), expected(File{file_.offset - 1, 6, 0, 4096}, 1));
}

TEST_F(Facts, GoOnInAChild) {
  sartor::Runtime runtime;
  const auto fact = shared_of(file_);
  const auto read = runtime.bind<&read_file>(&file_, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  const pid_t child = fork();
  if (child == 0) {
    {
      const Write write(fact);
      file_.shared = 3;
    }
    const bool seen = read(1) == expected(File{file_.offset - 1, 3, 0, 4096}, 1);
    _exit(seen && fact.wait_until_holds(kPatience) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(shared_is_folded(read));
}

TEST_F(Facts, AreNothingWhereSartorIsOff) {
  setenv("SARTOR", "off", 1);
  sartor::Runtime runtime;
  unsetenv("SARTOR");
  const auto fact = shared_of(file_);
  const auto read = runtime.bind<&read_file>(&file_, _);
  if (const Write write(fact); write)
    file_.shared = 2;
  EXPECT_EQ(read(1), expected(File{file_.offset - 1, 2, 0, 4096}, 1));
}

} // namespace
