// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ECHO_LOAD_H
#define ECHO_LOAD_H

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <sartor/histogram.hpp>

#include "cable.h"
#include "conversation.h"
#include "echo.h"
#include "peer.h"

namespace sartor::echo {

/// Many clients whose requests come at random (a Poisson process), whether those before have been
/// answered or not: an open loop. A latency is from when a request was meant to be sent until its
/// answer has left the server.
///
/// Time is the server core's own. It goes by while the server polls, by the clock; clients, who
/// would have cores and a network of their own, take none of it; and where there is nothing to do
/// it jumps to the next request. It has that core for itself: a poll that takes longer than there
/// can be work for has been interrupted by what else is on this machine. It is taken to have lasted
/// as long as others do, and nothing is counted until the caches are as they were.
class Load {
public:
  static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

  using Poll = std::function<std::uint32_t(EchoServer *)>;
  /// The server listens at the other end of `cable`. Connects. Throws std::runtime_error if that
  /// cannot be.
  Load(EchoServer *server, Poll poll, Cable &cable, std::size_t connections);

  /// Requests in a second from now on. What comes while `limit` of them are not answered yet is
  /// turned away, and counted: so there may be more than can be done.
  void offer(double rate, std::size_t limit = no_limit);
  /// One poll, with what comes until it begins. Throws std::runtime_error where an answer is none.
  void step();
  /// So many answers.
  void run(std::uint64_t answers);
  /// Nothing new comes, until all has been answered.
  void settle();

  /// Of all requests since the start, as far as they count.
  [[nodiscard]] const Histogram &latency() const { return latency_; }
  [[nodiscard]] std::uint64_t answered() const { return answered_.load(std::memory_order_relaxed); }
  /// Requests that were turned away.
  [[nodiscard]] std::uint64_t turned_away() const { return turned_away_; }
  /// Polls that were interrupted.
  [[nodiscard]] std::uint64_t interrupted() const { return interrupted_; }
  /// The server's, as far as it counts.
  [[nodiscard]] std::chrono::nanoseconds time() const {
    return std::chrono::nanoseconds(time_.load(std::memory_order_relaxed));
  }

private:
  void arrive();
  void send_what_may(std::size_t client);
  void take(std::size_t client, std::span<const std::uint8_t> data);
  void poll();
  void go_on(std::int64_t nanoseconds);

  EchoServer *server_;
  Poll poll_;
  Peer peer_;
  std::vector<Conversation> clients_;
  std::mt19937_64 random_{7};
  double gap_ = 10'000; ///< Between two requests on average, in nanoseconds.
  std::size_t limit_ = no_limit;
  std::int64_t now_ = 0;          ///< Nanoseconds.
  std::int64_t recovered_at_ = 0; ///< From an interruption.
  double next_ = 0;               ///< When the next request is meant to be sent.
  std::size_t waiting_ = 0;
  std::vector<std::uint32_t> held_back_; ///< Clients, as the cable was full.
  std::uint64_t turned_away_ = 0;
  std::uint64_t interrupted_ = 0;
  double usual_ = 0; ///< What polls take, in nanoseconds.
  Histogram latency_;
  std::atomic<std::uint64_t> answered_ = 0;
  std::atomic<std::int64_t> time_ = 0; ///< Nanoseconds that count.
};

} // namespace sartor::echo

#endif
