// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/quarantine/shared_quarantine.h"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../store.h"

namespace sartor::core {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class SharedQuarantineTest : public testing::Test {
protected:
  [[nodiscard]] std::unique_ptr<SharedCache> open(char key = 'k', bool read_only = false) {
    SharedCacheOptions options;
    options.address = store_.address();
    options.key_file = store_.key(key);
    options.limit = 1U << 20;
    options.read_only = read_only;
    options.timeout = std::chrono::seconds(60); // for a busy machine
    return SharedCache::open(options, [this](std::string_view event, const Failure & /*unused*/) {
      events_.emplace_back(event);
    });
  }
  static QuarantineKey key_named(const std::string &name) {
    return {
        base::hash_of({name}), base::hash_of({name}), name, R"({"B":16})", "build 1", "skylake"};
  }
  static QuarantineEntry entry_of(const QuarantineKey &key) {
    return quarantine_entry(key, key.handler + "{B=16}", QuarantineReason::different);
  }

  testing_aids::Store store_;
  std::vector<std::string> events_;
};

TEST_F(SharedQuarantineTest, IsSeenByThoseWithTheKey) {
  const QuarantineKey key = key_named("blend");
  const auto one = open();
  EXPECT_FALSE(find_shared(*one, key));
  QuarantineEntry entry = entry_of(key);
  entry.reproducer = "/home/someone/file";
  share(*one, entry);
  const auto other = open();
  const auto found = find_shared(*other, key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->variant, "blend{B=16}");
  EXPECT_EQ(found->reproducer, "") << "a path of another machine";
  EXPECT_FALSE(find_shared(*other, key_named("scale")));
  EXPECT_EQ(shared_refusal(*found, "blend{B=16}").code, ErrorCode::quarantined);
  EXPECT_THAT(events_, IsEmpty());
}

TEST_F(SharedQuarantineTest, HasCrashesOfOtherRequestsOfTheFamily) {
  const auto cache = open();
  QuarantineKey one = key_named("blend"), other = one;
  one.hash = base::hash_of({"one"});
  other.hash = base::hash_of({"other"});
  share(*cache, entry_of(one));
  EXPECT_FALSE(find_shared(*cache, other));
  QuarantineEntry crash = entry_of(one);
  crash.key = base::to_text(one.family);
  share(*cache, crash);
  EXPECT_TRUE(find_shared(*cache, other));
}

TEST_F(SharedQuarantineTest, CodeIsNoEntryAndAnEntryIsNoCode) {
  const QuarantineKey key = key_named("blend");
  const auto cache = open();
  cache->insert(key.hash, {}, dump(to_json(entry_of(key))));
  EXPECT_FALSE(find_shared(*cache, key));
  share(*cache, entry_of(key_named("scale")));
  EXPECT_FALSE(cache->find(key_named("scale").hash));
}

TEST_F(SharedQuarantineTest, NobodyWithoutTheKeyQuarantines) {
  const QuarantineKey key = key_named("blend");
  share(*open('x'), entry_of(key));
  EXPECT_FALSE(find_shared(*open(), key));
  EXPECT_THAT(events_, Contains("shared_cache_refused"));
}

TEST_F(SharedQuarantineTest, AnEntryThatWasMovedOrDamagedCountsForNothing) {
  const auto cache = open();
  const QuarantineKey other = key_named("scale");
  share(*cache, entry_of(other));
  const std::string from = store_.redis("--raw keys '{sartor}:code:*'");
  share(*cache, entry_of(key_named("blend")));
  std::string to = store_.redis("--raw keys '{sartor}:code:*'");
  to.erase(to.find(from), from.size());
  const auto name = [](std::string line) { return "'" + line.substr(0, line.find('\n')) + "'"; };
  (void)store_.redis("copy " + name(from) + " " + name(to) + " replace");
  EXPECT_FALSE(find_shared(*cache, key_named("blend")));
  EXPECT_TRUE(find_shared(*cache, other));
  (void)store_.redis("setrange " + name(from) + " 40 '~'");
  EXPECT_FALSE(find_shared(*cache, other));
}

TEST_F(SharedQuarantineTest, IsNotWrittenByAReader) {
  const QuarantineKey key = key_named("blend");
  share(*open('k', /*read_only=*/true), entry_of(key));
  EXPECT_FALSE(find_shared(*open(), key));
  share(*open(), entry_of(key));
  EXPECT_TRUE(find_shared(*open('k', /*read_only=*/true), key));
}

TEST_F(SharedQuarantineTest, IsListedTheNewestFirstAmongMuchCode) {
  const auto cache = open();
  StoredInfo code;
  code.tier = "full";
  for (int i = 0; i < 300; ++i) // the search takes several steps
    cache->insert(base::hash_of({"code", std::to_string(i)}), code, "code");
  QuarantineEntry older = entry_of(key_named("older"));
  older.last -= 60;
  share(*cache, older);
  share(*cache, entry_of(key_named("blend")));
  share(*open('x'), entry_of(key_named("forged")));
  cache->insert(base::hash_of({"no entry"}), code, R"("tier":"quarantine")");
  const auto entries = list_shared(*cache);
  ASSERT_TRUE(entries);
  std::vector<std::string> handlers;
  for (const QuarantineEntry &entry : *entries)
    handlers.push_back(entry.handler);
  EXPECT_THAT(handlers, ElementsAre("blend", "older"));
  EXPECT_THAT(events_, ElementsAre("shared_cache_refused"));
}

TEST_F(SharedQuarantineTest, AListingIsNoUse) {
  const auto cache = open();
  share(*cache, entry_of(key_named("blend")));
  const std::string used = store_.redis("zrange '{sartor}:used' 0 -1 withscores");
  ASSERT_TRUE(list_shared(*cache));
  EXPECT_EQ(store_.redis("zrange '{sartor}:used' 0 -1 withscores"), used);
}

TEST_F(SharedQuarantineTest, AnEntryIsRemoved) {
  const auto cache = open();
  const QuarantineKey key = key_named("blend");
  share(*cache, entry_of(key));
  share(*cache, entry_of(key_named("scale")));
  EXPECT_FALSE(remove_shared(*open('k', /*read_only=*/true), base::to_text(key.hash)));
  EXPECT_TRUE(find_shared(*cache, key));
  EXPECT_TRUE(remove_shared(*cache, base::to_text(key.hash)));
  EXPECT_FALSE(find_shared(*cache, key));
  EXPECT_FALSE(remove_shared(*cache, base::to_text(key.hash)));
  EXPECT_EQ(list_shared(*cache)->size(), 1U);
  EXPECT_EQ(store_.redis("hlen '{sartor}:sizes'"), "1\n");
}

TEST_F(SharedQuarantineTest, WithoutTheStoreNothingIsQuarantined) {
  const QuarantineKey key = key_named("blend");
  const auto cache = open();
  share(*cache, entry_of(key));
  store_.stop();
  EXPECT_FALSE(find_shared(*cache, key));
  EXPECT_FALSE(list_shared(*cache));
  EXPECT_THAT(events_, Contains("shared_cache_lost"));
  store_.start();
}

} // namespace
} // namespace sartor::core
