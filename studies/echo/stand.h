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

/// The results of a run of requests.
struct Stretch {
  double rate; ///< Answers per second of the server's time.
  Counts latencies;
};

/// The server with a thousand connections over a cable, specialized by Sartor.
class Stand {
public:
  static constexpr std::size_t connections = 1000;
  /// A rate above the capacity of any setting; 256 requests are in flight at a time.
  static constexpr double too_much = 20e6;
  static constexpr std::size_t under_way = 256;

  /// The allowed 99th percentile relative to that of the generic code.
  static constexpr double allowance = 1.6;

  explicit Stand(const Options &options = {});
  ~Stand();
  Stand(const Stand &) = delete;
  Stand &operator=(const Stand &) = delete;

  [[nodiscard]] Runtime &runtime() { return runtime_; }
  [[nodiscard]] Load &load() { return *load_; }
  /// Returns when the batches are active.
  void activate(const Batches &batches);
  /// Measures so many answers at the given rate, which may exceed the capacity; the first tenth is
  /// discarded. Not allowed while work() runs.
  Stretch stretch(double rate, std::size_t limit, std::uint64_t answers);

  /// Answers requests on a thread of its own until it is stopped.
  void work();
  void stop();

  /// Answered requests per second of the server's time, subject to a 99th percentile of at most
  /// `bound` seconds.
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
