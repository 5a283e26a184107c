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

/// A configuration file says something that cannot be: names the key and what to write.
struct BadConfiguration : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A network function as programs run it. There is one of each in a process, whose state belongs to
/// the thread that polls.
struct Function {
  std::string_view name; ///< Also what its labels begin with.
  std::uint32_t (*poll)(NfIo *io, NfSide side);
  /// Takes the function's table of a configuration file (read by settings.h); what is known of the
  /// past stays as far as it still holds. Nothing is changed where it throws BadConfiguration.
  void (*configure)(const toml::table &table);
  /// Forgets what is known of the past, and makes tables for `flows` flows.
  void (*forget)(std::uint32_t flows);
  /// Takes away some of what is over at a time in ns; a bounded amount of work.
  void (*sweep)(std::uint64_t now);
  /// What is promised: written by configure() only.
  std::span<const std::byte> (*configuration)();
  std::span<const char *const> outcomes; ///< The names of what is counted.
  const std::uint64_t *counts;           ///< As many.
  /// What is sent to it for figures: the frame of a flow that comes in by a side. Flows are
  /// numbered from 0 on; what comes by the external side of NAT or of the firewall answers the flow
  /// of the same number, if that has been begun from inside; so does what comes by the internal
  /// side of the balancer.
  Frame (*frame)(NfSide side, std::uint32_t flow);
  std::string_view example; ///< A configuration file, with the function's table, that fits frame().
};

/// The function of that name, or null.
const Function *function_named(std::string_view name);
std::span<const Function *const> all_functions();

} // namespace nf

#endif
