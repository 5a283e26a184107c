// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Redis server with TLS and the users that docs/guides/caches.md describes.
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../store.h"
#include "core/cache/shared_cache.h"
#include "core/quarantine/shared_quarantine.h"

namespace sartor::core {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_aids::Store;

base::ContentKey key_of(std::string_view text) { return base::hash_of({text}); }

class RedisUsersTest : public testing::Test {
protected:
  [[nodiscard]] SharedCacheOptions options_of(const std::string &user) const {
    SharedCacheOptions options;
    options.address = "rediss://sartor-" + user + "@" + store_.address().substr(9);
    options.key_file = store_.key();
    options.password_file = store_.password(user);
    options.ca_file = store_.directory() / "ca.pem";
    options.limit = 20'000;
    options.read_only = user == "reader";
    options.timeout = std::chrono::seconds(60); // a handshake on a loaded machine
    return options;
  }

  std::unique_ptr<SharedCache> open(SharedCacheOptions options) {
    return SharedCache::open(std::move(options),
                             [this](std::string_view event, const Failure &failure) {
                               events_.emplace_back(event);
                               texts_ += failure.text() + "\n";
                             });
  }

  /// Expects that a cache with these options returns nothing, although the store has the entry.
  void expect_no_answer(const SharedCacheOptions &options) {
    const auto cache = open(options);
    EXPECT_FALSE(cache && cache->find(key_of("a")));
    EXPECT_THAT(events_, ElementsAre(AnyOf("shared_cache_lost", "shared_cache_unusable")));
  }

