// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The server of studies/echo with misbehaving clients: each is counted, and no other client is
/// affected.
#include <random>

#include <gmock/gmock.h>

#include "rig.h"

namespace sartor::echo {
namespace {

using State = Peer::State;

// Checks that the server continues: another client gets its answer.
void expect_goes_on(Rig &rig, std::size_t client) {
  if (rig.peer.state(client) == State::closed)
    rig.open(client, 1);
  const std::size_t before = rig.got[client].size();
  rig.send(client, request(77));
  EXPECT_EQ(
      Bytes(rig.got[client].begin() + static_cast<std::ptrdiff_t>(before), rig.got[client].end()),
      answer(request(77)));
}

TEST(EchoServerTest, AnswersRequests) {
  Rig rig(2);
  rig.open(0, 2);
  rig.send(0, request(1));
  rig.send(1, request(2, echo_header) + request(3, echo_longest));
  EXPECT_EQ(rig.got[0], answer(request(1)));
  EXPECT_EQ(rig.got[1], answer(request(2, echo_header)) + answer(request(3, echo_longest)));
  EXPECT_EQ(rig.counted().answers, 3U);
  EXPECT_EQ(rig.peer.unexpected(), 0U);
}

TEST(EchoServerTest, AnswersRequestsThatComeInPieces) {
  Rig rig(1);
  rig.open(0, 1);
  const Bytes two = request(1) + request(2, 200);
  for (const std::uint8_t byte : two)
    rig.send(0, {byte});
  EXPECT_EQ(rig.got[0], answer(request(1)) + answer(request(2, 200)));
}

TEST(EchoServerTest, ClosesWhenTheClientDoes) {
  Rig rig(1);
  rig.open(0, 1);
  rig.send(0, request(1), true);
  EXPECT_EQ(rig.got[0], answer(request(1)));
  EXPECT_EQ(rig.peer.state(0), State::ended);
  EXPECT_EQ(rig.counted().closed, 1U);
  EXPECT_EQ(rig.counted().truncated, 0U);
}

TEST(EchoServerTest, ResetsWhoSendsNoRequest) {
  Rig rig(4);
  rig.open(0, 4);
  Bytes wrong_mark = request(1);
  wrong_mark[0] ^= 1;
  rig.send(0, request(1) + wrong_mark);
  Bytes too_short = request(1);
  echo_begin(too_short.data(), echo_header - 1, 1);
  rig.send(1, too_short);
  rig.send(2, Bytes(1460, 0xff));
  for (const std::size_t client : {0U, 1U, 2U})
    EXPECT_EQ(rig.peer.state(client), State::reset) << client;
  EXPECT_EQ(rig.counted().malformed, 3U);
  expect_goes_on(rig, 3);
}

TEST(EchoServerTest, ResetsWhoSendsTooLongARequest) {
  Rig rig(2);
  rig.open(0, 2);
  rig.send(0, request(1, echo_longest + 1));
  EXPECT_EQ(rig.peer.state(0), State::reset);
  EXPECT_EQ(rig.counted().oversized, 1U);
  EXPECT_TRUE(rig.got[0].empty());
  expect_goes_on(rig, 1);
}

TEST(EchoServerTest, CountsRequestsThatEndInTheMiddle) {
  Rig rig(2);
  rig.open(0, 2);
  Bytes part = request(2);
  part.resize(echo_header + 5);
  rig.send(0, request(1) + part, true);
  EXPECT_EQ(rig.got[0], answer(request(1))); // complete requests are answered
  EXPECT_EQ(rig.counted().truncated, 1U);
  EXPECT_EQ(rig.peer.state(0), State::ended);
  expect_goes_on(rig, 1);
}

TEST(EchoServerTest, GivesThePlacesOfResetConnectionsToOthers) {
  Rig rig(8);
  for (int round = 0; round < 500; ++round) {
    for (std::size_t client = 0; client < 4; ++client) {
      rig.open(client, 1);
      rig.peer.send(client, request(1));
      rig.peer.reset(client); // before or after the server has answered
    }
    rig.settle();
  }
  EXPECT_EQ(rig.counted().reset, 2000U);
  EXPECT_EQ(rig.counted().no_room, 0U);
  expect_goes_on(rig, 5);
}

TEST(EchoServerTest, GivesUpClientsThatVanish) {
  Rig rig(3);
  rig.open(0, 2);
  rig.peer.send(1, request(1));
  rig.peer.vanish(0);
  rig.peer.vanish(1);
  rig.pass(300); // keepalive: a minute, and nine probes ten seconds apart
  EXPECT_EQ(rig.counted().vanished, 1U);
  EXPECT_EQ(rig.counted().stuck, 1U); // it should have accepted its answer
  expect_goes_on(rig, 2);
}

TEST(EchoServerTest, ResetsWhoTakesNothing) {
  Rig rig(2);
  echo_set_patience(rig.server(), 3);
  rig.open(0, 2);
  // The client also sends as much as the server accepts.
  rig.peer.set_window(0, 0);
  rig.peer.acknowledge(0);
  std::uint32_t sent = 0;
  for (; rig.peer.window(0) >= echo_longest && sent < 10'000; ++sent)
    rig.send(0, request(sent, echo_longest));
  EXPECT_LT(sent, 100U); // but not without limit
  EXPECT_LT(rig.counted().answers, sent);
  rig.peer.vanish(0);
  expect_goes_on(rig, 1);
  rig.pass(6);
  EXPECT_EQ(rig.counted().stuck, 1U);
  expect_goes_on(rig, 1);
}

TEST(EchoServerTest, ResetsWhoNeverEndsARequest) {
  Rig rig(2);
  echo_set_patience(rig.server(), 3);
  rig.open(0, 2);
  Bytes part = request(1);
  part.resize(20);
  rig.send(0, part);
  rig.pass(6);
  EXPECT_EQ(rig.counted().stuck, 1U);
  EXPECT_EQ(rig.peer.state(0), State::reset);
  EXPECT_EQ(rig.peer.state(1), State::open); // this client has nothing to send
}

TEST(EchoServerTest, GoesOnWithWhoTakesAnswersLater) {
  Rig rig(1);
  rig.open(0, 1);
  rig.peer.set_window(0, 0);
  rig.peer.acknowledge(0);
  std::uint32_t sent = 0;
  while (rig.peer.window(0) >= echo_longest)
    rig.send(0, request(sent++, echo_longest));
  Bytes all;
  for (std::uint32_t i = 0; i < sent; ++i)
    all = all + answer(request(i, echo_longest));
  EXPECT_LT(rig.got[0].size(), all.size());
  rig.peer.set_window(0, 0xffff);
  for (int i = 0; i < 100 && rig.got[0].size() < all.size(); ++i) {
    rig.peer.acknowledge(0);
    rig.settle();
  }
  EXPECT_EQ(rig.got[0], all);
}

TEST(EchoServerTest, RefusesConnectionsForWhichThereIsNoRoom) {
  constexpr std::size_t beyond = 200; // also more than lwIP has of its own
  Rig rig(echo_most_connections + beyond);
  rig.open(0, echo_most_connections + beyond);
  EXPECT_EQ(rig.counted().accepted, echo_most_connections);
  EXPECT_EQ(rig.counted().no_room, beyond);
  EXPECT_EQ(rig.peer.state(echo_most_connections), State::reset);
  expect_goes_on(rig, 0);
  rig.peer.reset(0);
  rig.settle();
  rig.open(echo_most_connections, 1);
  expect_goes_on(rig, echo_most_connections);
}

TEST(EchoServerTest, DropsDamagedFrames) {
  Rig rig(8);
  rig.open(0, 8);
  std::mt19937 random(3);
  for (int i = 0; i < 20'000; ++i) {
    Bytes frame = rig.peer.segment(random() % 7, request(1));
    for (unsigned damage = random() % 4 + 1; damage > 0; --damage)
      frame[random() % frame.size()] = static_cast<std::uint8_t>(random());
    if (random() % 3 == 0)
      frame.resize(random() % (frame.size() + 1));
    rig.peer.send_frame(frame);
    if (i % 32 == 0)
      rig.settle();
  }
  rig.settle();
  EXPECT_GT(echo_dropped() + rig.counted().no_memory, 10'000U);
  // A checksum may be right by chance, or the damage may be undone: up to seven connections may be
  // gone.
  expect_goes_on(rig, 7);
}

TEST(EchoServerTest, DropsNoise) {
  Rig rig(2);
  rig.open(0, 2);
  std::mt19937 random(4);
  for (int i = 0; i < 5'000; ++i) {
    Bytes noise(random() % 1515);
    for (std::uint8_t &byte : noise)
      byte = static_cast<std::uint8_t>(random());
    if (noise.size() >= 14) { // addressed to the server, and of a kind that it reads
      std::ranges::copy(server_mac, noise.begin());
      noise[12] = 8;
      noise[13] = random() % 2 == 0 ? 0 : 6;
    }
    rig.peer.send_frame(noise);
    rig.settle();
  }
  expect_goes_on(rig, 1);
}

TEST(EchoServerTest, OpensOnceAtATime) {
  Rig rig(1);
  const EchoPort port = rig.cable.port();
  EXPECT_EQ(echo_open(&port, server_mac, server_text, server_port), nullptr);
  expect_goes_on(rig, 0);
}

TEST(EchoServerTest, OpensAtNoAddressThatIsNone) {
  Cable cable;
  const EchoPort port = cable.port();
  EXPECT_EQ(echo_open(&port, server_mac, "10.1.0.256", server_port), nullptr);
  EXPECT_EQ(echo_open(&port, server_mac, "nowhere", server_port), nullptr);
  echo_close(nullptr);
}

TEST(EchoServerTest, OpensAgain) {
  for (int i = 0; i < 3; ++i) {
    Rig rig(3);
    rig.open(0, 3);
    rig.send(0, request(1), true); // some closed, some open, some with an answer in transit
    rig.peer.send(1, request(2));
    expect_goes_on(rig, 2);
  }
}

TEST(EchoServerTest, TakesBatchesOfAnySize) {
  Rig rig(1);
  rig.open(0, 1);
  for (const std::uint32_t batch : {0U, 1U, 65U, 1'000'000U}) {
    echo_set_batches(rig.server(), {batch, batch, batch});
    expect_goes_on(rig, 0);
  }
}

} // namespace
} // namespace sartor::echo
