// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/shared_cache.h"

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../files_of_the_program.h"
#include "../odd_server.h"
#include "../store.h"

namespace sartor::core {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_aids::Store;

base::ContentKey key_of(std::string_view text) { return base::hash_of({text}); }

class SharedCacheTest : public testing::Test {
protected:
  SharedCacheTest() {
    options_.address = store_.address();
    options_.key_file = store_.key();
    options_.limit = 1U << 20;
    options_.timeout = std::chrono::seconds(60); // for a busy machine
    options_.first_retry = milliseconds(1);
    options_.last_retry = milliseconds(10);
  }

  std::unique_ptr<SharedCache> open() {
    return SharedCache::open(options_, [this](std::string_view event, const Failure &failure) {
      events_.emplace_back(event);
      texts_ += failure.text() + "\n";
    });
  }

  /// True if the store returns the code within a minute; asks repeatedly.
  static bool comes_back(SharedCache &cache, const base::ContentKey &key) {
    for (int i = 0; i < 6000; ++i) {
      if (cache.find(key))
        return true;
      std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
  }

  [[nodiscard]] std::uint64_t bytes() const { return shared_cache_use(options_).value().bytes; }

  Store store_;
  SharedCacheOptions options_;
  std::vector<std::string> events_;
  std::string texts_;
};

TEST_F(SharedCacheTest, GivesWhatAnotherHasPutThere) {
  auto one = open();
  auto other = open();
  EXPECT_FALSE(one->find(key_of("a")));
  one->insert(key_of("a"), {}, "code");
  EXPECT_EQ(other->find(key_of("a")), "code");
  EXPECT_FALSE(other->find(key_of("b")));
  EXPECT_THAT(events_, IsEmpty());
}

TEST_F(SharedCacheTest, RemovesOneEntryOrAll) {
  auto cache = open();
  for (const char *each : {"a", "b", "c"})
    cache->insert(key_of(each), {}, "code");
  EXPECT_TRUE(cache->erase(key_of("a")));
  EXPECT_FALSE(cache->erase(key_of("a")));
  EXPECT_FALSE(cache->find(key_of("a")));
  EXPECT_EQ(cache->find(key_of("b")), "code");
  EXPECT_EQ(cache->erase_all(), 2U);
  EXPECT_FALSE(cache->find(key_of("b")));
  EXPECT_EQ(bytes(), 0U);
  cache->insert(key_of("b"), {}, "code");
  EXPECT_EQ(cache->find(key_of("b")), "code");
  EXPECT_THAT(events_, IsEmpty());
}

TEST_F(SharedCacheTest, RefusesWhatWasTamperedWith) {
  auto cache = open();
  const std::string entry = "'{sartor}:code:" + base::to_text(key_of("a")) + "'";
  for (const int at : {0, 31, 32, 60, 100, 200}) {
    cache->insert(key_of("a"), {}, std::string(200, 'x'));
    ASSERT_TRUE(cache->find(key_of("a")));
    (void)store_.redis("setrange " + entry + " " + std::to_string(at) + " '~'");
    EXPECT_FALSE(cache->find(key_of("a"))) << "byte " << at;
  }
  (void)store_.redis("set " + entry + " short");
  EXPECT_FALSE(cache->find(key_of("a")));
  EXPECT_THAT(events_, ElementsAre("shared_cache_refused")) << "told once, as it is one reason";
  EXPECT_THAT(texts_, HasSubstr(base::to_text(key_of("a"))));
}

TEST_F(SharedCacheTest, RefusesTheCodeOfAnotherKey) {
  auto cache = open();
  cache->insert(key_of("a"), {}, "code");
  (void)store_.redis("rename '{sartor}:code:" + base::to_text(key_of("a")) +
                     "' '{sartor}:code:" + base::to_text(key_of("b")) + "'");
  EXPECT_FALSE(cache->find(key_of("b")));
  EXPECT_THAT(texts_, HasSubstr("holds the code of another key"));
}

TEST_F(SharedCacheTest, RefusesWhatIsSignedWithAnotherKey) {
  open()->insert(key_of("a"), {}, "code");
  options_.key_file = store_.key('x');
  EXPECT_FALSE(open()->find(key_of("a")));
  EXPECT_THAT(events_, ElementsAre("shared_cache_refused"));
}

TEST_F(SharedCacheTest, IsNotUsedWithoutAKey) {
  options_.key_file.clear();
  EXPECT_FALSE(open());
  options_.key_file = "/nonexistent";
  EXPECT_FALSE(open());
  EXPECT_EQ(events_, std::vector<std::string>(2, "shared_cache_unusable"));
}

TEST_F(SharedCacheTest, IsNotUsedWithAKeyThatOthersMayRead) {
  chmod(options_.key_file.c_str(), 0640);
  EXPECT_FALSE(open());
  EXPECT_THAT(texts_, HasSubstr("can be read or written by others"));
}

TEST_F(SharedCacheTest, IsNotUsedWithAShortKey) {
  std::ofstream(options_.key_file) << "password";
  EXPECT_FALSE(open());
  EXPECT_THAT(texts_, HasSubstr("32"));
}

TEST_F(SharedCacheTest, StaysWithinItsLimit) {
  options_.limit = 20'000;
  auto one = open();
  auto other = open();
  for (int i = 0; i < 100; ++i) {
    (i % 2 == 0 ? one : other)->insert(key_of(std::to_string(i)), {}, std::string(1000, 'x'));
    ASSERT_LE(bytes(), options_.limit);
  }
  EXPECT_TRUE(one->find(key_of("99")));
  EXPECT_FALSE(one->find(key_of("0")));
  EXPECT_GT(bytes(), options_.limit / 2);
  EXPECT_EQ(store_.redis("dbsize"), std::to_string(shared_cache_use(options_)->entries + 3) + "\n");
}

TEST_F(SharedCacheTest, DropsWhatWasNotUsedForLongest) {
  options_.limit = 20'000;
  auto cache = open();
  for (int i = 0; i < 10; ++i)
    cache->insert(key_of(std::to_string(i)), {}, std::string(1000, 'x'));
  EXPECT_TRUE(cache->find(key_of("0"))); // it was the oldest
  for (int i = 10; i < 20; ++i)
    cache->insert(key_of(std::to_string(i)), {}, std::string(1000, 'x'));
  EXPECT_TRUE(cache->find(key_of("0")));
  EXPECT_FALSE(cache->find(key_of("1")));
}

TEST_F(SharedCacheTest, CountsAReplacedEntryOnce) {
  auto cache = open();
  cache->insert(key_of("a"), {}, std::string(1000, 'x'));
  const std::uint64_t once = bytes();
  cache->insert(key_of("a"), {}, std::string(1000, 'y'));
  EXPECT_EQ(bytes(), once);
  EXPECT_EQ(cache->find(key_of("a")), std::string(1000, 'y'));
}

TEST_F(SharedCacheTest, ForgetsWhatTheServerHasDropped) {
  auto cache = open();
  cache->insert(key_of("a"), {}, "code");
  (void)store_.redis("del '{sartor}:code:" + base::to_text(key_of("a")) + "'");
  EXPECT_FALSE(cache->find(key_of("a")));
  EXPECT_EQ(bytes(), 0U);
  EXPECT_THAT(events_, IsEmpty());
}

TEST_F(SharedCacheTest, DoesNotStoreWhatExceedsTheLimit) {
  options_.limit = 1000;
  auto cache = open();
  cache->insert(key_of("a"), {}, std::string(2000, 'x'));
  EXPECT_FALSE(cache->find(key_of("a")));
  EXPECT_EQ(bytes(), 0U);
}

TEST_F(SharedCacheTest, ReadOnlyPutsNothingThere) {
  open()->insert(key_of("a"), {}, "code");
  options_.read_only = true;
  auto reader = open();
  reader->insert(key_of("b"), {}, "code");
  EXPECT_EQ(reader->find(key_of("a")), "code");
  EXPECT_FALSE(reader->find(key_of("b")));
}

TEST_F(SharedCacheTest, GoesOnWithoutAStoreAndFindsItLater) {
  store_.stop();
  auto cache = open();
  ASSERT_TRUE(cache);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(cache->find(key_of("a")));
    cache->insert(key_of("a"), {}, "code");
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_THAT(events_, ElementsAre("shared_cache_lost")); // reported once
  store_.start();
  auto other = open();
  other->insert(key_of("a"), {}, "code");
  EXPECT_TRUE(comes_back(*cache, key_of("a")));
  EXPECT_THAT(events_, ElementsAre("shared_cache_lost", "shared_cache_back"));
}

TEST_F(SharedCacheTest, LosesTheStoreInTheMiddleAndFindsItAgain) {
  auto cache = open();
  cache->insert(key_of("a"), {}, "code");
  store_.stop();
  EXPECT_FALSE(cache->find(key_of("a")));
  cache->insert(key_of("b"), {}, "code");
  store_.start();
  EXPECT_TRUE(comes_back(*cache, key_of("a")));
  EXPECT_THAT(events_, ElementsAre("shared_cache_lost", "shared_cache_back"));
}

TEST_F(SharedCacheTest, DoesNotNoticeAStoreThatWasRestarted) {
  auto cache = open();
  cache->insert(key_of("a"), {}, "code");
  store_.stop();
  store_.start();
  EXPECT_EQ(cache->find(key_of("a")), "code");
  EXPECT_THAT(events_, IsEmpty());
}

/// Sends one answer on each connection; if it has none, it sends nothing until the peer gives up.
class OddServer {
public:
  explicit OddServer(const std::string &answer)
      : server_(path_, [answer](int connection) {
          char buffer[4096];
          if (answer.empty()) {
            while (read(connection, buffer, sizeof buffer) > 0) {
            }
          } else if (read(connection, buffer, sizeof buffer) > 0) {
            (void)!write(connection, answer.data(), answer.size());
          }
        }) {}

