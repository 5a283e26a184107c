// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `sartor quarantine --redis ADDRESS`.
#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "../cli/command.h"
#include "../store.h"
#include "core/quarantine/shared_quarantine.h"

namespace sartor {
namespace {

using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;

class SharedQuarantineCommand : public testing::Test {
protected:
  /// Quarantines a request; returns its key.
  std::string add(const std::string &name, char key = 'k') {
    core::SharedCacheOptions options;
    options.address = store_.address();
    options.key_file = store_.key(key);
    options.limit = 1U << 20;
    options.timeout = std::chrono::seconds(60); // for a busy machine
    const auto cache = core::SharedCache::open(options, [](std::string_view, const Failure &) {});
    const base::ContentKey hash = base::hash_of({name});
    const core::QuarantineKey of{hash, hash, name, R"({"B":16})", "build 1", "skylake"};
    core::share(*cache, core::quarantine_entry(of, name + "{B=16}", core::QuarantineReason::hung));
    return base::to_text(of.hash);
  }
  [[nodiscard]] test::Ran once(const std::string &words, char key = 'k') const {
    return test::sartor("quarantine " + words + " --redis " + store_.address() + " --key-file " +
                        store_.key(key).string());
  }
  /// Asks again when the store, on a busy machine, does not answer in the short time that the
  /// command allows.
  [[nodiscard]] test::Ran quarantine(const std::string &words, char key = 'k') const {
    test::Ran ran = once(words, key);
    for (int i = 0; i < 4 && ran.err.contains("store_unreachable"); ++i)
      ran = once(words, key);
    return ran;
  }

  testing_aids::Store store_;
};

TEST_F(SharedQuarantineCommand, ListsShowsAndRemoves) {
  EXPECT_EQ(quarantine("list").out, "Nothing is quarantined.\n");
  const std::string blend = add("blend");
  const std::string scale = add("scale");
  (void)add("third");
  const test::Ran listed = quarantine("list");
  EXPECT_EQ(listed.status, 0) << listed.err;
  EXPECT_EQ(listed.err, "");
  EXPECT_THAT(listed.out, ContainsRegex(blend.substr(0, 12) + " .*blend.B=16. +hung in 1 process"));
  EXPECT_EQ(json::parse(quarantine("list --json").out)["entries"].size(), 3U);
  EXPECT_THAT(quarantine("show " + scale).out, ContainsRegex("handler +scale\n"));
  EXPECT_EQ(quarantine("remove " + blend.substr(0, 20)).out,
            blend.substr(0, 12) + " is allowed again\n");
  EXPECT_EQ(quarantine("clear " + scale).out, scale.substr(0, 12) + " is allowed again\n");
  EXPECT_EQ(json::parse(quarantine("list --json").out)["entries"].size(), 1U);
  EXPECT_EQ(quarantine("clear").out, "1 request is allowed again\n");
  EXPECT_EQ(quarantine("list").out, "Nothing is quarantined.\n");
}

TEST_F(SharedQuarantineCommand, NeedsTheKeyOfTheEntries) {
  const std::string key = add("blend");
  const test::Ran listed = quarantine("list", 'x');
  EXPECT_EQ(listed.out, "Nothing is quarantined.\n");
  EXPECT_THAT(listed.err, HasSubstr("is not signed with our key"));
  const test::Ran removed = quarantine("clear " + key, 'x');
  EXPECT_EQ(removed.status, 1);
  EXPECT_THAT(removed.err, HasSubstr("is the beginning of no key"));
  EXPECT_EQ(quarantine("clear", 'x').out, "0 requests are allowed again\n");
  EXPECT_EQ(json::parse(quarantine("list --json").out)["entries"].size(), 1U);
  const test::Ran without = test::sartor("quarantine list --redis " + store_.address());
  EXPECT_EQ(without.status, 2);
  EXPECT_THAT(without.err, HasSubstr("--key-file"));
}

TEST_F(SharedQuarantineCommand, SaysThatTheServerIsNotThere) {
  store_.stop();
  for (const char *words : {"list", "clear"}) {
    const test::Ran ran = once(words);
    EXPECT_EQ(ran.status, 1);
    EXPECT_THAT(ran.err, HasSubstr("store_unreachable"));
  }
  store_.start();
}

} // namespace
} // namespace sartor
