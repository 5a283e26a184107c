// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "server.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "protocol.h"

namespace matmul {

using asio::ip::tcp;

namespace {

/// Memory for a, b and c of one product, reused from request to request.
class Operands {
public:
  void resize(std::uint64_t n) {
    if (n * n > capacity_) {
      numbers_ = std::make_unique_for_overwrite<std::uint64_t[]>(3 * n * n);
      capacity_ = n * n;
    }
    size_ = n * n;
  }
  std::uint64_t *a() { return numbers_.get(); }
  std::uint64_t *b() { return numbers_.get() + size_; }
  std::uint64_t *c() { return numbers_.get() + 2 * size_; }
  /// a and b, contiguous as they are in a request.
  asio::mutable_buffer input() { return asio::buffer(a(), 2 * size_ * sizeof(std::uint64_t)); }
  asio::const_buffer output() { return asio::buffer(c(), size_ * sizeof(std::uint64_t)); }

private:
  std::unique_ptr<std::uint64_t[]> numbers_;
  std::uint64_t capacity_ = 0;
  std::uint64_t size_ = 0;
};

/// Sends a refusal. Closing a socket with unread bytes would discard the answer, too, so a limited
/// amount of the client's data is read first.
asio::awaitable<void> refuse(tcp::socket &socket, std::uint64_t id, Refusal refusal) {
  const Header header{.id = id};
  const auto reason = static_cast<std::uint64_t>(refusal);
  co_await asio::async_write(
      socket,
      std::array{asio::buffer(&header, sizeof header), asio::buffer(&reason, sizeof reason)},
      asio::use_awaitable);
  socket.shutdown(tcp::socket::shutdown_send);
  constexpr std::size_t most_unread = 64 << 20;
  std::array<std::byte, 65536> unread;
  for (std::size_t count = 0; count < most_unread;)
    count += co_await socket.async_read_some(asio::buffer(unread), asio::use_awaitable);
}

/// Serves requests until the client closes the connection, which ends in a std::system_error, or
/// until a request is refused.
asio::awaitable<void> serve_requests(tcp::socket &socket, Worker &worker) {
  Operands operands;
  for (;;) {
    Header header;
    co_await asio::async_read(socket, asio::buffer(&header, sizeof header), asio::use_awaitable);
    if (const Refusal refusal = check(header); refusal != Refusal::none) {
      co_await refuse(socket, header.id, refusal);
      co_return;
    }
    operands.resize(header.n);
    co_await asio::async_read(socket, operands.input(), asio::use_awaitable);
    co_await worker.multiply(operands.a(), operands.b(), operands.c(), header.n);
    const std::array<asio::const_buffer, 2> response{asio::buffer(&header, sizeof header),
                                                     operands.output()};
    co_await asio::async_write(socket, response, asio::use_awaitable);
  }
}

tcp::acceptor listen(asio::io_context &io, std::uint16_t port) {
  try {
    return {io, {asio::ip::address_v4::loopback(), port}};
  } catch (const std::system_error &error) {
    throw std::system_error(error.code(),
                            "cannot listen on port " + std::to_string(port) + " of 127.0.0.1");
  }
}

} // namespace

Server::Server(asio::io_context &io, std::uint16_t port, MultiplyStripe multiply,
               std::uint64_t block, Counters &counters, std::function<void(std::uint64_t)> on_size)
    : io_(io), counters_(counters), on_size_(std::move(on_size)),
      worker_(io, std::move(multiply), block, counters, on_size_), acceptor_(listen(io, port)) {
  asio::co_spawn(io_, accept(), asio::detached);
}

asio::awaitable<void> Server::accept() {
  for (;;) {
    std::error_code error;
    tcp::socket socket =
        co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, error));
    if (error) { // The client has disconnected already, or there are no file descriptors left.
      asio::steady_timer pause(io_, std::chrono::milliseconds(10));
      co_await pause.async_wait(asio::use_awaitable);
    } else if (sessions_ < most_sessions) {
      ++sessions_;
      asio::co_spawn(io_, serve(std::move(socket)), [this](std::exception_ptr) { leave(); });
    }
  }
}

asio::awaitable<void> Server::serve(tcp::socket socket) {
  socket.set_option(tcp::no_delay(true));
  co_await serve_requests(socket, worker_);
}

void Server::leave() {
  if (--sessions_ == 0 && counters_.n.exchange(0) != 0)
    on_size_(0);
}

} // namespace matmul
