// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_LIVE_H
#define SARTOR_STUDY_XDP_LIVE_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sartor/bpf_runtime.hpp>

#include "scenario.h"

namespace xdp {

/// What has become of packets that were sent to a handler.
struct Delivered {
  std::uint64_t sent = 0;
  std::uint64_t right = 0;
  std::uint64_t wrong = 0; ///< They came out otherwise than generic code lets them.
  [[nodiscard]] std::uint64_t lost() const { return sent - right - wrong; }
};

/// The forwarder between two pairs of interfaces, in a network namespace that this thread enters
/// for good, with packets that are sent as fast as they are taken.
class LiveLine {
public:
  /// With one route, one packet, and a look at how each comes out. Throws std::runtime_error, and
  /// what BpfRuntime throws.
  LiveLine();
  /// With a thousand routes, and packets of the scenario "forward".
  explicit LiveLine(const Mix &mix);
  ~LiveLine();
  LiveLine(const LiveLine &) = delete;
  LiveLine &operator=(const LiveLine &) = delete;

  [[nodiscard]] sartor::BpfRuntime &runtime() { return *runtime_; }
  /// Sends on a thread of its own until `work` is done.
  Delivered send_during(const std::function<void()> &work);
  /// Sends so many, and waits until they have arrived.
  double packets_per_second(std::uint32_t packets);

private:
  struct Ends;

  /// All that is there is one of `frames`.
  LiveLine(std::size_t routes, const std::vector<std::string> &frames);
  void send(std::uint32_t packets);

  std::unique_ptr<sartor::BpfRuntime> runtime_;
  std::unique_ptr<Ends> ends_;
};

} // namespace xdp

#endif
