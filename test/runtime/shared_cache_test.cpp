// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "../store.h"
#include "handlers/arithmetic.h"

namespace {

using sartor::Runtime;
using sartor::VariantInfo;
using sartor::VariantOrigin;
using sartor::testing_aids::Store;
using testing::HasSubstr;
using testing::Not;

class SharedCacheOfARuntime : public testing::Test {
protected:
  SharedCacheOfARuntime() {
    options_.shared_cache = store_.address();
    options_.shared_cache_key = store_.key();
    options_.event_log = store_.directory() / "events.jsonl";
  }

  /// The origin of the code of `scale` in a new runtime. Also checks its results.
  [[nodiscard]] VariantOrigin origin_of_scale(std::uint64_t factor) const {
    Runtime runtime(options_);
    auto call = runtime.handler<&scale>();
    const auto infos = runtime.specialize({{"factor", factor}});
    EXPECT_EQ(call(7, factor, 1), 7 * factor);
    EXPECT_EQ(call(7, factor + 1, 1), 7 * (factor + 1)); // its guard fails
    for (const VariantInfo &info : infos)
      if (info.handler == "_Z5scalemmj")
        return info.origin;
    ADD_FAILURE() << "nothing of scale";
    return VariantOrigin::native;
  }

  /// The same for code that the store should have. Sartor does without a store that does not answer
  /// within half a second, as if the machine stops. The next runtime finds the code then.
  [[nodiscard]] VariantOrigin origin_of_stored_scale(std::uint64_t factor) const {
    for (std::size_t tries = 0;; ++tries)
      if (const VariantOrigin origin = origin_of_scale(factor);
          origin == VariantOrigin::shared || tries >= times_lost())
        return origin;
  }

