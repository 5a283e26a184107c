// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_XDP_SERVICE_H
#define SARTOR_STUDY_NF_XDP_SERVICE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sartor/bpf/runtime.hpp>

#include "xdp_functions.h"

namespace nf {

/// A function in the kernel, between two interfaces. Its configuration is also applied to this
/// process's native code. Throws sartor::Error if the kernel refuses, and BadConfiguration, with
/// nothing changed.
class XdpService {
public:
  /// `object`: the function's own object, or one derived from it.
  XdpService(const XdpFunction &function, std::string_view object, const toml::table &file);

  /// Each packet in flight uses either the old configuration or the new one.
  void configure(const toml::table &file);
  /// Makes the configuration part of the code; after a change, generic code runs until the next
  /// call.
  void specialize();
  /// Attaches until detach() or destruction.
  void attach(const std::string &external, const std::string &internal);
  void detach();

  /// Removes entries expired at a time of CLOCK_MONOTONIC in ns; returns their number. An entry
  /// that another packet refreshes meanwhile may be removed, too.
  std::size_t sweep(std::uint64_t now);
  /// The counters of the function's outcomes.
  [[nodiscard]] std::vector<std::uint64_t> counts() const;

  /// The name of the handler for a side.
  [[nodiscard]] std::string handler(NfSide side) const;
  [[nodiscard]] sartor::BpfRuntime &runtime() { return runtime_; }

private:
  void write();

  const XdpFunction &function_;
  sartor::BpfRuntime runtime_;
  std::uint32_t half_ = 0;
  bool is_invariant_ = false;
};

} // namespace nf

#endif
