// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A connection to a server with a variable delay, which can stop delivering.
#ifndef SARTOR_TEST_SERVER_SLOW_LINE_H
#define SARTOR_TEST_SERVER_SLOW_LINE_H

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

class SlowLine {
public:
  /// Connects to a port of this machine. Data arrives after between one and two times `delay`.
  SlowLine(int port, std::chrono::milliseconds delay) : to_(port), delay_(delay) {
    listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = local(0);
    socklen_t size = sizeof address;
    if (bind(listening_, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0 ||
        listen(listening_, 100) != 0 ||
        getsockname(listening_, reinterpret_cast<sockaddr *>(&address), &size) != 0)
      throw std::runtime_error("no line");
    port_ = ntohs(address.sin_port);
    std::thread([this] { accept_all(); }).detach();
  }
  /// Must live as long as the program, because threads use it.
  ~SlowLine() = delete;

  [[nodiscard]] std::string address() const { return "tcp://127.0.0.1:" + std::to_string(port_); }
  /// Stops all delivery without closing the connection.
  void fall_silent(bool on) { silent_ = on; }

private:
  using Clock = std::chrono::steady_clock;

  struct Piece {
    Clock::time_point due;
    std::string bytes; ///< Empty: the end of the stream.
  };
  struct Way {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Piece> pieces;
  };

  static sockaddr_in local(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }

  void accept_all() {
    for (int here = 0; (here = accept(listening_, nullptr, nullptr)) >= 0;) {
      const int there = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const sockaddr_in address = local(to_);
      if (connect(there, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0) {
        close(there);
        close(here);
        continue;
      }
      pass(here, there);
      pass(there, here);
    }
  }

  void pass(int from, int to) {
    const int on = 1;
    setsockopt(to, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const auto way = std::make_shared<Way>();
    std::thread([this, from, way] {
      std::mt19937 random(static_cast<unsigned>(from));
      std::array<char, 1400> bytes{};
      Clock::time_point last{};
      for (ssize_t taken = 1; taken > 0;) {
        taken = recv(from, bytes.data(), bytes.size(), 0);
        const auto wait = delay_ + delay_ * static_cast<int>(random() % 100) / 100;
        last = std::max(last, Clock::now() + wait);
        const std::lock_guard lock(way->mutex);
        way->pieces.push_back({last, std::string(bytes.data(), static_cast<std::size_t>(
                                                                   std::max<ssize_t>(taken, 0)))});
        way->changed.notify_one();
      }
    }).detach();
    std::thread([this, to, way] {
      for (;;) {
        std::unique_lock lock(way->mutex);
        way->changed.wait(lock, [&] { return !way->pieces.empty(); });
        const Piece piece = std::move(way->pieces.front());
        way->pieces.pop_front();
        lock.unlock();
        std::this_thread::sleep_until(piece.due);
        if (silent_)
          continue;
        if (piece.bytes.empty() ||
            send(to, piece.bytes.data(), piece.bytes.size(), MSG_NOSIGNAL) < 0)
          break;
      }
      shutdown(to, SHUT_RDWR);
    }).detach();
  }

  int to_;
  std::chrono::milliseconds delay_;
  int listening_ = -1;
  int port_ = 0;
  std::atomic<bool> silent_ = false;
};

#endif
