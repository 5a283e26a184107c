// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quasi-invariants with protected pages: a writer without a guard is stopped until they are
// invalidated.
#include <atomic>
#include <memory>
#include <random>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "pages.h"

namespace {

using namespace std::chrono_literals;
using sartor::_;
using sartor::QuasiInvariant;

TEST_F(Pages, AreInvalidatedByAWriterWithoutAGuardAndValidAgain) {
  sartor::Runtime runtime(logged());
  const auto quasi_invariant = shared_of(*file_);
  const auto read = runtime.bind<&read_and_call>(&*file_, _);
  for (std::uint64_t value = 1; value < 4; ++value) {
    ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); })) << value;
    store(file_->shared, value);
    EXPECT_TRUE(holds([&] { return shared_by(read) == value; }));
    EXPECT_TRUE(holds([&] { return quasi_invariant.figures().page_faults >= value; }));
    EXPECT_TRUE(holds([&] { return quasi_invariant.figures().invalidated >= value; }));
  }
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  EXPECT_EQ(shared_by(read), 3U);
  EXPECT_EQ(quasi_invariant.figures().neighbours, 0U);
}

TEST_F(Pages, MayBeWrittenToByGuardsAsEver) {
  sartor::Runtime runtime;
  const auto quasi_invariant = shared_of(*file_);
  const auto read = runtime.bind<&read_and_call>(&*file_, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  {
    const sartor::Write write(quasi_invariant);
    file_->shared = 5;
    EXPECT_EQ(shared_by(read), 5U);
  }
  EXPECT_EQ(quasi_invariant.figures().invalidated, 1U);
  EXPECT_EQ(quasi_invariant.figures().page_faults, 0U);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
}

TEST_F(Pages, FindTheirVariantsAgainWhereANeighbourWasWritten) {
  sartor::Runtime runtime(logged());
  const auto quasi_invariant = shared_of(*file_);
  const auto read = runtime.bind<&read_and_call>(&*file_, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  const auto compiles = runtime.statistics().compiles;
  store(file_.neighbour<std::uint64_t>(), 1);
  EXPECT_TRUE(holds([&] { return quasi_invariant.figures().neighbours >= 1; }));
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  // The variant that does not depend on the quasi-invariant is compiled once.
  EXPECT_LE(runtime.statistics().compiles, compiles + 1);
}

TEST_F(Pages, AreOpenedForAllQuasiInvariantsOnThem) {
  sartor::Runtime runtime(logged());
  File &other = *new (&file_.neighbour<File>()) File{0, 0, 0, 4096};
  const auto one = shared_of(*file_);
  const auto two = shared_of(other);
  const auto read_one = runtime.bind<&read_and_call>(&*file_, _);
  const auto read_two = runtime.bind<&read_and_call>(&other, _);
  for (std::uint64_t value = 1; value < 20; ++value) {
    ASSERT_TRUE(
        comes_true([&] { return shared_is_folded(read_one) && shared_is_folded(read_two); }));
    store(file_->shared, value);
    store(other.shared, value + 1);
    ASSERT_TRUE(holds([&] { return shared_by(read_one) == value; }));
    ASSERT_TRUE(holds([&] { return shared_by(read_two) == value + 1; }));
  }
}

TEST_F(Pages, MayHoldPartsOfAQuasiInvariantEach) {
  struct Large {
    std::uint64_t first;
    char between[20'000];
    std::uint64_t last;
  };
  void *memory = mmap(nullptr, 24'576, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto &large = *new (memory) Large();
  {
    const sartor::Runtime runtime(logged());
    QuasiInvariant quasi_invariant("large", protecting());
    quasi_invariant.add(&large, sizeof large);
    ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
    store(large.last, 1);
    EXPECT_TRUE(holds([&] { return quasi_invariant.figures().page_faults >= 1; }));
    EXPECT_TRUE(holds([&] { return quasi_invariant.figures().invalidated >= 1; }));
    ASSERT_TRUE(quasi_invariant.wait_until_valid(kPatience));
    store(large.first, 1);
    EXPECT_TRUE(holds([&] { return quasi_invariant.figures().page_faults >= 2; }));
  }
  munmap(memory, 24'576);
}

// The writer waits until the call that has folded the old value has returned.
TEST_F(Pages, AreOpenedWhenNobodyIsInOldCode) {
  sartor::Runtime runtime(logged());
  const auto quasi_invariant = shared_of(*file_);
  const auto read = runtime.bind<&read_and_call>(&*file_, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  static std::atomic<bool> is_inside = false;
  static std::atomic<bool> may_leave = false;
  static std::atomic<std::uint64_t> seen_inside = 0;
  std::jthread caller([&] {
    EXPECT_EQ(read([](File *file) {
                is_inside = true;
                while (!may_leave)
                  std::this_thread::yield();
                seen_inside = __atomic_load_n(&file->shared, __ATOMIC_RELAXED);
              }),
              0U);
  });
  ASSERT_TRUE(comes_true([] { return is_inside.load(); }));
  std::jthread writer([&] { store(file_->shared, 7); });
  ASSERT_TRUE(comes_true([&] { return !quasi_invariant.valid(); }));
  EXPECT_FALSE(shared_is_folded(read)); // calls that begin depend on nothing
  std::this_thread::sleep_for(20ms);
  EXPECT_TRUE(__atomic_load_n(&file_->shared, __ATOMIC_RELAXED) == 0 || is_late());
  may_leave = true;
  writer.join();
  caller.join();
  EXPECT_TRUE(seen_inside == 0 || is_late());
  EXPECT_TRUE(holds([&] { return shared_by(read) == 7; }));
}

TEST_F(Pages, MayBeWrittenToWithinHandlers) {
  sartor::Runtime runtime(logged());
  const auto quasi_invariant = shared_of(*file_);
  const auto read = runtime.bind<&read_and_call>(&*file_, _);
  for (std::uint64_t value = 1; value < 4; ++value) {
    ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
    const std::uint64_t before = file_->shared;
    EXPECT_EQ(read([](File *file) { store(file->shared, file->shared + 1); }), before * 1'000);
    EXPECT_TRUE(holds([&] { return shared_by(read) == value; }));
  }
}

// The handler's own state lies on the page of the quasi-invariant: each call invalidates it, and
// all results are correct.
TEST_F(Pages, MayBeWrittenToByTheVariantItself) {
  sartor::Runtime runtime(logged());
  const auto quasi_invariant = shared_of(*file_);
  const auto read = runtime.bind<&read_file>(&*file_, _);
  File copy = *file_;
  std::uint64_t wrong = 0;
  int i = 0;
  const auto go_on = [&] {
    for (const auto end = std::chrono::steady_clock::now() + 200ms;
         std::chrono::steady_clock::now() < end; ++i) {
      if (i % 64 == 0)
        store(file_->shared, copy.shared = static_cast<std::uint64_t>(i));
      wrong += read(1) == read_file(&copy, 1) ? 0 : 1;
    }
  };
  // If this thread does not run for a while, that is a time without writes.
  EXPECT_TRUE(comes_true([&] {
    go_on();
    const sartor::QuasiInvariantFigures figures = quasi_invariant.figures();
    return figures.neighbours > 0 && figures.back_off > 1ms;
  }));
  EXPECT_TRUE(wrong == 0 || is_late()) << wrong;
}

TEST_F(Pages, AreOpenedForManyAtOnce) {
  constexpr std::uint64_t kThreads = 12;
  sartor::Runtime runtime(logged());
  const auto quasi_invariant = shared_of(*file_);
  const auto read = runtime.bind<&read_and_call>(&*file_, _);
  for (std::uint64_t round = 1; round < 10; ++round) {
    ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
    std::vector<std::jthread> writers;
    for (std::uint64_t i = 0; i < kThreads; ++i)
      writers.emplace_back([&] { __atomic_fetch_add(&file_->shared, 1, __ATOMIC_RELAXED); });
    writers.clear();
    ASSERT_TRUE(holds([&] { return shared_by(read) == round * kThreads; }));
  }
}

TEST_F(Pages, AreOpenedByWhoDestroysTheQuasiInvariant) {
  sartor::Runtime runtime(logged());
  auto quasi_invariant = std::make_unique<QuasiInvariant>(shared_of(*file_));
  const auto read = runtime.bind<&read_and_call>(&*file_, _);
  ASSERT_TRUE(comes_true([&] { return shared_is_folded(read); }));
  static std::atomic<bool> is_inside = false;
  static std::atomic<bool> may_leave = false;
  std::jthread caller([&] {
    read([](File *) {
      is_inside = true;
      while (!may_leave)
        std::this_thread::yield();
    });
  });
  ASSERT_TRUE(comes_true([] { return is_inside.load(); }));
  std::jthread writer([&] { store(file_->shared, 3); });
  ASSERT_TRUE(comes_true([&] { return !quasi_invariant->valid(); }));
  std::jthread destroyer([&] { quasi_invariant.reset(); });
  std::this_thread::sleep_for(10ms);
  may_leave = true;
  destroyer.join();
  writer.join();
  caller.join();
  EXPECT_TRUE(holds([&] { return shared_by(read) == 3; }));
  store(file_->shared, 4);
  EXPECT_EQ(shared_by(read), 4U);
}

// Two values that belong together are stored under a lock by code that does not know of
// quasi-invariants: a caller that holds the lock sees both as they are.
TEST_F(Pages, GiveWhatGenericCodeGives) {
  sartor::Runtime runtime(logged());
  auto options = protecting();
  options.back_off = 100us;
  options.longest_back_off = 2ms;
  QuasiInvariant quasi_invariant("both", options);
  quasi_invariant.add_fields(*file_, &File::shared, &File::locks);
  const auto read = runtime.bind<&read_and_call>(&*file_, _);
  std::shared_mutex lock;
  std::uint64_t sequence = 0;
  std::atomic<bool> done = false;
  std::atomic<std::uint64_t> wrong = 0;
  std::atomic<std::uint64_t> folded = 0;
  std::vector<std::jthread> callers;
  for (int i = 0; i < 3; ++i)
    callers.emplace_back([&] {
      while (!done) {
        const std::shared_lock shared(lock);
        folded += read(nullptr) != 0 ? 1 : 0;
        if (read([](File *) {}) != sequence * 1'000 + 2 * sequence)
          ++wrong;
      }
    });
  std::vector<std::jthread> writers;
  for (unsigned seed = 0; seed < 2; ++seed)
    writers.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 150; ++i) {
        {
          const std::unique_lock alone(lock);
          ++sequence;
          store(file_->shared, sequence);
          store(file_->locks, 2 * sequence);
        }
        if (random() % 4 == 0)
          (void)quasi_invariant.wait_until_valid(kPatience);
        else
          std::this_thread::sleep_for(std::chrono::microseconds(random() % 1'000));
      }
    });
  writers.clear();
  done = true;
  callers.clear();
  EXPECT_TRUE(wrong == 0 || is_late()) << wrong.load();
  EXPECT_TRUE(holds([&] { return quasi_invariant.figures().page_faults > 1; }));
  EXPECT_TRUE(holds([&] { return shared_by(read) == 300; }));
  RecordProperty("calls_folded", std::to_string(folded));
}

} // namespace
