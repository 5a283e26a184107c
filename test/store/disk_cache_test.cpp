// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/disk_cache.h"

#include <chrono>
#include <fstream>
#include <thread>
#include <vector>

#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../files_of_the_program.h"

namespace sartor::core {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

base::ContentKey key_of(std::string_view text) { return base::hash_of({text}); }

class DiskCacheTest : public testing::Test {
protected:
  DiskCacheTest() { fs::remove_all(directory_); }
  ~DiskCacheTest() override { fs::remove_all(directory_); }

  std::unique_ptr<DiskCache> open(std::uint64_t limit = 1U << 20) {
    return DiskCache::open(directory_, limit,
                           [this](std::string_view event, const Failure &failure) {
                             events_.emplace_back(event);
                             texts_ += failure.text() + "\n";
                           });
  }

  [[nodiscard]] fs::path path(std::string_view key) const {
    return directory_ / file_name(key_of(key));
  }

  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const auto &file : fs::directory_iterator(directory_))
      sum += file.file_size();
    return sum;
  }

  fs::path directory_ = testing::TempDir() + "sartor_disk_cache_" +
                        testing::UnitTest::GetInstance()->current_test_info()->name() +
                        std::to_string(getpid());
  std::vector<std::string> events_;
  std::string texts_;
};

/// Exits with status 0 if `body` returns true when run as a user without rights.
bool as_nobody(const std::function<bool()> &body) {
  const pid_t child = fork();
  if (child == 0)
    _exit(setgid(65534) == 0 && setuid(65534) == 0 && body() ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

TEST_F(DiskCacheTest, RemovesWhatIsMeant) {
  const auto cache = open();
  StoredInfo info;
  for (const char *each : {"a", "b", "c"}) {
    info.variant = each == std::string_view("c") ? "other" : "mine";
    cache->insert(key_of(each), info, "code");
  }
  std::ofstream(path("d")) << "damaged";
  const auto erased =
      cache->erase_if([](const StoredInfo &each) { return each.variant == "mine"; });
  EXPECT_THAT(erased, testing::UnorderedElementsAre(key_of("a"), key_of("b")));
  EXPECT_FALSE(cache->find(key_of("a")));
  EXPECT_EQ(cache->find(key_of("c")), "code");
  EXPECT_TRUE(cache->erase(key_of("c")));
  EXPECT_FALSE(cache->erase(key_of("c")));
  EXPECT_FALSE(cache->find(key_of("c")));
}

TEST_F(DiskCacheTest, GivesWhatWasPutThere) {
  auto cache = open();
  EXPECT_FALSE(cache->find(key_of("a")));
  cache->insert(key_of("a"), {}, "code");
  EXPECT_EQ(cache->find(key_of("a")), "code");
  EXPECT_FALSE(cache->find(key_of("b")));
  EXPECT_THAT(events_, IsEmpty());
}

TEST_F(DiskCacheTest, IsSharedByAllWhoOpenIt) {
  auto one = open();
  auto other = open();
  one->insert(key_of("a"), {}, "code");
  EXPECT_EQ(other->find(key_of("a")), "code");
}

TEST_F(DiskCacheTest, KeepsTheInformationOnTheCode) {
  open()->insert(key_of("a"), {"f{x=1}", "f", "f.cpp", "full", "znver9", "22.1", "0.1", 7}, "code");
  std::ifstream file(path("a"));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto stored = unpack_stored(text);
  ASSERT_TRUE(stored);
  const auto info = read_info(stored->info);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->variant, "f{x=1}");
  EXPECT_EQ(info->source, "f.cpp");
  EXPECT_EQ(info->cpu, "znver9");
  EXPECT_EQ(info->made, 7);
}

TEST_F(DiskCacheTest, NoticesEveryChangedByte) {
  const std::string good = pack_stored(key_of("a"), {"f", "f", "", "", "", "", "", 1}, "some code");
  ASSERT_TRUE(unpack_stored(good));
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    EXPECT_FALSE(unpack_stored(bad)) << "byte " << i;
  }
}

