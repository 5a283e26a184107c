// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_WIRE_H
#define SARTOR_REMOTE_SERVER_WIRE_H

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include "remote/protocol/seal.h"
#include "remote/server/asio.h"

namespace sartor::server {

/// The memory of an idle connection: mostly OpenSSL's and Asio's buffers.
constexpr std::size_t kConnectionBytes = 96U << 10;

/// A byte stream to and from a peer: a client, or a compiler. Used on the loop's thread.
class Wire {
public:
  virtual ~Wire() = default;
  /// Reads all of the bytes, or returns an error.
  virtual asio::awaitable<std::error_code> read(asio::mutable_buffer bytes) = 0;
  virtual asio::awaitable<std::error_code> write(asio::const_buffer bytes) = 0;
  /// Ends the outgoing stream, and reads incoming bytes for a short time: a peer that sends without
  /// reading would otherwise not receive the last bytes.
  virtual asio::awaitable<void> finish() = 0;
  /// Closes at once: pending reads and writes fail.
  virtual void close() = 0;

  /// All frames from now on are sealed, in both directions.
  void take_seal(const remote::Seal &seal) { seal_ = seal; }
  /// Null if frames are not sealed.
  remote::Seal *seal() { return seal_ ? &*seal_ : nullptr; }

private:
  std::optional<remote::Seal> seal_;
};

/// Closes a wire after a time limit, unless this is destroyed before.
class Limit {
public:
  Limit(const asio::any_io_executor &executor, Wire &wire, std::chrono::milliseconds time)
      : wire_(std::make_shared<Wire *>(&wire)), timer_(executor, time) {
    timer_.async_wait([wire = wire_](std::error_code error) {
      if (!error && *wire)
        (*wire)->close();
    });
  }
  ~Limit() { *wire_ = nullptr; } // a timer event that has already been queued cannot be cancelled
  Limit(const Limit &) = delete;
  Limit &operator=(const Limit &) = delete;

private:
  std::shared_ptr<Wire *> wire_;
  asio::steady_timer timer_;
};

/// `Socket` is a socket, or TLS over one.
template <class Socket> class SocketWire final : public Wire {
public:
  explicit SocketWire(Socket socket) : socket_(std::move(socket)) {}

  asio::awaitable<std::error_code> read(asio::mutable_buffer bytes) override {
    std::error_code error;
    co_await asio::async_read(socket_, bytes, asio::redirect_error(asio::use_awaitable, error));
    co_return error;
  }
  asio::awaitable<std::error_code> write(asio::const_buffer bytes) override {
    std::error_code error;
    co_await asio::async_write(socket_, bytes, asio::redirect_error(asio::use_awaitable, error));
    co_return error;
  }
  asio::awaitable<void> finish() override {
    using namespace std::chrono_literals;
    const Limit limit(lowest().get_executor(), *this, 2s);
    std::error_code error;
    lowest().shutdown(std::remove_reference_t<decltype(lowest())>::shutdown_send, error);
    std::array<char, 4096> left{};
    while (!error)
      co_await lowest().async_read_some(asio::buffer(left),
                                        asio::redirect_error(asio::use_awaitable, error));
    close();
  }
  void close() override {
    std::error_code error;
    lowest().close(error);
  }

  Socket &socket() { return socket_; }

private:
  auto &lowest() {
    if constexpr (requires { socket_.next_layer(); })
      return socket_.next_layer();
    else
      return socket_;
  }

  Socket socket_;
};

} // namespace sartor::server

#endif
