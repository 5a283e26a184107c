// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `sartor server`: which users may control a server, and the effect of each command.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "operate.h"
#include "paths.h"
#include "remote/protocol/admin_message.h"

namespace sartor::server {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Said {
  int status = -1;
  std::string out;
};

/// Runs `sartor server WORDS...`.
Said control(const ServerProcess &server, const std::vector<std::string> &words,
             const std::string &where = {}) {
  std::vector<std::string> all{paths::sartor_command(), "server"};
  all.insert(all.end(), words.begin(), words.end());
  all.insert(all.end(), {"--server", where.empty() ? server.local() : where});
  const std::string file = server.file("said");
  fs::remove(file);
  const int to = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const pid_t made = spawn(all, {.out = to, .err = to});
  close(to);
  Said said;
  waitpid(made, &said.status, 0);
  said.out = content(file);
  return said;
}

nlohmann::json json_of(const Said &said) {
  EXPECT_EQ(said.status, 0) << said.out;
  return nlohmann::json::parse(said.out, nullptr, false);
}

TEST(AnOperator, SeesTheServersStatus) {
  const ServerProcess server;
  const auto status = json_of(control(server, {"status", "--json"}));
  EXPECT_EQ(status.at("known").at("clients"), 1);
  EXPECT_EQ(status.at("addresses").size(), 2U);
  const auto key = base::read_public_key(server.file("server.pub"));
  EXPECT_EQ(status.at("keys").at(0), base::fingerprint(*key));
  EXPECT_GT(status.at("resident_bytes"), 0);
  EXPECT_THAT(control(server, {"status"}).out, HasSubstr("draining: false\n"));
}

TEST(AnOperator, SeesClients) {
  const ServerProcess server;
  Program one(server, "clients/one.key");
  ASSERT_EQ(one.ask(), std::nullopt);
  const auto clients = json_of(control(server, {"clients", "--json"}));
  ASSERT_TRUE(clients.is_array());
  bool is_there = false;
  for (const auto &row : clients)
    if (row.at("client") == "one") {
      is_there = true;
      EXPECT_EQ(row.at("role"), "client");
      EXPECT_GE(row.at("connections"), 1);
      EXPECT_GE(row.at("requests"), 2);
      EXPECT_THAT(row.at("peers").at(0).get<std::string>(), HasSubstr("127.0.0.1:"));
    }
  EXPECT_TRUE(is_there) << clients.dump();
}

TEST(AnOperator, HasAKeyOverTcp) {
  const ServerProcess server;
  server.make_key("operators/admin");
  reread(server, "1 operators");
  const auto ask_as = [&](const std::string &key) {
    return control(server,
                   {"status", "--server-key", server.file("server.pub"), "--key", server.file(key)},
                   server.tcp());
  };
  EXPECT_EQ(ask_as("operators/admin.key").status, 0);
  EXPECT_EQ(Program(server, "operators/admin.key").ask(), std::nullopt);
  const Said refused = ask_as("clients/one.key");
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.out, HasSubstr("comes from a client"));
  EXPECT_THAT(server.log(), HasSubstr("reason=not_permitted"));
  EXPECT_NE(ask_as("devices/device.key").status, 0);
}

TEST(AProgramsConnection, ControlsNothing) {
  const ServerProcess server;
  Line line(server.file("socket"));
  ASSERT_TRUE(line.ask_and_hear(remote::Kind::hello, to_bytes(good_hello())));
  line.ask(remote::Kind::admin, remote::admin_bytes(remote::AdminRequest{}));
  const auto refusal = line.refusal();
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, ErrorCode::server_refused);
}

TEST(AnOperatorsRequest, ThatIsDamagedIsRefused) {
  const ServerProcess server;
  remote::AdminRequest request;
  request.client = "one";
  const std::string good = remote::admin_bytes(request);
  for (std::size_t size = 0; size < good.size(); ++size) {
    Line line(server.file("socket"));
    line.ask(remote::Kind::admin, good.substr(0, size));
    ASSERT_TRUE(line.refusal()) << size;
  }
}

/// The answers in a directory, without files that are still being written.
std::vector<fs::path> files_in(const fs::path &directory) {
  std::vector<fs::path> found;
  for (const auto &file : fs::directory_iterator(directory))
    if (!file.path().filename().string().starts_with('.'))
      found.push_back(file.path());
  return found;
}

