// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/control/metrics_file.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>

#include <gtest/gtest.h>

namespace sartor {
namespace {

/// Each test has processes that know one file: a parent, and children that are copies of its state.
class MetricsFileTest : public testing::Test {
protected:
  MetricsFileTest() {
    std::string name = testing::TempDir() + "/metrics.XXXXXX";
    folder_ = mkdtemp(name.data());
    parent_.name(path());
  }
  ~MetricsFileTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path path() const { return folder_ / "metrics.prom"; }
  [[nodiscard]] MetricsFile child() const {
    MetricsFile child = parent_;
    child.forked(now_);
    return child;
  }
  /// The process looks when it wants to. Returns whether it has written.
  bool writes(MetricsFile &process, const std::string &text) {
    now_ = std::max(now_, process.next());
    const auto path = process.due(now_);
    if (!path)
      return false;
    const auto written = MetricsFile::replace(*path, text);
    EXPECT_TRUE(written);
    if (written)
      process.set_written(*written);
    return written.has_value();
  }
  [[nodiscard]] std::string content() const {
    std::ifstream file(path());
    return {std::istreambuf_iterator(file), {}};
  }
  /// As after minutes in which no process has written.
  void let_it_age() const {
    const timespec time{.tv_sec = 1, .tv_nsec = 0};
    ASSERT_EQ(utimensat(AT_FDCWD, path().c_str(), std::array{time, time}.data(), 0), 0);
  }

  std::filesystem::path folder_;
  MetricsFile::Clock::time_point now_ = MetricsFile::Clock::now();
  MetricsFile parent_;
};

TEST_F(MetricsFileTest, IsWrittenAtOnceAndThenAtIntervals) {
  EXPECT_TRUE(parent_.due(now_));
  EXPECT_FALSE(parent_.due(now_));
  EXPECT_FALSE(parent_.due(parent_.next() - std::chrono::nanoseconds(1)));
  EXPECT_TRUE(parent_.due(parent_.next()));
}

TEST_F(MetricsFileTest, AChildLeavesItToItsParent) {
  EXPECT_TRUE(writes(parent_, "parent"));
  MetricsFile forked = child();
  EXPECT_FALSE(writes(forked, "child"));
  EXPECT_TRUE(writes(parent_, "parent again"));
  EXPECT_FALSE(writes(forked, "child"));
  EXPECT_EQ(content(), "parent again");
  forked.name(path()); // another runtime with the same file
  EXPECT_FALSE(writes(forked, "child"));
}

TEST_F(MetricsFileTest, OneChildWritesItOnceItsParentHasEnded) {
  EXPECT_TRUE(writes(parent_, "parent"));
  MetricsFile first = child();
  MetricsFile second = child();
  let_it_age();
  EXPECT_TRUE(writes(first, "first"));
  EXPECT_FALSE(writes(second, "second"));
  EXPECT_TRUE(writes(first, "first again"));
  EXPECT_FALSE(writes(second, "second"));
  EXPECT_EQ(content(), "first again");
  EXPECT_TRUE(writes(parent_, "parent again")); // it was only stopped
  EXPECT_FALSE(writes(first, "first"));
}

TEST_F(MetricsFileTest, AChildOfAParentThatNeverWroteWrites) {
  MetricsFile forked = child();
  EXPECT_FALSE(forked.due(now_)); // its parent is about to write
  EXPECT_TRUE(writes(forked, "child"));
}

TEST_F(MetricsFileTest, AChildWritesAFileOfItsOwn) {
  EXPECT_TRUE(writes(parent_, "parent"));
  MetricsFile forked = child();
  forked.name(folder_ / "own.prom");
  EXPECT_TRUE(writes(forked, "child"));
  EXPECT_EQ(content(), "parent");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "own.prom"));
}

} // namespace
} // namespace sartor
