// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The server's HTTP endpoint for health and metrics, also with peers that misbehave.
#include <array>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../server/line.h"
#include "../server/server_process.h"
#include "operate.h"
#include "paths.h"

namespace sartor::server {
namespace {

/// An HTTP client that can send arbitrary bytes.
class HttpClient {
public:
  explicit HttpClient(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0) {
      close(socket_);
      socket_ = -1;
    }
  }
  ~HttpClient() {
    if (socket_ >= 0)
      close(socket_);
  }
  HttpClient(const HttpClient &) = delete;
  HttpClient &operator=(const HttpClient &) = delete;

  void say(std::string_view bytes) const {
    (void)send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  /// Reads until the server closes the connection.
  [[nodiscard]] std::string hear() const {
    std::string all;
    std::array<char, 4096> piece;
    for (ssize_t taken = 0; (taken = recv(socket_, piece.data(), piece.size(), 0)) > 0;)
      all.append(piece.data(), static_cast<std::size_t>(taken));
    return all;
  }

private:
  int socket_;
};

std::string get(int port, const std::string &path) {
  const HttpClient client(port);
  client.say("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  return client.hear();
}

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Health, IsShownOnLoopback) {
  const ServerProcess server({"--metrics", "0"});
  const int port = server.metrics_port();
  ASSERT_GT(port, 0) << server.log();
  EXPECT_THAT(get(port, "/livez"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(get(port, "/readyz"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(get(port, "/metrics?x=1"), HasSubstr("# TYPE sartor_server_connections gauge"));
  EXPECT_THAT(get(port, "/"), StartsWith("HTTP/1.1 404 "));
}

TEST(Health, IsShownElsewhereOnlyWhereThatIsSaid) {
  const ServerProcess server({"--metrics", "0.0.0.0:0"});
  EXPECT_THAT(server.log(), HasSubstr("to other machines, without authentication"));
}

TEST(Health, IsNotSilencedByHalfOpenConnections) {
  const ServerProcess server({"--metrics", "0"});
  const int port = server.metrics_port();
  std::list<HttpClient> silent;
  for (int i = 0; i < 200; ++i)
    silent.emplace_back(port).say(i % 2 == 0 ? "GET /metr" : "");
  EXPECT_THAT(get(port, "/metrics"), HasSubstr("sartor_server_connections"));
}

TEST(Health, AnswersNothingButSmallGetRequests) {
  const ServerProcess server({"--metrics", "0"});
  const int port = server.metrics_port();
  const auto answer_to = [&](const std::string &request) {
    const HttpClient client(port);
    client.say(request);
    return client.hear();
  };
  EXPECT_THAT(answer_to("POST /metrics HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(answer_to("\x16\x03\x01\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer_to("GET /metrics\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer_to("GET /livez HTTP/1.1\r\nX: " + std::string(9000, 'x')), IsEmpty());
  EXPECT_THAT(get(port, "/livez"), StartsWith("HTTP/1.1 200 "));
}

TEST(Health, SaysThatTheServerIsDraining) {
  std::string ready;
  std::string live;
  // A server drains for some seconds only, in which a busy machine may not get to ask it.
  for (int tries = 0; tries < 5 && live.empty(); ++tries) {
    ServerProcess server({"--metrics", "0", "--workers", "1", "--compile-timeout", "200",
                          "--queue-timeout", "300", "--compiler", paths::deaf()});
    const int port = server.metrics_port();
    Line line(server.file("socket"));
    line.ask(remote::Kind::hello, to_bytes(good_hello())); // the connection stays open
    ASSERT_TRUE(comes_true([&] { return get(port, "/metrics").contains("server_working 1"); }));
    server.signal(SIGTERM);
    ASSERT_TRUE(comes_true([&] { return server.log().contains("draining"); }));
    ready = get(port, "/readyz");
    live = get(port, "/livez");
    server.kill();
  }
  EXPECT_THAT(ready, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(live, StartsWith("HTTP/1.1 200 "));
}

TEST(Metrics, DistinguishClientsAndRefusals) {
  const ServerProcess server({"--metrics", "0"});
  const int port = server.metrics_port();
  EXPECT_EQ(Program(server, "clients/one.key").ask(), std::nullopt);
  server.make_key("stranger");
  EXPECT_TRUE(Program(server, "stranger.key").ask());
  EXPECT_TRUE(comes_true(
      [&] { return get(port, "/metrics").contains(R"({client="unknown",why="unknown_key"} 1)"); }));
  const std::string metrics = get(port, "/metrics");
  EXPECT_THAT(metrics, HasSubstr(R"(sartor_server_requests_total{client="one",from="made"})"));
  EXPECT_THAT(metrics, HasSubstr(R"(sartor_server_compile_seconds_total{client="one"})"));
  EXPECT_THAT(metrics, Not(HasSubstr("no_handshake")));
}

} // namespace
} // namespace sartor::server
