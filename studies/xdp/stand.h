// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_STAND_H
#define SARTOR_STUDY_XDP_STAND_H

#include <cstddef>
#include <cstdint>

#include <sartor/bpf_runtime.hpp>

#include "harness.h"
#include "scenario.h"
#include "test_run.h"

namespace xdp {

/// A handler with its tables and its traffic, timed by the kernel's test runs.
class Stand {
public:
  /// Throws std::runtime_error, and what BpfRuntime throws.
  Stand(Scenario scenario, const Mix &mix);

  [[nodiscard]] sartor::BpfRuntime &runtime() { return runtime_; }
  [[nodiscard]] int generic() const { return runtime_.generic_program(scenario_.handler); }
  [[nodiscard]] int in_force() const { return runtime_.program(scenario_.handler); }

  /// Fills the tables, anew where they have been filled.
  void load_tables();
  /// What has been seen before is forgotten.
  void change_traffic(const Mix &mix);
  /// Sees the inputs of the fast path, of one packet in `every`.
  void profile(unsigned every);

  /// Nanoseconds for a packet, with what it takes to put one before a handler. By our own clock:
  /// the kernel's knows no fractions.
  double time(int program, std::uint32_t packets);

  /// Nanoseconds for a packet, without that.
  struct Times {
    sartor::bench::Samples generic;
    sartor::bench::Samples in_force;
  };
  /// Generic code and what is in force, in turns.
  Times compare(std::size_t rounds, std::uint32_t packets);

private:
  Scenario scenario_;
  sartor::BpfRuntime runtime_;
  Sequence sequence_;
};

} // namespace xdp

#endif
