// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/profile/sketch.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <thread>

#include <gtest/gtest.h>

namespace sartor::core {
namespace {

using Counts = std::map<std::vector<std::uint64_t>, std::uint64_t>;

/// A sketch with its memory, and the exact counts for comparison.
class Stream {
public:
  explicit Stream(const Shape &shape)
      : shape_(shape), memory_(static_cast<std::byte *>(
                           std::aligned_alloc(64, (Sketch::bytes(shape) + 63) / 64 * 64))),
        sketch_(shape, memory_.get()) {
    std::fill_n(memory_.get(), Sketch::bytes(shape), std::byte{0});
  }

  void add(const std::vector<std::uint64_t> &words, std::uint64_t weight = 1) {
    sketch_.add(words.data(), weight);
    exact_[{words.begin(), words.begin() + shape_.inputs}] += weight;
  }

  [[nodiscard]] Seen read() const {
    Seen seen;
    sketch_.read(seen);
    return seen;
  }

  /// Leaves the sketch as if its thread had stopped while moving records.
  void stop_in_the_middle() { ++*reinterpret_cast<std::uint64_t *>(memory_.get()); }

  [[nodiscard]] const Counts &exact() const { return exact_; }

  [[nodiscard]] Counts counted() const {
    Counts counts;
    for (const Entry &entry : read().entries)
      counts[{entry.words.begin(), entry.words.begin() + shape_.inputs}] += entry.count;
    return counts;
  }

private:
  struct Free {
    void operator()(std::byte *memory) const { std::free(memory); }
  };
  Shape shape_;
  std::unique_ptr<std::byte, Free> memory_;
  Sketch sketch_;
  Counts exact_;
};

/// Draws ranks with probability proportional to 1 / rank^exponent.
class Zipf {
public:
  Zipf(unsigned ranks, double exponent) {
    for (unsigned i = 1; i <= ranks; ++i)
      sums_.push_back((sums_.empty() ? 0 : sums_.back()) + std::pow(i, -exponent));
  }
  std::uint64_t operator()(std::mt19937_64 &random) const {
    const double at = std::uniform_real_distribution<>(0, sums_.back())(random);
    return static_cast<std::uint64_t>(std::ranges::upper_bound(sums_, at) - sums_.begin());
  }

private:
  std::vector<double> sums_;
};

void expect_within_bounds(const Stream &stream, std::uint64_t total) {
  const Seen seen = stream.read();
  EXPECT_EQ(seen.count, total);
  // The bound of the IMC 2017 paper, as Apache DataSketches states it for this load factor and
  // sampled median.
  EXPECT_LE(static_cast<double>(seen.error), 3.5 / Sketch::kSlots * static_cast<double>(total));
  const Counts counted = stream.counted();
  std::uint64_t listed = 0;
  for (const auto &[input, count] : counted) {
    ASSERT_TRUE(stream.exact().contains(input));
    listed += count;
  }
  EXPECT_EQ(listed + seen.other, total);
  for (const auto &[input, exact] : stream.exact()) {
    const auto found = counted.find(input);
    const std::uint64_t count = found == counted.end() ? 0 : found->second;
    ASSERT_LE(count, exact);
    ASSERT_LE(exact, count + seen.error);
  }
}

TEST(Sketch, FewInputsAreCountedExactly) {
  Stream stream({.inputs = 1});
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i)
    stream.add({random() % Sketch::kMostUsed * 64});
  EXPECT_EQ(stream.counted(), stream.exact());
  EXPECT_EQ(stream.read().error, 0U);
}

TEST(Sketch, InputsThatAreZeroAreCounted) {
  Stream stream({.inputs = 2, .extras = 1});
  stream.add({0, 0, 0});
  stream.add({0, 0, 0});
  stream.add({1, 0, 0});
  EXPECT_EQ(stream.counted(), stream.exact());
}

TEST(Sketch, SkewedStreamsStayWithinTheErrorBound) {
  for (const double exponent : {0.7, 1.0, 1.3}) {
    const Zipf zipf(200'000, exponent);
    Stream stream({.inputs = 1});
    std::mt19937_64 random(2);
    constexpr std::uint64_t kTotal = 1'000'000;
    for (std::uint64_t i = 0; i < kTotal; ++i)
      stream.add({zipf(random) * 0x10001});
    SCOPED_TRACE(exponent);
    expect_within_bounds(stream, kTotal);
  }
}

TEST(Sketch, WeightedStreamsStayWithinTheErrorBound) {
  const Zipf zipf(100'000, 1.1);
  Stream stream({.inputs = 4, .extras = 2});
  std::mt19937_64 random(3);
  std::uint64_t total = 0;
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t rank = zipf(random);
    const std::uint64_t weight = 1 + random() % 100;
    stream.add({rank, rank % 7, rank << 32, 5, rank * rank, 9}, weight);
    total += weight;
  }
  expect_within_bounds(stream, total);
}

TEST(Sketch, UniformStreamsStayWithinTheErrorBound) {
  Stream stream({.inputs = 1});
  std::mt19937_64 random(4);
  for (int i = 0; i < 300'000; ++i)
    stream.add({random() % 50'000});
  expect_within_bounds(stream, 300'000);
}

TEST(Sketch, TheMostFrequentInputsComeOutInFrontOfATail) {
  Stream stream({.inputs = 1, .extras = 1});
  std::mt19937_64 random(5);
  for (std::uint64_t round = 0; round < 100; ++round)
    for (std::uint64_t i = 0; i < 1024; ++i) {
      stream.add({i, i + 1});
      stream.add({random() | 1ULL << 63, 0}); // as many values that occur only once
    }
  const Seen seen = stream.read();
  EXPECT_GT(seen.error, 0U);
  auto entries = seen.entries;
  std::ranges::sort(entries, std::greater(), &Entry::count);
  for (std::size_t i = 0; i < 1024; ++i) {
    EXPECT_LT(entries[i].words[0], 1024U);
    EXPECT_EQ(entries[i].words[1], entries[i].words[0] + 1) << "the result goes along";
  }
}

TEST(Sketch, TheLatestResultIsKept) {
  Stream stream({.inputs = 1, .extras = 2});
  stream.add({5, 10, 1});
  stream.add({5, 20, 2});
  const Seen seen = stream.read();
  ASSERT_EQ(seen.entries.size(), 1U);
  EXPECT_EQ(seen.entries[0].count, 2U);
  EXPECT_EQ(seen.entries[0].words[1], 20U);
  EXPECT_EQ(seen.entries[0].words[2], 2U);
}

TEST(Sketch, IsReadThoughItsThreadStoppedInTheMiddle) {
  Stream stream({.inputs = 1, .extras = 1});
  for (std::uint64_t i = 1; i <= 100; ++i)
    stream.add({i, ~i}, i);
  stream.stop_in_the_middle();
  const Seen seen = stream.read();
  EXPECT_EQ(seen.count, 5050U);
  EXPECT_EQ(seen.other, 5050U) << "nobody knows which result belongs to which input";
  EXPECT_TRUE(seen.entries.empty());
  EXPECT_FALSE(seen.at_one_moment);
}

TEST(Sketch, IsReadThoughResultsChangeAllTheTime) {
  Stream stream({.inputs = 1, .extras = 1});
  stream.add({7, 0});
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> added = 1;
  std::thread writer([&] {
    while (!stop) {
      stream.add({7, added});
      ++added;
    }
  });
  while (added < 10'000)
    std::this_thread::yield();
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t before = added;
    const Seen seen = stream.read();
    EXPECT_GE(seen.count, before); // in its entry, or among the other counts
    EXPECT_LE(seen.entries.size(), 1U);
  }
  stop = true;
  writer.join();
  stream.add({7, added});
  EXPECT_EQ(stream.read().entries.at(0).words[1], added) << "the latest result again";
}

TEST(Sketch, ReadersSeeOneMomentWhileTheWriterPurges) {
  Stream stream({.inputs = 1, .extras = 1});
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> reads = 0;
  std::uint64_t last = 0;
  std::thread reader([&] {
    while (!stop) {
      const Seen seen = stream.read();
      if (!seen.at_one_moment) // its thread was suspended in the middle for long
        continue;
      EXPECT_GE(seen.count, last) << "a total never falls";
      last = seen.count;
      std::vector<std::uint64_t> inputs;
      for (const Entry &entry : seen.entries) {
        EXPECT_EQ(entry.words[1], ~entry.words[0]) << "a result of another input";
        inputs.push_back(entry.words[0]);
      }
      std::ranges::sort(inputs);
      EXPECT_EQ(std::ranges::adjacent_find(inputs), inputs.end()) << "an input twice";
      ++reads;
    }
  });
  const Zipf zipf(100'000, 1.0);
  std::mt19937_64 random(6);
  std::uint64_t added = 0;
  for (; added < 200'000 || reads < 20; ++added) {
    const std::uint64_t input = zipf(random);
    stream.add({input, ~input});
  }
  stop = true;
  reader.join();
  EXPECT_EQ(stream.read().count, added);
}

} // namespace
} // namespace sartor::core
