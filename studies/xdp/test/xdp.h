// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_XDP_H
#define SARTOR_TEST_XDP_H

#include <string>
#include <string_view>
#include <vector>

#include <linux/bpf.h>

#include <sartor/bpf/object.h>

#include "kernel.h"
#include "kernel_map.h"
#include "outcome.h"
#include "packets.h"
#include "test_run.h"

SARTOR_BPF_OBJECT(forward)
SARTOR_BPF_OBJECT(firewall)
SARTOR_BPF_OBJECT(balancer)

namespace xdp::test {

using sartor::BpfRuntime;
using sartor::test::Kernel;

/// A frame and its expected treatment.
struct Expected {
  std::string name;
  std::string frame;
  std::uint32_t verdict;
  Outcome outcome;
};

/// A handler's object in the kernel.
class Handlers {
public:
  explicit Handlers(std::string_view object) : runtime_(BpfRuntime::open(object)) {}

  [[nodiscard]] MapSource maps() const {
    return [this](const std::string &name) { return runtime_.map(name); };
  }
  [[nodiscard]] KernelMap map(const std::string &name) const {
    return KernelMap(runtime_.map(name));
  }
  BpfRuntime &runtime() { return runtime_; }

  /// Runs the active program. The frame must count under one outcome, which becomes `outcome()`.
  Ran run(const std::string &handler, const std::string &frame);
  [[nodiscard]] Outcome outcome() const { return outcome_; }
  /// Runs the active program and compares verdict and outcome; if the verdict leaves the frame to
  /// others, it must be unchanged.
  void expect(const std::string &handler, const Expected &expected);

private:
  [[nodiscard]] std::vector<std::uint64_t> counts() const;

  BpfRuntime runtime_;
  Outcome outcome_ = outcome_count;
};

} // namespace xdp::test

#endif