TEST(AnOperator, PurgesAnswers) {
  const Directory directory;
  const ServerProcess server({"--cache-dir", directory / "cache"});
  server.make_key("clients/two");
  reread(server, "2 clients");
  ASSERT_EQ(Program(server, "clients/one.key").ask(), std::nullopt);
  ASSERT_TRUE(comes_true([&] { return files_in(directory / "cache").size() >= 2; }));
  EXPECT_EQ(json_of(control(server, {"purge", "--client", "two", "--json"})).at("memory"), 0);
  const auto purged = json_of(control(server, {"purge", "--client", "one", "--json"}));
  EXPECT_GE(purged.at("memory"), 2);
  EXPECT_GE(purged.at("disk"), 2);
  EXPECT_THAT(files_in(directory / "cache"), IsEmpty());
  // A variant that is requested again is compiled again.
  ASSERT_EQ(Program(server, "clients/one.key").ask(), std::nullopt);
  ASSERT_TRUE(comes_true([&] { return files_in(directory / "cache").size() >= 2; }));
  const fs::path any = files_in(directory / "cache").front();
  const auto one = json_of(control(server, {"purge", "--answer", any.stem().string(), "--json"}));
  EXPECT_EQ(one.at("disk"), 1);
  EXPECT_FALSE(fs::exists(any));
  EXPECT_GE(json_of(control(server, {"purge", "--all", "--json"})).at("disk"), 1);
  EXPECT_THAT(files_in(directory / "cache"), IsEmpty());
  EXPECT_NE(control(server, {"purge"}).status, 0); // without an argument
}

TEST(AnOperator, DrainsTheServer) {
  ServerProcess server;
  Program one(server, "clients/one.key");
  ASSERT_EQ(one.ask(), std::nullopt);
  EXPECT_EQ(json_of(control(server, {"drain", "--json"})).at("requests"), 0);
  EXPECT_TRUE(comes_true([&] { return server.log().contains("info stopped"); }));
  EXPECT_FALSE(fs::exists(server.file("socket")));
  EXPECT_TRUE(one.ask());
  EXPECT_EQ(server.stop(), 0); // the server has ended by itself
}

TEST(Draining, EndsConnectionsOnceTheirRequestsAreAnswered) {
  // A server drains for some seconds only, in which a busy machine may not get to answer.
  std::optional<Failure> failure;
  for (int tries = 0; tries < 5 && !failure; ++tries) {
    // The compiler never answers, so the request stays in progress until the time limit.
    ServerProcess server({"--workers", "1", "--compile-timeout", "2", "--compiler", paths::deaf()});
    Line idle(server.file("socket"));
    std::unique_ptr<Line> busy;
    // Asks again if the time limit came before the look at the status.
    ASSERT_TRUE(comes_true([&] {
      busy = std::make_unique<Line>(server.file("socket"));
      busy->ask(remote::Kind::hello, to_bytes(good_hello()));
      for (int i = 0; i < 20; ++i)
        if (json_of(control(server, {"status", "--json"})).value("working", 0) == 1)
          return true;
      return false;
    }));
    server.signal(SIGTERM);
    EXPECT_TRUE(idle.has_ended());
    failure = busy->refusal();
    EXPECT_EQ(server.stop(), 0);
  }
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ErrorCode::compile_timeout);
}

TEST(Draining, IsShortenedByASignal) {
  // An operator's drain waits as long as a compilation may take; a signal's for ten seconds.
  ServerProcess server({"--workers", "1", "--compile-timeout", "600", "--queue-timeout", "700",
                        "--compiler", paths::deaf()});
  Line busy(server.file("socket"));
  busy.ask(remote::Kind::hello, to_bytes(good_hello()));
  ASSERT_TRUE(comes_true(
      [&] { return json_of(control(server, {"status", "--json"})).value("working", 0) == 1; }));
  EXPECT_EQ(json_of(control(server, {"drain", "--json"})).at("requests"), 1);
  server.signal(SIGTERM);
  EXPECT_TRUE(comes_true([&] { return server.log().contains("info stopped"); }));
  EXPECT_EQ(server.stop(), 0);
}

} // namespace
} // namespace sartor::server
