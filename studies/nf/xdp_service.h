// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_XDP_SERVICE_H
#define SARTOR_STUDY_NF_XDP_SERVICE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sartor/bpf_runtime.hpp>

#include "xdp_functions.h"

namespace nf {

/// A function in the kernel, between two interfaces. What is configured here is configured in this
/// process's native code too. Throws sartor::Error where the kernel does not let it, and
/// BadConfiguration, with nothing changed.
class XdpService {
public:
  /// `object`: the function's own, or one that is made of it.
  XdpService(const XdpFunction &function, std::string_view object, const toml::table &file);

  /// Packets that are on their way meet all of the old configuration or all of the new one.
  void configure(const toml::table &file);
  /// From now on the configuration is part of the code; after a change, generic code runs until
  /// this is called again.
  void specialize();
  /// Until detach(), or as long as this is.
  void attach(const std::string &external, const std::string &internal);
  void detach();

  /// Takes away what is over at a time of CLOCK_MONOTONIC, in ns; how many entries. What another
  /// packet belongs to meanwhile may go too.
  std::size_t sweep(std::uint64_t now);
  /// By the function's outcomes.
  [[nodiscard]] std::vector<std::uint64_t> counts() const;

  /// The handler's name.
  [[nodiscard]] std::string handler(NfSide side) const;
  [[nodiscard]] sartor::BpfRuntime &runtime() { return runtime_; }

private:
  void write();

  const XdpFunction &function_;
  sartor::BpfRuntime runtime_;
  std::uint32_t half_ = 0;
  bool is_promised_ = false;
};

} // namespace nf

#endif