  [[nodiscard]] std::string events() const {
    std::ifstream file(options_.event_log);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::size_t times_lost() const {
    const std::string text = events();
    std::size_t times = 0;
    for (std::size_t at = 0; (at = text.find("shared_cache_lost", at)) != std::string::npos; ++at)
      ++times;
    return times;
  }

  Store store_;
  sartor::Options options_;
};

TEST_F(SharedCacheOfARuntime, AnotherRuntimeFindsWhatOneHasCompiled) {
  EXPECT_EQ(origin_of_scale(3), VariantOrigin::compiled);
  EXPECT_EQ(origin_of_stored_scale(3), VariantOrigin::shared);
  EXPECT_EQ(origin_of_scale(5), VariantOrigin::compiled);
}

TEST_F(SharedCacheOfARuntime, CountsHitsAndMisses) {
  {
    Runtime runtime(options_);
    runtime.specialize({{"factor", 3}});
    EXPECT_EQ(runtime.statistics().shared_misses, 1U);
    EXPECT_EQ(runtime.statistics().shared_hits, 0U);
  }
  Runtime runtime(options_);
  runtime.specialize({{"factor", 3}});
  EXPECT_EQ(runtime.statistics().shared_misses, 0U);
  EXPECT_EQ(runtime.statistics().shared_hits, 1U);
  EXPECT_EQ(runtime.statistics().compiles, 0U);
}

TEST_F(SharedCacheOfARuntime, PutsWhatItFindsOnTheDisk) {
  EXPECT_EQ(origin_of_scale(3), VariantOrigin::compiled);
  options_.cache_directory = store_.directory() / "cache";
  EXPECT_EQ(origin_of_stored_scale(3), VariantOrigin::shared);
  EXPECT_EQ(origin_of_scale(3), VariantOrigin::disk);
}

TEST_F(SharedCacheOfARuntime, IsWhereTheEnvironmentSays) {
  setenv("SARTOR_SHARED_CACHE", options_.shared_cache.c_str(), 1);
  setenv("SARTOR_SHARED_CACHE_KEY", options_.shared_cache_key.c_str(), 1);
  options_.shared_cache = "unix:/nonexistent";
  options_.shared_cache_key = "/nonexistent";
  EXPECT_EQ(origin_of_scale(3), VariantOrigin::compiled);
  EXPECT_EQ(origin_of_stored_scale(3), VariantOrigin::shared);
  unsetenv("SARTOR_SHARED_CACHE");
  unsetenv("SARTOR_SHARED_CACHE_KEY");
}

TEST_F(SharedCacheOfARuntime, IsReachedByTlsWithAPasswordFromAFile) {
  const Store secure("redis-tls");
  options_.shared_cache = "rediss://sartor-writer@" + secure.address().substr(9);
  options_.shared_cache_password_file = secure.password("writer");
  options_.shared_cache_ca_file = secure.directory() / "ca.pem";
  EXPECT_EQ(origin_of_scale(3), VariantOrigin::compiled) << events();
  EXPECT_EQ(origin_of_stored_scale(3), VariantOrigin::shared) << events();
  options_.shared_cache_ca_file = store_.key();
  setenv("SARTOR_SHARED_CACHE_CA_FILE", (secure.directory() / "ca.pem").c_str(), 1);
  setenv("SARTOR_SHARED_CACHE_PASSWORD_FILE", secure.password("reader").c_str(), 1);
  options_.shared_cache = "rediss://sartor-reader@" + secure.address().substr(9);
  options_.shared_cache_read_only = true;
  EXPECT_EQ(origin_of_stored_scale(3), VariantOrigin::shared) << events();
  unsetenv("SARTOR_SHARED_CACHE_CA_FILE");
  unsetenv("SARTOR_SHARED_CACHE_PASSWORD_FILE");
}

TEST_F(SharedCacheOfARuntime, TakesNoPasswordInTheAddress) {
  options_.shared_cache = "redis://writer:secret@localhost";
  EXPECT_EQ(origin_of_scale(3), VariantOrigin::compiled);
  EXPECT_THAT(events(), HasSubstr("shared_cache_unusable"));
  EXPECT_THAT(events(), HasSubstr("SARTOR_SHARED_CACHE_PASSWORD_FILE"));
  EXPECT_THAT(events(), Not(HasSubstr("secret")));
}

TEST_F(SharedCacheOfARuntime, CompilesAgainWhatWasTamperedWith) {
  EXPECT_EQ(origin_of_scale(3), VariantOrigin::compiled);
  std::string entry = store_.redis("keys '{sartor}:code:*'");
  entry.pop_back();
  (void)store_.redis("setrange '" + entry + "' 500 evil");
  EXPECT_EQ(origin_of_scale(3), VariantOrigin::compiled);
  EXPECT_THAT(events(), HasSubstr("shared_cache_refused"));
  EXPECT_EQ(origin_of_stored_scale(3), VariantOrigin::shared); // it was replaced
}

TEST_F(SharedCacheOfARuntime, DoesNotTakeCodeThatAnotherKeyHasSigned) {
  EXPECT_EQ(origin_of_scale(3), VariantOrigin::compiled);
  options_.shared_cache_key = store_.key('x');
  EXPECT_EQ(origin_of_scale(3), VariantOrigin::compiled);
  EXPECT_THAT(events(), HasSubstr("is not signed with our key"));
}

TEST_F(SharedCacheOfARuntime, IsNotThereWithoutAKey) {
  options_.shared_cache_key.clear();
  EXPECT_EQ(origin_of_scale(3), VariantOrigin::compiled);
  EXPECT_EQ(origin_of_scale(3), VariantOrigin::compiled);
  EXPECT_THAT(events(), HasSubstr("shared_cache_unusable"));
  EXPECT_EQ(store_.redis("dbsize"), "0\n");
}

TEST_F(SharedCacheOfARuntime, DoesWithoutAStoreThatIsGone) {
  {
    Runtime runtime(options_);
    auto call = runtime.handler<&scale>();
    runtime.specialize({{"factor", 3}});
    store_.stop();
    runtime.specialize({{"factor", 5}});
    EXPECT_EQ(call(7, 5, 1), 35U);
    EXPECT_THAT(events(), HasSubstr("shared_cache_lost"));
  }
  EXPECT_EQ(origin_of_scale(3), VariantOrigin::compiled);
  store_.start();
  EXPECT_EQ(origin_of_scale(3), VariantOrigin::shared);
}

TEST_F(SharedCacheOfARuntime, IsNotReportedByAReadOnlyRuntime) {
  options_.shared_cache_read_only = true;
  EXPECT_EQ(origin_of_scale(3), VariantOrigin::compiled);
  EXPECT_EQ(store_.redis("dbsize"), "0\n");
  EXPECT_THAT(events(), Not(HasSubstr("shared_cache")));
}

} // namespace
