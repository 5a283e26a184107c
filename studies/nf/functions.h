// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_FUNCTIONS_H
#define SARTOR_STUDY_NF_FUNCTIONS_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>

#include <toml++/toml.h>

#include "frames.h"
#include "io.h"

namespace nf {

/// An invalid configuration file: the message names the key and the allowed values.
struct BadConfiguration : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A network function's interface for programs. One instance of each exists per process; its state
/// belongs to the thread that polls.
struct Function {
  std::string_view name; ///< Also the prefix of its labels.
  std::uint32_t (*poll)(NfIo *io, NfSide side);
  /// Applies the function's table of a configuration file (read by settings.h); keeps the state
  /// that is still valid. Changes nothing if it throws BadConfiguration.
  void (*configure)(const toml::table &table);
  /// Clears the state and makes tables for `flows` flows.
  void (*forget)(std::uint32_t flows);
  /// Removes some of the entries expired at a time in ns; does a bounded amount of work.
  void (*sweep)(std::uint64_t now);
  /// The memory that is declared invariant: written only by configure().
  std::span<const std::byte> (*configuration)();
  std::span<const char *const> outcomes; ///< The names of the counters.
  const std::uint64_t *counts;           ///< The counters, one for each outcome.
  /// Builds test traffic: the frame of a flow that arrives at a side. Flows are numbered from 0.
  /// For NAT and the firewall, a frame at the external side answers the flow of the same number if
  /// that was started from inside; for the balancer, a frame at the internal side does.
  Frame (*frame)(NfSide side, std::uint32_t flow);
  std::string_view example; ///< A configuration file with the function's table that fits frame().
};

/// The function with that name, or null.
const Function *function_named(std::string_view name);
std::span<const Function *const> all_functions();

} // namespace nf

#endif
