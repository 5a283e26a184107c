// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Servers with different keys that share answers in one Redis.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../server/line.h"
#include "../server/server_process.h"
#include "../store.h"
#include "paths.h"

namespace sartor::server {
namespace {

using remote::Kind;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<std::string> options_for(const testing_aids::Store &store) {
  return {"--shared-cache",
          "rediss://sartor-writer@" + store.address().substr(9),
          "--shared-cache-key",
          store.key(),
          "--shared-cache-password-file",
          store.password("writer"),
          "--shared-cache-ca-file",
          store.directory() / "ca.pem"};
}

struct Asked {
  std::string answer;
  std::string signature;
};

Asked ask(const ServerProcess &server) {
  Line line(server.file("socket"));
  const auto module = line.open(paths::points());
  auto answer = line.ask_and_hear(Kind::draft, to_bytes(order_of(module, 7)));
  EXPECT_TRUE(answer && answer->kind == Kind::drafted);
  const std::size_t end = answer->body.size() - sizeof(base::Signature);
  return {answer->body.substr(0, end), answer->body.substr(end)};
}

/// Asks a new server, and returns its log, too. Asks another one if the server has lost the Redis,
/// which, on a busy machine, may not answer in the short time that a server allows.
Asked ask_a_new_server(const testing_aids::Store &store, std::string &log) {
  for (int tries = 0;; ++tries) {
    ServerProcess server(options_for(store));
    Asked asked = ask(server);
    server.stop(); // completes what it stores
    log = server.log();
    if (tries == 4 || !log.contains("shared_cache_lost"))
      return asked;
  }
}

TEST(ServersThatShareARedis, TakeEachOthersAnswersAndSignThemThemselves) {
  const testing_aids::Store store("redis-tls");
  std::string log;
  const Asked first = ask_a_new_server(store, log);
  const std::string used = store.redis("zrange '{sartor}:used' 0 -1 withscores");
  ASSERT_THAT(used, Not(SizeIs(0)));
  ASSERT_NE(used, "\n");
  // Nothing new can be stored, so an entry that is marked as used was found.
  (void)store.redis("acl setuser sartor-writer -set");
  const Asked second = ask_a_new_server(store, log);
  EXPECT_EQ(second.answer, first.answer);
  EXPECT_NE(second.signature, first.signature);
  EXPECT_NE(store.redis("zrange '{sartor}:used' 0 -1 withscores"), used);
  EXPECT_EQ(log.find("shared_cache"), std::string::npos) << log;
}

TEST(TheAddressOfARedis, HoldsNoPassword) {
  const ServerProcess server(
      {"--shared-cache", "redis://me:secret@localhost", "--shared-cache-key", "/nonexistent"});
  EXPECT_THAT(server.log(), ::testing::HasSubstr("has a password in it"));
  EXPECT_THAT(server.log(), Not(::testing::HasSubstr("secret")));
}

} // namespace
} // namespace sartor::server
