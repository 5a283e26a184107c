// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/channel.h"

#include <array>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../files_of_the_program.h"
#include "remote/protocol/connector.h"
#include "remote/protocol/session.h"

namespace sartor::remote {
namespace {

/// A channel, and the socket of its peer.
struct Ends {
  explicit Ends(std::size_t most = 1000) {
    std::array<int, 2> sockets{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
    channel = std::make_unique<Channel>(std::make_unique<SocketStream>(sockets[0]), most);
    other = sockets[1];
  }
  ~Ends() { hang_up(); }
  Ends(const Ends &) = delete;
  Ends &operator=(const Ends &) = delete;

  void say(std::string_view bytes) const {
    EXPECT_EQ(write(other, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void hang_up() {
    if (other >= 0)
      close(std::exchange(other, -1));
  }

  std::unique_ptr<Channel> channel;
  int other = -1;
};

bool never() { return false; }

ErrorCode code_of(const Result<std::optional<Frame>> &received) {
  return received ? ErrorCode{} : received.error().code;
}

TEST(Channel, SendsWhatTheOtherSideReceives) {
  std::array<int, 2> sockets{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
  Channel here(std::make_unique<SocketStream>(sockets[0]), 1U << 30);
  Channel there(std::make_unique<SocketStream>(sockets[1]), 1U << 30);
  const std::string large(5'000'000, 'x'); // more than a socket buffer holds
  std::thread sender([&] {
    EXPECT_TRUE(here.send(Kind::draft, "one", always));
    EXPECT_TRUE(here.send(Kind::image, large, always));
    EXPECT_TRUE(here.send(Kind::done, "", always));
  });
  const auto first = there.receive(always);
  const auto second = there.receive(always);
  const auto third = there.receive(always);
  sender.join();
  ASSERT_TRUE(first && *first && second && *second && third && *third);
  EXPECT_EQ((*first)->kind, Kind::draft);
  EXPECT_EQ((*first)->body, "one");
  EXPECT_EQ((*second)->body, large);
  EXPECT_EQ((*third)->kind, Kind::done);
  EXPECT_EQ((*third)->body, "");
}

TEST(Channel, EndsBetweenTwoFramesQuietly) {
  Ends ends;
  ends.hang_up();
  const auto received = ends.channel->receive(always);
  ASSERT_TRUE(received);
  EXPECT_FALSE(*received);
  EXPECT_TRUE(ends.channel->has_ended());
}

TEST(Channel, IsLostWithinAFrame) {
  for (const std::string_view part : {std::string_view("\5"), std::string_view("\5\0\0\0", 4),
                                      std::string_view("\5\0\0\0\1ab", 7)}) {
    Ends ends;
    ends.say(part);
    ends.hang_up();
    EXPECT_EQ(code_of(ends.channel->receive(always)), ErrorCode::compiler_lost);
  }
}

TEST(Channel, RefusesWhatIsTooLargeOrNothingOrOfNoKind) {
  for (const std::string_view bytes :
       {std::string_view("\xff\xff\xff\xff\1", 5), std::string_view("\xe9\3\0\0\1", 5),
        std::string_view("\0\0\0\0\1", 5), std::string_view("\1\0\0\0\xff", 5)}) {
    Ends ends;
    ends.say(bytes);
    EXPECT_EQ(code_of(ends.channel->receive(always)), ErrorCode::server_refused);
  }
}

TEST(Channel, WaitsAsLongAsItShould) {
  Ends ends;
  EXPECT_EQ(code_of(ends.channel->receive(never)), ErrorCode::compile_timeout);
  ends.say(std::string_view("\2\0\0\0", 4));
  EXPECT_EQ(code_of(ends.channel->receive(never)), ErrorCode::compile_timeout);
  ends.say(std::string_view("\1x", 2));
  const auto received = ends.channel->receive(never);
  ASSERT_TRUE(received && *received) << "what had come is not forgotten";
  EXPECT_EQ((*received)->body, "x");
}

/// Sends and receives a byte at a time, without an end.
class Dripping final : public Stream {
public:
  Result<std::optional<std::size_t>> read(char *bytes, std::size_t /*most*/,
                                          std::chrono::milliseconds /*patience*/) override {
    *bytes = '\1';
    return std::size_t{1};
  }
  Result<std::size_t> write(std::string_view /*bytes*/,
                            std::chrono::milliseconds /*patience*/) override {
    return std::size_t{1};
  }
  bool has_ended() override { return false; }
  void end() override {}
};

TEST(Channel, WaitsNoLongerBecauseBytesKeepComing) {
  Channel channel(std::make_unique<Dripping>(), kMostAnswer); // a frame of 16 MiB
  int rounds = 100;
  const auto go_on = [&] { return --rounds > 0; };
  EXPECT_EQ(code_of(channel.receive(go_on)), ErrorCode::compile_timeout);
  rounds = 100;
  const auto sent = channel.send(Kind::image, std::string(100'000, 'x'), go_on);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::compile_timeout);
}

/// Leads to a compiler that greets and then says nothing.
class SilentCompiler final : public Connector {
public:
  ~SilentCompiler() override {
    if (thread_.joinable())
      thread_.join();
  }
  Result<Connection> connect(const Channel::GoOn & /*go_on*/) override {
    std::array<int, 2> sockets{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
    thread_ = std::thread([socket = sockets[1]] {
      Channel there(std::make_unique<SocketStream>(socket), 1U << 20);
      EXPECT_TRUE(there.receive(always));
      EXPECT_TRUE(there.send(Kind::welcome, to_bytes(core::Toolchain()), always));
      (void)there.receive(always); // until the session has ended
    });
    return Connection{std::make_unique<Channel>(std::make_unique<SocketStream>(sockets[0]), 1000)};
  }
  Failure why_lost() override { return lost("has gone"); }
  void give_up() override {}
  Result<void> prepare(const Pipeline & /*pipeline*/) override { return {}; }
  [[nodiscard]] bool is_server() const override { return false; }
  unsigned era() override { return 0; }

private:
  std::thread thread_;
};

TEST(Session, RefusesRequestsThatNoFrameHolds) {
  SilentCompiler compiler;
  auto session = Session::open(compiler, always);
  ASSERT_TRUE(session);
  // Nothing is sent, so that nothing is read.
  constexpr std::size_t kBytes = std::size_t{4} << 30U;
  void *memory =
      mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto answer =
      (*session)->ask(Kind::draft, std::string_view(static_cast<const char *>(memory), kBytes),
                      Kind::drafted, always);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::server_refused);
  EXPECT_THAT(answer.error().message, testing::HasSubstr("4294967296 bytes"));
  EXPECT_TRUE((*session)->is_broken());
  munmap(memory, kBytes);
}

TEST(Channel, IsLostWhenTheProgramHasClosedIt) {
  EXPECT_TRUE(is_true_in_child([] {
    Ends ends;
    const FilesOfTheProgram own(STDERR_FILENO + 1, 4); // the first descriptors are sockets
    const auto sent = ends.channel->send(Kind::done, "", always);
    const bool is_lost = !sent && sent.error().code == ErrorCode::compiler_lost &&
                         code_of(ends.channel->receive(always)) == ErrorCode::compiler_lost &&
                         ends.channel->has_ended();
    ends.channel->end();
    ends.channel.reset();
    ends.other = -1;
    return is_lost && own.are_untouched();
  }));
}

} // namespace
} // namespace sartor::remote
