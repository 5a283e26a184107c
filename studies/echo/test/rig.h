// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ECHO_RIG_H
#define ECHO_RIG_H

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "cable.h"
#include "echo.h"
#include "message.h"
#include "peer.h"

namespace sartor::echo {

using Bytes = std::vector<std::uint8_t>;

/// A request of so many bytes: `number` and bytes that follow from it.
inline Bytes request(std::uint32_t number, std::size_t size = echo_usual) {
  Bytes bytes(size);
  echo_begin(bytes.data(), static_cast<std::uint32_t>(size), number);
  for (std::size_t i = echo_header; i < size; ++i)
    bytes[i] = static_cast<std::uint8_t>(number + i);
  return bytes;
}

/// The server's answer to a request.
inline Bytes answer(Bytes request) {
  echo_set_mark(request.data(), echo_answer_mark);
  return request;
}

inline Bytes operator+(Bytes left, const Bytes &right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// A server and its clients, connected by a simulated cable.
class Rig {
public:
  using Poll = std::function<std::uint32_t(EchoServer *)>;

  explicit Rig(std::size_t clients, Poll poll = echo_poll)
      : peer(cable, clients), got(clients), poll_(std::move(poll)), server_(nullptr, echo_close) {
    const EchoPort port = cable.port();
    server_.reset(echo_open(&port, server_mac, server_text, server_port));
    if (!server_)
      throw std::runtime_error("the server does not open");
    peer.introduce();
    settle();
  }

  /// Polls until no more data arrives. Records the answers of the clients.
  void settle() {
    for (int idle = 0; idle < 3; ++idle) {
      if (poll_(server()) > 0)
        idle = -1;
      peer.take([this](std::size_t client, std::span<const std::uint8_t> data) {
        got[client].insert(got[client].end(), data.begin(), data.end());
      });
    }
  }
  /// Opens connections, a few at a time.
  void open(std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      peer.open(i);
      settle();
    }
  }
  /// Lets time pass in steps of TCP's timers.
  void pass(std::uint32_t seconds) {
    for (std::uint32_t quarter = 0; quarter < 4 * seconds; ++quarter) {
      echo_set_time(server(), now_ += 250);
      settle();
    }
  }
  void send(std::size_t client, const Bytes &bytes, bool finish = false) {
    peer.send(client, bytes, finish);
    settle();
  }

  [[nodiscard]] EchoServer *server() { return server_.get(); }
  [[nodiscard]] EchoCounters counted() { return echo_counted(server()); }

  Cable cable;
  Peer peer;
  std::vector<Bytes> got; ///< Received bytes by client.

private:
  Poll poll_;
  std::uint32_t now_ = 0;
  std::unique_ptr<EchoServer, void (*)(EchoServer *)> server_; // its end of the cable closes first
};

} // namespace sartor::echo

#endif
