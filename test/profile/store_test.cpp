// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/profile/store.h"

#include <cmath>
#include <csignal>
#include <map>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace sartor::core {
namespace {

enum Places : unsigned { kSigned, kWide, kCall };

Layout layout() {
  return Layout({{.bits = 8, .low = 0xfe, .counters = 5}, // -2 to 2
                 {.inputs = 1},
                 {.inputs = 2, .extras = 1}});
}

std::shared_ptr<Store> make_store() { return *Store::create(layout()); }

void see(const Store &store, unsigned place, std::vector<std::uint64_t> words, unsigned times = 1) {
  for (unsigned i = 0; i < times; ++i)
    record(record_id(store.counters(), place, 1), words.data());
}

std::map<std::uint64_t, std::uint64_t> counts(const Store &store, unsigned place) {
  std::map<std::uint64_t, std::uint64_t> result;
  for (const Entry &entry : store.seen(place).entries)
    result[entry.words[0]] += entry.count;
  return result;
}

TEST(Store, CountersDistinguishEachValueOfARange) {
  const auto store = make_store();
  for (const std::uint64_t value : {0xfeU, 0xffU, 0U, 2U, 2U, 3U, 0xfdU})
    see(*store, kSigned, {value});
  EXPECT_EQ(counts(*store, kSigned),
            (std::map<std::uint64_t, std::uint64_t>{{0xfe, 1}, {0xff, 1}, {0, 1}, {2, 2}}));
  EXPECT_EQ(store->seen(kSigned).count, 7U);
  EXPECT_EQ(store->seen(kSigned).other, 2U);
}

TEST(Store, NothingIsLostOverManyThreads) {
  const auto store = make_store();
  constexpr unsigned kThreads = 8;
  constexpr unsigned kTimes = 20'000;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      see(*store, kSigned, {1}, kTimes);
      see(*store, kWide, {7}, kTimes);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(counts(*store, kSigned)[1], std::uint64_t{kThreads} * kTimes);
  EXPECT_EQ(counts(*store, kWide)[7], std::uint64_t{kThreads} * kTimes);
}

TEST(Store, RunningThreadsCanBeRead) {
  const auto store = make_store();
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> made = 0;
  std::thread writer([&] {
    for (std::uint64_t i = 0; !stop; ++i) {
      see(*store, kWide, {i % 10'000});
      ++made;
    }
  });
  while (store->seen(kWide).count < 100'000) {
    const std::uint64_t before = made;
    const Seen seen = store->seen(kWide);
    EXPECT_TRUE(seen.count >= before || !seen.at_one_moment);
  }
  stop = true;
  writer.join();
  EXPECT_EQ(store->seen(kWide).count, made);
}

TEST(Store, ABlockIsLeftToTheNextThread) {
  const auto store = make_store();
  for (int i = 0; i < 2000; ++i)
    std::thread([&] { see(*store, kSigned, {0}); }).join();
  EXPECT_EQ(counts(*store, kSigned)[0], 2000U);
}

TEST(Store, ClearingForgetsOfRunningThreadsToo) {
  const auto store = make_store();
  see(*store, kSigned, {1});
  std::thread([&] { see(*store, kSigned, {1}); }).join();
  store->clear();
  EXPECT_EQ(store->seen(kSigned).count, 0U);
  see(*store, kSigned, {2});
  EXPECT_EQ(counts(*store, kSigned), (std::map<std::uint64_t, std::uint64_t>{{2, 1}}));
}

TEST(Store, ClearingWhileThreadsCountKeepsRecordsWhole) {
  const auto store = make_store();
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 2; ++thread)
    threads.emplace_back([&] {
      for (std::uint64_t i = 0; !stop; i = (i + 1) % 5000)
        see(*store, kCall, {i, i + 1, i + 2});
    });
  for (int i = 0; i < 200; ++i) {
    for (const Entry &entry : store->seen(kCall).entries) {
      EXPECT_EQ(entry.words[1], entry.words[0] + 1);
      if (entry.extras_known)
        EXPECT_EQ(entry.words[2], entry.words[0] + 2);
    }
    store->clear();
  }
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
  store->clear();
  EXPECT_EQ(store->seen(kCall).count, 0U);
}

const Store *seen_by_handler = nullptr;
std::atomic<std::uint64_t> handled = 0;

void count_in_handler(int) {
  const std::uint64_t i = 5000 + handled++ % 5000;
  const std::uint64_t words[] = {i, i + 1, i + 2};
  record(record_id(seen_by_handler->counters(), kCall, 1), words);
}

class StoreInSignalHandlers : public testing::Test {
protected:
  StoreInSignalHandlers() {
    seen_by_handler = store_.get();
    handled = 0;
    before_ = signal(SIGUSR1, count_in_handler);
  }
  ~StoreInSignalHandlers() override { signal(SIGUSR1, before_); }

  std::shared_ptr<Store> store_ = make_store();
  void (*before_)(int);
};

TEST_F(StoreInSignalHandlers, MayBeTheFirstThatComeBy) {
  std::thread([] { raise(SIGUSR1); }).join();
  EXPECT_EQ(store_->seen(kCall).count, 1U);
}

TEST_F(StoreInSignalHandlers, DoNotMixTheirRecordsWithThoseTheyInterrupt) {
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (std::uint64_t i = 0; !stop; i = (i + 1) % 5000)
      see(*store_, kCall, {i, i + 1, i + 2});
  });
  while (handled < 5'000)
    pthread_kill(writer.native_handle(), SIGUSR1);
  stop = true;
  writer.join();
  for (const Entry &entry : store_->seen(kCall).entries) {
    EXPECT_EQ(entry.words[1], entry.words[0] + 1);
    EXPECT_EQ(entry.words[2], entry.words[0] + 2);
  }
}

TEST(Store, CountsNothingWithoutMemory) {
  const auto store = make_store();
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_AS, &none);
    const std::uint64_t word = 1;
    record(record_id(store->counters(), kSigned, 1), &word);
    _exit(0);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "a handler's call must not end the program";
}

