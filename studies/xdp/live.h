// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_LIVE_H
#define SARTOR_STUDY_XDP_LIVE_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sartor/bpf/runtime.hpp>

#include "scenario.h"

namespace xdp {

/// Counters of packets that were sent through a handler.
struct Delivered {
  std::uint64_t sent = 0;
  std::uint64_t right = 0;
  std::uint64_t wrong = 0; ///< Packets that differ from the output of generic code.
  [[nodiscard]] std::uint64_t lost() const { return sent - right - wrong; }
};

/// The forwarder between two pairs of interfaces, in a network namespace that this thread enters
/// permanently, with packets sent at the maximum rate.
class LiveLine {
public:
  /// Uses one route and one packet, and compares each output frame. Throws std::runtime_error and
  /// the errors of BpfRuntime.
  LiveLine();
  /// Uses a thousand routes, and packets of the scenario "forward".
  explicit LiveLine(const Mix &mix);
  ~LiveLine();
  LiveLine(const LiveLine &) = delete;
  LiveLine &operator=(const LiveLine &) = delete;

  [[nodiscard]] sartor::BpfRuntime &runtime() { return *runtime_; }
  /// Sends on a thread of its own until `work` returns.
  Delivered send_during(const std::function<void()> &work);
  /// Sends so many packets and waits until they have arrived.
  double packets_per_second(std::uint32_t packets);

private:
  struct Ends;

  /// The only expected frames are `frames`.
  LiveLine(std::size_t routes, const std::vector<std::string> &frames);
  void send(std::uint32_t packets);

  std::unique_ptr<sartor::BpfRuntime> runtime_;
  std::unique_ptr<Ends> ends_;
};

} // namespace xdp

#endif