  Store store_{"redis-tls"};
  std::vector<std::string> events_;
  std::string texts_;
};

TEST_F(RedisUsersTest, AWriterNeedsNoMoreThanItsRules) {
  const auto writer = open(options_of("writer"));
  for (int i = 0; i < 40; ++i) // more than the limit: the oldest are dropped
    writer->insert(key_of(std::to_string(i)), {}, std::string(1000, 'x'));
  EXPECT_TRUE(writer->find(key_of("39")));
  EXPECT_FALSE(writer->find(key_of("0")));
  (void)store_.redis("del '{sartor}:code:" + base::to_text(key_of("39")) + "'");
  EXPECT_FALSE(writer->find(key_of("39"))); // the script forgets its size
  EXPECT_THAT(events_, IsEmpty()) << texts_;
  const auto use = shared_cache_use(options_of("status"));
  ASSERT_TRUE(use) << use.error().text();
  EXPECT_GT(use->entries, 5U);
  EXPECT_LE(use->bytes, 20'000U);
}

TEST_F(RedisUsersTest, EachRuleOfAWriterIsNeeded) {
  for (const char *rule : {"eval", "time", "get", "set", "del", "hget", "hset", "hdel", "zadd",
                           "zrem", "zpopmin", "incrby", "decrby"}) {
    (void)store_.redis("flushall");
    events_.clear();
    (void)store_.redis(std::string("acl setuser sartor-writer -") + rule);
    const auto writer = open(options_of("writer"));
    for (int i = 0; i < 30 && events_.empty(); ++i)
      writer->insert(key_of(std::to_string(i)), {}, std::string(1000, 'x'));
    (void)store_.redis("del '{sartor}:code:" + base::to_text(key_of("29")) + "'");
    (void)writer->find(key_of("29")); // its size is forgotten
    const bool agree =
        store_.redis("zcard '{sartor}:used'") == store_.redis("hlen '{sartor}:sizes'");
    EXPECT_FALSE(events_.empty() && agree) << rule;
    (void)store_.redis(std::string("acl setuser sartor-writer +") + rule);
  }
}

TEST_F(RedisUsersTest, AnOperatorListsAndRemovesWhatIsQuarantined) {
  const QuarantineKey key{key_of("blend"), key_of("blend"), "blend", "{}", "build", "skylake"};
  const QuarantineEntry entry = quarantine_entry(key, "blend{}", QuarantineReason::different);
  share(*open(options_of("writer")), entry);
  for (const char *rule : {"eval", "get", "del", "hget", "hdel", "hscan", "zrem", "decrby"}) {
    events_.clear();
    (void)store_.redis(std::string("acl setuser sartor-operator -") + rule);
    const auto operators = open(options_of("operator"));
    EXPECT_FALSE(list_shared(*operators) && remove_shared(*operators, entry.key)) << rule;
    (void)store_.redis(std::string("acl setuser sartor-operator +") + rule);
    share(*open(options_of("writer")), entry);
  }
  events_.clear();
  texts_.clear();
  const auto operators = open(options_of("operator"));
  EXPECT_EQ(list_shared(*operators)->size(), 1U);
  EXPECT_TRUE(remove_shared(*operators, entry.key));
  EXPECT_TRUE(list_shared(*operators)->empty());
  EXPECT_THAT(events_, IsEmpty()) << texts_;
  share(*operators, entry); // which Redis refuses
  EXPECT_THAT(texts_, HasSubstr("run this command"));
  EXPECT_FALSE(find_shared(*open(options_of("writer")), key));
  // The users of programs cannot search.
  for (const char *user : {"reader", "writer"})
    EXPECT_FALSE(list_shared(*open(options_of(user)))) << user;
}

TEST_F(RedisUsersTest, AReaderReadsAndCannotWrite) {
  open(options_of("writer"))->insert(key_of("a"), {}, "code");
  EXPECT_EQ(open(options_of("reader"))->find(key_of("a")), "code");
  EXPECT_THAT(events_, IsEmpty()) << texts_;

  SharedCacheOptions hostile = options_of("reader");
  hostile.read_only = false; // Redis refuses, not this process
  open(hostile)->insert(key_of("b"), {}, "code of a reader");
  EXPECT_THAT(texts_, HasSubstr("NOPERM"));
  EXPECT_FALSE(open(options_of("writer"))->find(key_of("b")));

  const std::string entry = "{sartor}:code:" + base::to_text(key_of("a"));
  const RedisServer as_reader{.address = parse_redis_address(hostile.address).value(),
                              .password_file = hostile.password_file,
                              .ca_file = hostile.ca_file};
  for (const std::vector<std::string_view> &attempt : std::vector<std::vector<std::string_view>>{
           {"SET", entry, "evil"},
           {"DEL", entry},
           {"SETRANGE", entry, "0", "evil"},
           {"EVAL", "return redis.call('SET', KEYS[1], 'evil')", "1", entry},
           {"RENAME", entry, "elsewhere"},
           {"FLUSHALL"},
           {"CONFIG", "SET", "dir", "/tmp"},
           {"ACL", "SETUSER", "sartor-reader", "+@all"},
           {"GET", "{sartor}:journal"},
           {"KEYS", "*"}}) {
    auto link = connect_redis(as_reader, {hostile.timeout, 1000});
    ASSERT_TRUE(link) << link.error().text();
    const auto answer = (*link)->command(attempt);
    ASSERT_FALSE(answer) << attempt.front();
    EXPECT_THAT(answer.error().message, HasSubstr("NOPERM")) << attempt.front();
  }
  EXPECT_EQ(open(options_of("reader"))->find(key_of("a")), "code");
}

TEST_F(RedisUsersTest, AWriterReachesNothingButTheCache) {
  const SharedCacheOptions options = options_of("writer");
  const RedisServer as_writer{.address = parse_redis_address(options.address).value(),
                              .password_file = options.password_file,
                              .ca_file = options.ca_file};
  for (const std::vector<std::string_view> &attempt : std::vector<std::vector<std::string_view>>{
           {"GET", "{sartor}:journal"},
           {"SET", "another", "value"},
           {"EVAL", "return redis.call('GET', '{sartor}:journal')", "0"},
           {"EVAL", "return redis.call('FLUSHALL')", "0"},
           {"FLUSHALL"},
           {"CONFIG", "GET", "*"}}) {
    auto link = connect_redis(as_writer, {options.timeout, 1000});
    ASSERT_TRUE(link) << link.error().text();
    const auto answer = (*link)->command(attempt);
    ASSERT_FALSE(answer) << attempt.back();
    EXPECT_THAT(answer.error().message, AnyOf(HasSubstr("NOPERM"), HasSubstr("can't")));
  }
}

TEST_F(RedisUsersTest, RefusesAServerOfAnotherCa) {
  open(options_of("writer"))->insert(key_of("a"), {}, "code");
  const Store other("redis-tls");
  SharedCacheOptions options = options_of("reader");
  options.ca_file = other.directory() / "ca.pem";
  expect_no_answer(options);
  EXPECT_THAT(texts_, HasSubstr("certificate"));
  EXPECT_THAT(store_.redis("acl log"), Not(HasSubstr("sartor-reader"))) << "no password was sent";
}

TEST_F(RedisUsersTest, RefusesACertificateOfAnotherHost) {
  open(options_of("writer"))->insert(key_of("a"), {}, "code");
  SharedCacheOptions options = options_of("reader");
  options.address.replace(options.address.find("localhost"), 9, "127.0.0.1");
  expect_no_answer(options);
  EXPECT_THAT(texts_, HasSubstr("certificate"));
}

TEST_F(RedisUsersTest, TrustsNoUnknownCaWithoutAFile) {
  SharedCacheOptions options = options_of("reader");
  options.ca_file.clear();
  expect_no_answer(options);
  EXPECT_THAT(texts_, HasSubstr("certificate"));
}

TEST_F(RedisUsersTest, GetsNoAnswerWithoutTls) {
  SharedCacheOptions options = options_of("reader");
  options.address.erase(options.address.find("rediss") + 5, 1);
  options.timeout = std::chrono::milliseconds(500);
  expect_no_answer(options);
}

TEST_F(RedisUsersTest, TakesAPasswordThatWasChangedMeanwhile) {
  open(options_of("writer"))->insert(key_of("a"), {}, "code");
  SharedCacheOptions options = options_of("reader");
  options.first_retry = options.last_retry = std::chrono::milliseconds(1);
  const auto reader = open(options);
  EXPECT_TRUE(reader->find(key_of("a")));
  (void)store_.redis("acl setuser sartor-reader resetpass '>another password'");
  (void)store_.redis("client kill user sartor-reader");
  EXPECT_FALSE(reader->find(key_of("a")));
  EXPECT_THAT(texts_, HasSubstr("WRONGPASS"));
  std::ofstream(options.password_file) << "another password\n";
  bool found = false;
  for (int i = 0; i < 6000 && !found; ++i) {
    usleep(10'000);
    found = reader->find(key_of("a")).has_value();
  }
  EXPECT_TRUE(found) << texts_;
  EXPECT_THAT(texts_, Not(HasSubstr("another password")));
}

TEST_F(RedisUsersTest, TakesNoPasswordFileThatOthersMayRead) {
  chmod(store_.password("reader").c_str(), 0644);
  EXPECT_FALSE(open(options_of("reader")));
  EXPECT_THAT(events_, ElementsAre("shared_cache_unusable"));
  EXPECT_THAT(texts_, HasSubstr("can be read or written by others"));
}

TEST_F(RedisUsersTest, WantsAPasswordForAUser) {
  SharedCacheOptions options = options_of("reader");
  options.password_file.clear();
  EXPECT_FALSE(open(options));
  EXPECT_THAT(texts_, HasSubstr("no password file is given"));
  options.password_file = store_.directory() / "empty";
  std::ofstream(options.password_file) << "\n";
  chmod(options.password_file.c_str(), 0600);
  EXPECT_FALSE(open(options));
  EXPECT_THAT(texts_, HasSubstr("empty line"));
}

} // namespace
} // namespace sartor::core
