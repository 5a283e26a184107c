// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "load.h"
#include "matmul.h"
#include "protocol.h"
#include "server.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <random>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace matmul {
namespace {

using asio::ip::tcp;

constexpr std::uint64_t block = 16;
constexpr std::uint32_t magic = Header::expected_magic;

/// A server in this process, with the native code of the handler.
class MatmulProtocol : public testing::Test {
protected:
  ~MatmulProtocol() override { stop(); }

  void stop() {
    server_io_.stop();
    if (thread_.joinable())
      thread_.join();
  }

  tcp::socket connect() {
    tcp::socket socket(client_io_);
    socket.connect({asio::ip::address_v4::loopback(), server_.port()});
    return socket;
  }

  static void send(tcp::socket &socket, const Header &header, const Pair &pair) {
    asio::write(socket, std::array{asio::const_buffer(&header, sizeof header),
                                   asio::const_buffer(asio::buffer(pair.a)),
                                   asio::const_buffer(asio::buffer(pair.b))});
  }

  static Header receive_header(tcp::socket &socket) {
    Header header;
    asio::read(socket, asio::buffer(&header, sizeof header));
    return header;
  }

  static Matrix receive_product(tcp::socket &socket, std::uint64_t n) {
    Matrix product(n * n);
    asio::read(socket, asio::buffer(product));
    return product;
  }

  /// Sends a header that must be refused; checks the answer and that the server closes the
  /// connection.
  void expect_refusal(const Header &header, Refusal expected) {
    tcp::socket socket = connect();
    asio::write(socket, asio::buffer(&header, sizeof header));
    const Header answer = receive_header(socket);
    EXPECT_EQ(answer.magic, magic);
    EXPECT_EQ(answer.n, 0u);
    EXPECT_EQ(answer.id, header.id);
    Refusal refusal = Refusal::none;
    asio::read(socket, asio::buffer(&refusal, sizeof refusal));
    EXPECT_EQ(refusal, expected);
    std::error_code error;
    char more = 0;
    EXPECT_EQ(asio::read(socket, asio::buffer(&more, 1), error), 0u);
    EXPECT_EQ(error, asio::error::eof);
  }

  void expect_service() {
    const Pair pair = make_pairs(64, true).front();
    tcp::socket socket = connect();
    send(socket, {.magic = magic, .n = 64, .id = 1}, pair);
    EXPECT_EQ(receive_header(socket).n, 64u);
    EXPECT_EQ(receive_product(socket, 64), pair.product);
  }

