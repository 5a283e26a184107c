// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_STAND_H
#define SARTOR_STUDY_XDP_STAND_H

#include <cstddef>
#include <cstdint>

#include <sartor/bpf/runtime.hpp>

#include "harness.h"
#include "scenario.h"
#include "test_run.h"

namespace xdp {

/// A handler with its tables and traffic, timed with the kernel's test runs.
class Stand {
public:
  /// Throws std::runtime_error and the errors of BpfRuntime.
  Stand(Scenario scenario, const Mix &mix);

  [[nodiscard]] sartor::BpfRuntime &runtime() { return runtime_; }
  [[nodiscard]] int generic() const { return runtime_.generic_program(scenario_.handler); }
  [[nodiscard]] int active() const { return runtime_.program(scenario_.handler); }

  /// Fills the tables, replacing any content.
  void load_tables();
  /// Discards earlier samples.
  void change_traffic(const Mix &mix);
  /// Profiles the inputs of the fast path, one packet in `every`.
  void profile(unsigned every);

  /// Nanoseconds per packet, including the cost of passing it to a handler. Measured with the
  /// program's own clock, since the kernel's has no fractions.
  double time(int program, std::uint32_t packets);

  /// Nanoseconds per packet without that cost. Empty if they are too short to measure.
  struct Times {
    sartor::bench::Samples generic;
    sartor::bench::Samples active;
  };
  /// Measures generic and active code, interleaved.
  Times compare(std::size_t rounds, std::uint32_t packets);

private:
  Scenario scenario_;
  sartor::BpfRuntime runtime_;
  Sequence sequence_;
};

} // namespace xdp

#endif
