// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ECHO_STAND_H
#define ECHO_STAND_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sartor/sartor.hpp>

#include "load.h"

namespace sartor::echo {

/// What is tried of each of the three batches: TAS's own number, which is what the generic code
/// has, and three others.
inline constexpr std::array<std::uint32_t, 4> batches_tried{1, 4, 16, 64};

struct Batches {
  std::uint32_t rx, queues, qman;
  bool operator==(const Batches &) const = default;
  [[nodiscard]] bool is_single() const { return rx == queues && queues == qman; }
  [[nodiscard]] Configuration configuration() const;
  [[nodiscard]] std::string text() const;
};
/// All 64.
std::vector<Batches> all_batches();
/// What a configuration comes to.
Batches batches_of(const Configuration &configuration);

/// What a stretch of requests came to.
struct Stretch {
  double rate = 0;   ///< Answers per second of the server's time.
  double median = 0; ///< Latencies, in seconds.
  double p99 = 0;
  double p999 = 0;
};

/// The server with a thousand connections over a cable, and Sartor in it.
class Stand {
public:
  static constexpr std::size_t connections = 1000;
  /// More than any setting can do, of which 256 are under way at a time.
  static constexpr double too_much = 20e6;
  static constexpr std::size_t under_way = 256;

  explicit Stand(const Options &options = {});
  ~Stand();
  Stand(const Stand &) = delete;
  Stand &operator=(const Stand &) = delete;

  [[nodiscard]] Runtime &runtime() { return runtime_; }
  [[nodiscard]] Load &load() { return *load_; }
  /// Puts a setting in force, with variants that need no guard.
  void put_in_force(const Batches &setting);
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
  Handler<std::uint32_t(echo_server *)> poll_;
  Cable cable_;
  std::unique_ptr<echo_server, void (*)(echo_server *)> server_;
  std::optional<Load> load_;
  std::jthread thread_;
};

/// What `share` of the requests that came between two readings of a histogram did not exceed, in
/// seconds; 0 if there were none.
double percentile(const std::vector<std::uint64_t> &before, const std::vector<std::uint64_t> &after,
                  double share);

} // namespace sartor::echo

#endif