TEST_F(DiskCacheTest, NoticesEveryTruncation) {
  const std::string good = pack_stored(key_of("a"), {}, "some code");
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(unpack_stored(std::string_view(good).substr(0, size))) << size << " bytes";
  EXPECT_FALSE(unpack_stored(good + "x"));
}

TEST_F(DiskCacheTest, RemovesADamagedFileAndSaysSo) {
  auto cache = open();
  cache->insert(key_of("a"), {}, "code");
  fs::resize_file(path("a"), 50);
  EXPECT_FALSE(cache->find(key_of("a")));
  EXPECT_FALSE(fs::exists(path("a")));
  EXPECT_THAT(events_, ElementsAre("cache_damaged"));
  EXPECT_THAT(texts_, HasSubstr(path("a").string()));
}

TEST_F(DiskCacheTest, DoesNotTakeTheCodeOfAnotherKey) {
  auto cache = open();
  cache->insert(key_of("a"), {}, "code");
  fs::rename(path("a"), path("b"));
  EXPECT_FALSE(cache->find(key_of("b")));
  EXPECT_THAT(events_, ElementsAre("cache_damaged"));
}

TEST_F(DiskCacheTest, StaysWithinItsLimit) {
  constexpr std::uint64_t limit = 20'000;
  auto cache = open(limit);
  for (int i = 0; i < 100; ++i) {
    cache->insert(key_of(std::to_string(i)), {}, std::string(1000, 'x'));
    ASSERT_LE(bytes(), limit);
  }
  EXPECT_TRUE(cache->find(key_of("99")));
  EXPECT_GT(bytes(), limit / 2);
}

TEST_F(DiskCacheTest, FindsOutWhatOthersPutThere) {
  constexpr std::uint64_t limit = 20'000;
  auto one = open(limit);
  auto other = open(limit);
  for (int i = 0; i < 100; ++i)
    (i % 2 == 0 ? one : other)->insert(key_of(std::to_string(i)), {}, std::string(1000, 'x'));
  EXPECT_LE(bytes(), limit + limit / 4);
}

TEST_F(DiskCacheTest, DropsWhatWasNotUsedForLongest) {
  auto cache = open(20'000);
  for (int i = 0; i < 10; ++i) {
    cache->insert(key_of(std::to_string(i)), {}, std::string(1000, 'x'));
    fs::last_write_time(path(std::to_string(i)),
                        fs::file_time_type::clock::now() - std::chrono::hours(20 - i));
  }
  EXPECT_TRUE(cache->find(key_of("0"))); // it was the oldest
  for (int i = 10; i < 20; ++i)
    cache->insert(key_of(std::to_string(i)), {}, std::string(1000, 'x'));
  EXPECT_TRUE(fs::exists(path("0")));
  EXPECT_FALSE(fs::exists(path("1")));
  EXPECT_TRUE(fs::exists(path("19")));
}

TEST_F(DiskCacheTest, DoesNotStoreWhatExceedsTheLimit) {
  auto cache = open(1000);
  cache->insert(key_of("a"), {}, std::string(2000, 'x'));
  EXPECT_FALSE(cache->find(key_of("a")));
  EXPECT_THAT(events_, IsEmpty());
}

TEST_F(DiskCacheTest, LeavesFilesOfOthersAlone) {
  auto cache = open(2000);
  std::ofstream(directory_ / "notes.txt") << std::string(5000, 'n');
  for (int i = 0; i < 5; ++i)
    cache->insert(key_of(std::to_string(i)), {}, std::string(1000, 'x'));
  EXPECT_TRUE(fs::exists(directory_ / "notes.txt"));
}

TEST_F(DiskCacheTest, RemovesWhatDeadWritersLeft) {
  auto cache = open();
  const auto dead = directory_ / ("." + base::to_text(key_of("a")) + ".1.1.1.tmp");
  const auto alive = directory_ / ("." + base::to_text(key_of("b")) + ".1.1.1.tmp");
  std::ofstream(dead) << "half";
  std::ofstream(alive) << "half";
  fs::last_write_time(dead, fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache->insert(key_of("c"), {}, "code");
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(alive));
}

TEST_F(DiskCacheTest, ManyMayWriteOneKey) {
  std::vector<std::unique_ptr<DiskCache>> caches;
  for (int i = 0; i < 4; ++i)
    caches.push_back(open());
  const std::string code(100'000, 'c');
  std::vector<std::thread> writers;
  std::atomic<int> wrong = 0;
  for (auto &cache : caches)
    writers.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        cache->insert(key_of("a"), {}, code);
        wrong += cache->find(key_of("a")) != code;
      }
    });
  for (std::thread &writer : writers)
    writer.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()), 1);
}

