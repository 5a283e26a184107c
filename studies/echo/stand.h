// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ECHO_STAND_H
#define ECHO_STAND_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <sartor/sartor.hpp>

#include "batches.h"
#include "load.h"
#include "percentile.h"

namespace sartor::echo {

/// What a stretch of requests came to.
struct Stretch {
  double rate; ///< Answers per second of the server's time.
  Counts latencies;
};

/// The server with a thousand connections over a cable, and Sartor in it.
class Stand {
public:
  static constexpr std::size_t connections = 1000;
  /// More than any setting can do, of which 256 are under way at a time.
  static constexpr double too_much = 20e6;
  static constexpr std::size_t under_way = 256;

  /// How much more than that of the generic code the 99th percentile may be.
  static constexpr double allowance = 1.6;

  explicit Stand(const Options &options = {});
  ~Stand();
  Stand(const Stand &) = delete;
  Stand &operator=(const Stand &) = delete;

  [[nodiscard]] Runtime &runtime() { return runtime_; }
  [[nodiscard]] Load &load() { return *load_; }
  /// Returns when they are in force.
  void put_in_force(const Batches &batches);
  /// So many answers to an open loop, or to more than can be done; those of the first tenth do not
  /// count. Not while it works in the background.
  Stretch stretch(double rate, std::size_t limit, std::uint64_t answers);

  /// Answers on a thread of its own until told to stop.
  void work();
  void stop();

  /// Requests that are answered in a second of the server's time, while their 99th percentile is
  /// not above `bound`, in seconds.
  [[nodiscard]] Objective throughput_within(double bound) const;
  [[nodiscard]] static ExplorerOptions exploring();

private:
  Runtime runtime_;
  Handler<std::uint32_t(EchoServer *)> poll_;
  Cable cable_;
  std::unique_ptr<EchoServer, void (*)(EchoServer *)> server_;
  std::optional<Load> load_;
  std::jthread thread_;
};

} // namespace sartor::echo

#endif
