// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATMUL_SERVER_H
#define MATMUL_SERVER_H

#include <cstdint>
#include <functional>

#include "asio.h"
#include "worker.h"

namespace matmul {

/// Multiplies matrices for clients on the loopback interface, as protocol.h defines. Belongs to the
/// thread that runs `io`, which must outlive it; runs no code after `io` has stopped.
class Server {
public:
  /// Maximum number of clients at a time; further ones are rejected.
  static constexpr unsigned most_sessions = 32;

  /// Listens on `port`, or on any free one for 0. Calls `on_size` with the size of the next product
  /// when it changes, and with 0 when the last client has disconnected. Throws std::system_error if
  /// it cannot listen.
  Server(asio::io_context &io, std::uint16_t port, MultiplyStripe multiply, std::uint64_t block,
         Counters &counters, std::function<void(std::uint64_t n)> on_size);

  [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

private:
  asio::awaitable<void> accept();
  asio::awaitable<void> serve(asio::ip::tcp::socket socket);
  void leave();

  asio::io_context &io_;
  Counters &counters_;
  std::function<void(std::uint64_t)> on_size_;
  Worker worker_;
  asio::ip::tcp::acceptor acceptor_;
  unsigned sessions_ = 0;
};

} // namespace matmul

#endif
