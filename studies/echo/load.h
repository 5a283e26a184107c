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

/// Many clients whose requests come at random (a Poisson process), whether earlier ones have been
/// answered or not: an open loop. A latency is the time from when a request was scheduled until its
/// answer has left the server.
///
/// Time is that of the server's core. It advances by the clock while the server polls. Clients,
/// which would have cores and a network of their own, take none of it. When the server is idle, it
/// jumps to the next request. The server is modelled as the only user of its core: a poll that
/// takes longer than its work can take was interrupted by other load on this machine. Such a poll
/// counts as one of usual length, and nothing is measured until the caches have recovered.
class Load {
public:
  static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

  using Poll = std::function<std::uint32_t(EchoServer *)>;
  /// Connects to the server at the other end of `cable`. Throws std::runtime_error if that fails.
  Load(EchoServer *server, Poll poll, Cable &cable, std::size_t connections);

  /// Sets the rate of requests per second. Requests that arrive while `limit` of them are
  /// unanswered are rejected and counted, so the rate may exceed the server's capacity.
  void offer(double rate, std::size_t limit = no_limit);
  /// Runs one poll with the requests that arrive before it. Throws std::runtime_error if an answer
  /// is malformed.
  void step();
  /// Runs until so many answers have been received.
  void run(std::uint64_t answers);
  /// Offers no new requests and runs until all have been answered.
  void settle();

  /// The latencies of all measured requests since the start.
  [[nodiscard]] const Histogram &latency() const { return latency_; }
  [[nodiscard]] std::uint64_t answered() const { return answered_.load(std::memory_order_relaxed); }
  /// Number of requests rejected because of the limit.
  [[nodiscard]] std::uint64_t turned_away() const { return turned_away_; }
  /// Number of polls that were interrupted.
  [[nodiscard]] std::uint64_t interrupted() const { return interrupted_; }
  /// The measured time of the server.
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
  double gap_ = 10'000; ///< Average time between two requests, in nanoseconds.
  std::size_t limit_ = no_limit;
  std::int64_t now_ = 0;          ///< In nanoseconds.
  std::int64_t recovered_at_ = 0; ///< When the measurement resumes after an interruption.
  double next_ = 0;               ///< When the next request is scheduled.
  std::size_t waiting_ = 0;
  std::vector<std::uint32_t> held_back_; ///< Clients waiting for room on the cable.
  std::uint64_t turned_away_ = 0;
  std::uint64_t interrupted_ = 0;
  double usual_ = 0; ///< Usual length of a poll, in nanoseconds.
  Histogram latency_;
  std::atomic<std::uint64_t> answered_ = 0;
  std::atomic<std::int64_t> time_ = 0; ///< Measured nanoseconds.
};

} // namespace sartor::echo

#endif