TEST_F(DiskCacheTest, MakesMissingDirectories) {
  directory_ /= "deep/down";
  auto cache = open();
  ASSERT_TRUE(cache);
  EXPECT_EQ(fs::status(directory_).permissions(), fs::perms::owner_all);
  fs::remove_all(directory_.parent_path());
  cache->insert(key_of("a"), {}, "code"); // removed meanwhile
  EXPECT_FALSE(cache->find(key_of("a")));
  EXPECT_THAT(events_, ElementsAre("cache_unusable"));
}

TEST_F(DiskCacheTest, OfAFileInItsPlaceSaysSo) {
  std::ofstream(directory_) << "not a directory";
  EXPECT_FALSE(open());
  EXPECT_THAT(events_, ElementsAre("cache_unusable"));
  EXPECT_THAT(texts_, HasSubstr("file_error: \"" + directory_.string() + "\""));
}

TEST_F(DiskCacheTest, OfADirectoryThatEverybodyWritesToTakesNothing) {
  open()->insert(key_of("a"), {}, "code");
  fs::permissions(directory_, fs::perms::all);
  EXPECT_FALSE(open());
  EXPECT_THAT(events_, ElementsAre("cache_refused"));
  EXPECT_THAT(texts_, HasSubstr("may be written to by everybody"));
}

TEST_F(DiskCacheTest, OfADirectoryThatAGroupWritesToTakesNothing) {
  open()->insert(key_of("a"), {}, "code");
  fs::permissions(directory_, fs::perms::group_write, fs::perm_options::add);
  EXPECT_FALSE(open());
  EXPECT_THAT(events_, ElementsAre("cache_refused"));
  EXPECT_THAT(texts_, HasSubstr("may be written to by a group"));
}

TEST_F(DiskCacheTest, TakesNoFileThatHasASecondName) {
  auto cache = open();
  cache->insert(key_of("a"), {}, "code");
  fs::create_hard_link(path("a"), directory_ / "elsewhere");
  EXPECT_FALSE(cache->find(key_of("a")));
  EXPECT_THAT(events_, ElementsAre("cache_refused"));
}

TEST_F(DiskCacheTest, DoesNotBelieveAFileThatSaysToBeHuge) {
  auto cache = open();
  cache->insert(key_of("a"), {}, "code");
  fs::resize_file(path("a"), 1ULL << 43); // almost nothing of which is on the disk
  EXPECT_FALSE(cache->find(key_of("a")));
  EXPECT_THAT(events_, ElementsAre("cache_damaged"));
  EXPECT_FALSE(fs::exists(path("a")));
}

TEST_F(DiskCacheTest, TakesNoFileThatOthersMayWriteTo) {
  auto cache = open();
  for (const char *key : {"a", "b"}) {
    cache->insert(key_of(key), {}, "code");
    fs::permissions(path(key), fs::perms::others_write, fs::perm_options::add);
    EXPECT_FALSE(cache->find(key_of(key)));
  }
  EXPECT_THAT(events_, ElementsAre("cache_refused")); // reported once
}

TEST_F(DiskCacheTest, TakesNoFileOfAnotherUser) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give files away";
  auto cache = open();
  cache->insert(key_of("a"), {}, "code");
  ASSERT_EQ(chown(path("a").c_str(), 65534, 65534), 0);
  EXPECT_FALSE(cache->find(key_of("a")));
  EXPECT_THAT(texts_, HasSubstr("belongs to another user"));
}