TEST(Store, StoresOfOneProcessDoNotMix) {
  auto first = make_store();
  const auto second = make_store();
  see(*first, kSigned, {1});
  see(*second, kSigned, {2}, 2);
  EXPECT_EQ(first->seen(kSigned).count, 1U);
  EXPECT_EQ(second->seen(kSigned).count, 2U);
  const unsigned slot = first->slot();
  first.reset();
  const auto third = make_store();
  EXPECT_EQ(third->slot(), slot) << "places of stores that are gone are used again";
  see(*third, kSigned, {0});
  EXPECT_EQ(third->seen(kSigned).count, 1U) << "and so is nothing of what they had seen";
}

TEST(Store, TooManyStoresAreRefused) {
  std::vector<std::shared_ptr<Store>> stores;
  for (;;) {
    auto store = Store::create(layout());
    if (!store) {
      EXPECT_LE(stores.size(), Store::kMostStores);
      return;
    }
    stores.push_back(std::move(*store));
  }
}

TEST(Store, TheTableIsWhereInstrumentedCodeLooksForIt) {
  const auto store = make_store();
  see(*store, kSigned, {0});
  std::thread([&] {
    const char *pointer = static_cast<const char *>(__builtin_thread_pointer());
    const auto find = [&] {
      return *reinterpret_cast<void **const *>(pointer + store->counters().table);
    };
    EXPECT_EQ(find()[store->slot()], nullptr);
    see(*store, kSigned, {0});
    EXPECT_NE(find()[store->slot()], nullptr);
    EXPECT_EQ(find(), table());
  }).join();
}

TEST(Store, ThreadsDisagreeAboutAResult) {
  const auto store = make_store();
  see(*store, kCall, {1, 2, 10});
  see(*store, kCall, {3, 4, 10});
  std::thread([&] {
    see(*store, kCall, {1, 2, 11});
    see(*store, kCall, {3, 4, 10});
  }).join();
  const Seen seen = store->seen(kCall);
  ASSERT_EQ(seen.entries.size(), 2U);
  EXPECT_EQ(seen.entries[0].count, 2U);
  EXPECT_FALSE(seen.entries[0].extras_known);
  EXPECT_TRUE(seen.entries[1].extras_known);
}

/// Does the work of instrumented code at a sampled point before it calls record().
void sample(const Store &store, unsigned place, std::uint32_t every, std::uint64_t value) {
  if (void *block = table()[store.slot()]) {
    auto *gap = reinterpret_cast<Gap *>(static_cast<std::byte *>(block) +
                                        store.layout().places()[place].gap(every));
    if (gap->left-- != 0)
      return;
  }
  record(record_id(store.counters(), place, every), &value);
}

// The gaps are drawn with a fixed seed, so the deviation is the same in every run.
TEST(Store, SampledCountsAreUnbiasedForPeriodicValues) {
  for (const std::uint32_t every : {2U, 10U, 100U}) {
    const auto store = make_store();
    constexpr std::uint64_t kCalls = 2'000'000;
    for (std::uint64_t i = 0; i < kCalls; ++i)
      sample(*store, kSigned, every, i % every == 0 ? 1 : 0);
    const auto seen = counts(*store, kSigned);
    for (const auto &[value, expected] :
         std::map<std::uint64_t, double>{{1, kCalls / every}, {0, kCalls - kCalls / every}}) {
      const double deviation = std::sqrt(expected * (every - 1));
      EXPECT_NEAR(static_cast<double>(seen.at(value)), expected, 4 * deviation) << every;
    }
  }
}

TEST(Store, GapsMayBeAsLongAsCanBe) {
  constexpr std::uint32_t kEvery = 0xffff'ffff;
  const auto store = make_store();
  const std::uint64_t value = 1;
  record(record_id(store->counters(), kSigned, kEvery), &value);
  auto *gap = reinterpret_cast<Gap *>(static_cast<std::byte *>(table()[store->slot()]) +
                                      store->layout().places()[kSigned].gap(kEvery));
  constexpr int kDraws = 1000;
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) {
    gap->left = -1;
    record(record_id(store->counters(), kSigned, kEvery), &value);
    sum += static_cast<double>(gap->left);
  }
  EXPECT_NEAR(sum / kDraws / kEvery, 1, 0.1);
}

TEST(Store, SamplingGoesOnWhereAThreadThatEndedLeftOff) {
  const auto store = make_store();
  constexpr std::uint64_t kThreads = 4000;
  constexpr std::uint64_t kCalls = 20;
  for (std::uint64_t i = 0; i < kThreads; ++i)
    std::thread([&] {
      for (std::uint64_t call = 0; call < kCalls; ++call)
        sample(*store, kSigned, 100, 1);
    }).join();
  const double expected = kThreads * kCalls;
  EXPECT_NEAR(static_cast<double>(store->seen(kSigned).count), expected,
              4 * std::sqrt(expected * 99));
}

} // namespace
} // namespace sartor::core