  asio::io_context client_io_;
  asio::io_context server_io_;
  Counters counters_;
  std::vector<std::uint64_t> sizes_; ///< Sizes that the server reported. Read them after stop().
  Server server_{server_io_, 0,         &multiply_stripe,
                 block,      counters_, [this](std::uint64_t n) { sizes_.push_back(n); }};
  std::thread thread_{[this] { server_io_.run(); }};
};

TEST(MultiplyStripe, EqualsThePlainTripleLoopForEveryBlockSize) {
  constexpr std::uint64_t n = 192;
  const Pair pair = make_pairs(n, true).front();
  for (const std::uint64_t size : {2, 4, 8, 16, 32, 64}) {
    Matrix product(n * n, 1);
    for (std::uint64_t row = 0; row < n; row += stripe)
      for (std::uint64_t column = 0; column < n; column += stripe)
        multiply_stripe(pair.a.data(), pair.b.data(), product.data(), n, size, row, column);
    EXPECT_EQ(product, pair.product) << "block size " << size;
  }
}

TEST_F(MatmulProtocol, AnswersWithTheProductAndTheRequestsId) {
  const Pair pair = make_pairs(128, true).front();
  tcp::socket socket = connect();
  send(socket, {.magic = magic, .n = 128, .id = 0xfedcba9876543210}, pair);
  const Header header = receive_header(socket);
  EXPECT_EQ(header.magic, magic);
  EXPECT_EQ(header.n, 128u);
  EXPECT_EQ(header.id, 0xfedcba9876543210);
  EXPECT_EQ(receive_product(socket, 128), pair.product);
}

TEST_F(MatmulProtocol, AnswersRequestsSentAheadInTheirOrder) {
  const Pair large = make_pairs(128, true).front();
  const Pair small = make_pairs(64, true).front();
  tcp::socket socket = connect();
  send(socket, {.magic = magic, .n = 128, .id = 7}, large);
  send(socket, {.magic = magic, .n = 64, .id = 3}, small);
  EXPECT_EQ(receive_header(socket).id, 7u);
  EXPECT_EQ(receive_product(socket, 128), large.product);
  EXPECT_EQ(receive_header(socket).id, 3u);
  EXPECT_EQ(receive_product(socket, 64), small.product);
}

TEST_F(MatmulProtocol, CountsMultiplyAddsAndProducts) {
  expect_service();
  EXPECT_EQ(counters_.madds, 64u * 64 * 64);
  EXPECT_EQ(counters_.requests, 1u);
}

TEST_F(MatmulProtocol, ReportsWhenTheSizeChanges) {
  tcp::socket socket = connect();
  for (const std::uint32_t n : {64, 64, 128, 64}) {
    send(socket, {.magic = magic, .n = n, .id = 1}, make_pairs(n, false).front());
    receive_header(socket);
    receive_product(socket, n);
  }
  stop();
  EXPECT_EQ(sizes_, (std::vector<std::uint64_t>{64, 128, 64}));
}

TEST_F(MatmulProtocol, RefusesAnotherMagicNumber) {
  expect_refusal({.magic = magic + 1, .n = 64, .id = 5}, Refusal::bad_magic);
}

TEST_F(MatmulProtocol, RefusesSizeZero) {
  expect_refusal({.magic = magic, .n = 0, .id = 5}, Refusal::bad_size);
}

TEST_F(MatmulProtocol, RefusesASizeThatIsNoMultipleOf64) {
  expect_refusal({.magic = magic, .n = 100, .id = 5}, Refusal::bad_size);
}

TEST_F(MatmulProtocol, RefusesASizeAbove2048) {
  expect_refusal({.magic = magic, .n = 2112, .id = 5}, Refusal::bad_size);
}

TEST_F(MatmulProtocol, RefusesAlthoughMoreFollows) {
  tcp::socket socket = connect();
  const Header header{.magic = 0, .n = 64, .id = 9};
  send(socket, header, make_pairs(64, false).front());
  EXPECT_EQ(receive_header(socket).id, 9u);
}

TEST_F(MatmulProtocol, ServesOnAfterGarbage) {
  std::mt19937_64 random(1);
  for (int client = 0; client < 50; ++client) {
    std::vector<std::uint64_t> garbage(1 + random() % 1000);
    std::generate(garbage.begin(), garbage.end(), std::ref(random));
    tcp::socket socket = connect();
    std::error_code ignored;
    asio::write(socket, asio::buffer(garbage), ignored);
  }
  expect_service();
}

TEST_F(MatmulProtocol, ServesOnAfterClientsLeftInTheMiddle) {
  const Header header{.magic = magic, .n = 2048, .id = 1};
  for (std::size_t bytes = 0; bytes <= sizeof header; ++bytes) {
    tcp::socket socket = connect();
    asio::write(socket, asio::buffer(&header, bytes));
  }
  tcp::socket unread = connect(); // disconnects without reading its product
  send(unread, {.magic = magic, .n = 256, .id = 1}, make_pairs(256, false).front());
  unread.close();
  expect_service();
}

TEST_F(MatmulProtocol, TurnsAwayMoreClientsThanItTakes) {
  std::vector<tcp::socket> clients;
  for (unsigned i = 0; i < Server::most_sessions; ++i)
    clients.push_back(connect());
  tcp::socket one_more = connect();
  std::error_code error;
  char byte = 0;
  asio::read(one_more, asio::buffer(&byte, 1), error);
  EXPECT_EQ(error, asio::error::eof);
  clients.clear();
}

TEST_F(MatmulProtocol, SaysThatAPortIsTaken) {
  EXPECT_THROW(
      Server(server_io_, server_.port(), &multiply_stripe, block, counters_, [](std::uint64_t) {}),
      std::system_error);
}

TEST_F(MatmulProtocol, LoadChecksEveryProduct) {
  std::vector<Phase> phases;
  for (const std::uint64_t n : {64, 128})
    phases.push_back({n, std::chrono::milliseconds(50), make_pairs(n, true)});
  const volatile std::sig_atomic_t interrupted = 0;
  const auto totals = run_load(server_.port(), 2, phases, interrupted);
  ASSERT_EQ(totals.size(), 2u);
  for (const PhaseTotals &phase : totals) {
    EXPECT_GE(phase.requests, 2u);
    EXPECT_EQ(phase.checked, phase.requests);
    EXPECT_EQ(phase.wrong, 0u);
  }
}

TEST_F(MatmulProtocol, LoadNoticesWrongProducts) {
  std::vector<Phase> phases;
  phases.push_back({64, std::chrono::milliseconds(20), make_pairs(64, true)});
  for (Pair &pair : phases.front().pairs)
    ++pair.product.back();
  const volatile std::sig_atomic_t interrupted = 0;
  const auto totals = run_load(server_.port(), 1, phases, interrupted);
  ASSERT_EQ(totals.size(), 1u);
  EXPECT_EQ(totals.front().wrong, totals.front().requests);
}

} // namespace
} // namespace matmul