  [[nodiscard]] std::string address() const { return "unix:" + path_; }

private:
  std::string path_ = "/tmp/sartor-odd-" + std::to_string(getpid());
  testing_aids::OddServer server_;
};

TEST_F(SharedCacheTest, DoesNotWaitForAServerThatIsHung) {
  const OddServer server("");
  options_.address = server.address();
  options_.timeout = milliseconds(50);
  options_.first_retry = std::chrono::hours(1);
  auto cache = open();
  for (int i = 0; i < 1000; ++i) // which would take a minute if each request waited
    EXPECT_FALSE(cache->find(key_of("a")));
  EXPECT_THAT(events_, ElementsAre("shared_cache_lost"));
}

TEST_F(SharedCacheTest, TakesNoGarbage) {
  for (const char *garbage : {"hello\r\n", "$-7\r\n", "*1000000000\r\n", ":12\r\n", "+OK\r\n",
                              "-ERR no\r\n", "$5\r\nab", "*1\r\n$1\r\nx\r\n"}) {
    const OddServer server(garbage);
    options_.address = server.address();
    EXPECT_FALSE(open()->find(key_of("a"))) << garbage;
  }
}

TEST_F(SharedCacheTest, GivesUpASearchThatFindsTooMuch) {
  const std::string name = base::to_text(key_of("a")) + ' ';
  std::string found = "1 "; // the next cursor: there is more
  for (int i = 0; i < 60'000; ++i)
    found += name;
  const std::string answer = "$" + std::to_string(found.size()) + "\r\n" + found + "\r\n";
  const std::string path = "/tmp/sartor-found-" + std::to_string(getpid());
  std::atomic<int> asked = 0;
  const testing_aids::OddServer server(path, [&](int connection) {
    std::string command(1U << 16, '\0');
    while (read(connection, command.data(), command.size()) > 0) {
      ++asked;
      if (send(connection, answer.data(), answer.size(), MSG_NOSIGNAL) < 0)
        return;
    }
  });
  options_.address = "unix:" + path;
  EXPECT_THAT(open()->images_of("any"), testing::Optional(IsEmpty()));
  EXPECT_LT(asked, 10);
}

TEST(RedisLinkTest, DoesNotTakeAnswersThatAreLongerThanAnyOfOurs) {
  constexpr std::size_t kMost = 1000;
  const auto answer = [](std::size_t bytes) {
    const OddServer server("$" + std::to_string(bytes) + "\r\n" + std::string(bytes, 'x') + "\r\n");
    const auto address = parse_redis_address(server.address());
    auto link = connect_redis({.address = *address}, {std::chrono::seconds(60), kMost});
    EXPECT_TRUE(link);
    const std::array<std::string_view, 2> words{"GET", "a"};
    return (*link)->command(words);
  };
  EXPECT_EQ(answer(kMost), std::string(kMost, 'x'));
  const auto endless = answer(50 * kMost);
  ASSERT_FALSE(endless);
  EXPECT_THAT(endless.error().message, HasSubstr("without end"));
}

// The descriptors that are connected to this server, which are not closed when a program is
// started.
std::vector<int> inherited_connections(const std::string &address) {
  std::vector<int> inherited;
  for (int descriptor = 0; descriptor < 1024; ++descriptor) {
    sockaddr_un peer{};
    socklen_t size = sizeof peer;
    if (getpeername(descriptor, reinterpret_cast<sockaddr *>(&peer), &size) == 0 &&
        peer.sun_family == AF_UNIX && "unix:" + std::string(peer.sun_path) == address &&
        (fcntl(descriptor, F_GETFD) & FD_CLOEXEC) == 0)
      inherited.push_back(descriptor);
  }
  return inherited;
}

TEST(RedisLinkTest, IsNotInheritedByProgramsThatAreStarted) {
  const OddServer server("+OK\r\n");
  const auto address = parse_redis_address(server.address());
  const auto link = connect_redis({.address = *address}, {std::chrono::seconds(60), 1000});
  ASSERT_TRUE(link);
  EXPECT_THAT(inherited_connections(server.address()), IsEmpty());
}

TEST(RedisAddressTest, ReadsAllForms) {
  EXPECT_EQ(parse_redis_address("unix:/run/r.sock")->path, "/run/r.sock");
  const auto full = parse_redis_address("redis://me@cache.example:1234/5");
  ASSERT_TRUE(full);
  EXPECT_EQ(full->host, "cache.example");
  EXPECT_EQ(full->port, 1234);
  EXPECT_EQ(full->database, 5);
  EXPECT_EQ(full->user, "me");
  EXPECT_FALSE(full->tls);
  EXPECT_EQ(full->text(), "redis://me@cache.example:1234/5");
  const auto secure = parse_redis_address("rediss://cache.example");
  ASSERT_TRUE(secure);
  EXPECT_TRUE(secure->tls);
  EXPECT_EQ(secure->host, "cache.example");
  EXPECT_EQ(secure->text(), "rediss://cache.example:6379/0");
  const auto ipv6 = parse_redis_address("redis://[::1]");
  ASSERT_TRUE(ipv6);
  EXPECT_EQ(ipv6->host, "::1");
  EXPECT_EQ(ipv6->port, 6379);
}

TEST(RedisAddressTest, RefusesOthersWithoutShowingAPassword) {
  for (const char *text :
       {"", "cache", "unix:relative", "redis://", "rediss://", "redis://@host", "redis://:secret@",
        "redis://:secret@host:port", "redis://me:secret@host", "redis://host:0", "redis://host/x",
        "rediss://:secret@host"}) {
    const auto address = parse_redis_address(text);
    ASSERT_FALSE(address) << text;
    EXPECT_THAT(address.error().text(), Not(HasSubstr("secret")));
  }
}

TEST(RedisAddressTest, SaysWhereAPasswordBelongs) {
  const auto address = parse_redis_address("redis://me:secret@host");
  ASSERT_FALSE(address);
  EXPECT_THAT(address.error().message, HasSubstr("has a password in it"));
  EXPECT_THAT(address.error().remedy, HasSubstr("--shared-cache-password-file"));
}

TEST_F(SharedCacheTest, ConnectsAgainWhenTheProgramHasClosedTheConnection) {
  EXPECT_TRUE(is_true_in_child([&] {
    auto cache = open();
    cache->insert(key_of("a"), {}, "code");
    for (int turn = 0; turn < 5; ++turn) {
      events_.clear();
      const FilesOfTheProgram own(STDERR_FILENO + 1, turn);
      if (cache->find(key_of("a")) != "code" || !own.are_untouched())
        return false;
      if (events_ != std::vector<std::string>{"descriptor_lost"})
        return false;
    }
    const FilesOfTheProgram own(STDERR_FILENO + 1, 4); // the first descriptors are sockets
    cache.reset();
    return own.are_untouched();
  }));
}

TEST_F(SharedCacheTest, LeavesTheStandardStreamsToTheProgram) {
  EXPECT_TRUE(is_true_in_child([&] {
    close(STDIN_FILENO);
    auto cache = open();
    cache->insert(key_of("a"), {}, "code");
    return cache->find(key_of("a")) == "code" && fcntl(STDIN_FILENO, F_GETFD) < 0;
  }));
}

} // namespace
} // namespace sartor::core