TEST_F(DiskCacheTest, FollowsNoLink) {
  auto cache = open();
  cache->insert(key_of("a"), {}, "code");
  fs::rename(path("a"), directory_ / "elsewhere");
  fs::create_symlink(directory_ / "elsewhere", path("a"));
  EXPECT_FALSE(cache->find(key_of("a")));
}

TEST_F(DiskCacheTest, ReadsWhereItMayNotWrite) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root, to become somebody who may not write";
  open()->insert(key_of("a"), {}, "code");
  fs::permissions(directory_, fs::perms(0755));
  fs::permissions(path("a"), fs::perms(0644));
  EXPECT_TRUE(as_nobody([&] {
    auto cache = open();
    cache->insert(key_of("b"), {}, "code");
    cache->insert(key_of("c"), {}, "code");
    return cache->find(key_of("a")) == "code" && !cache->find(key_of("b")) &&
           events_ == std::vector<std::string>{"cache_unusable"} &&
           texts_.find(directory_.string()) != std::string::npos;
  }));
}

TEST_F(DiskCacheTest, OfADirectoryThatItMayNotReadSaysSo) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root, to become somebody who may not read";
  open();
  EXPECT_TRUE(
      as_nobody([&] { return !open() && events_ == std::vector<std::string>{"cache_unusable"}; }));
}

TEST_F(DiskCacheTest, DoesWithoutAFullFileSystem) {
  fs::create_directories(directory_);
  if (mount("none", directory_.c_str(), "tmpfs", 0, "size=64k,mode=0700") != 0)
    GTEST_SKIP() << "may not mount a small file system";
  {
    auto cache = open();
    cache->insert(key_of("a"), {}, "code");
    cache->insert(key_of("b"), {}, std::string(100'000, 'x'));
    cache->insert(key_of("c"), {}, std::string(100'000, 'x'));
    EXPECT_EQ(cache->find(key_of("a")), "code");
    EXPECT_FALSE(cache->find(key_of("b")));
    EXPECT_EQ(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()), 1);
  }
  EXPECT_THAT(events_, ElementsAre("cache_unusable"));
  umount(directory_.c_str());
}

TEST(HashOf, ReportsWherePartsEnd) {
  EXPECT_NE(base::hash_of({"ab", "c"}), base::hash_of({"a", "bc"}));
}

TEST_F(DiskCacheTest, GoesOnInItsDirectoryWhenTheProgramHasClosedIt) {
  EXPECT_TRUE(is_true_in_child([&] {
    auto cache = open();
    closefrom(STDERR_FILENO + 1); // the same descriptor number is assigned again
    cache->insert(key_of("a"), {}, "code of a");
    if (cache->find(key_of("a")) != "code of a")
      return false;
    const FilesOfTheProgram own(STDERR_FILENO + 1, 2); // the first descriptor is a directory
    cache->insert(key_of("b"), {}, "code of b");
    const bool is_good = cache->find(key_of("a")) == "code of a" && !cache->find(key_of("c")) &&
                         events_ == std::vector<std::string>{"descriptor_lost", "descriptor_lost"};
    cache.reset();
    return is_good && own.are_untouched();
  }));
  EXPECT_EQ(open()->find(key_of("b")), "code of b");
}

TEST_F(DiskCacheTest, KeepsNothingWhenItsDirectoryIsGoneToo) {
  EXPECT_TRUE(is_true_in_child([&] {
    auto cache = open();
    fs::remove_all(directory_);
    const FilesOfTheProgram own(STDERR_FILENO + 1, 2);
    for (int i = 0; i < 3; ++i) {
      cache->insert(key_of("b"), {}, "code of b");
      if (cache->find(key_of("b")))
        return false;
    }
    return events_ == std::vector<std::string>{"descriptor_lost"} && own.are_untouched();
  }));
}

} // namespace
} // namespace sartor::core
