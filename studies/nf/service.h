// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_SERVICE_H
#define SARTOR_STUDY_NF_SERVICE_H

#include <chrono>
#include <cstdint>
#include <filesystem>

#include <sartor/sartor.hpp>

#include "functions.h"

namespace nf {

/// Options for runtimes of functions. Only fully optimized variants are used, which arrive a little
/// later: quickly compiled ones are as slow as native code here.
sartor::Options runtime_options(const std::filesystem::path &event_log = {});

/// A function specialized by Sartor: its handler, and the quasi-invariant that its configuration
/// does not change. Belongs to the thread that polls.
class Service {
public:
  /// Starts a function with a configuration file, empty state and room for `flows` flows. All
  /// arguments must outlive it. Throws BadConfiguration.
  Service(sartor::Runtime &runtime, const Function &function, const toml::table &file,
          std::uint32_t flows);

  /// Calls the active variant.
  std::uint32_t poll(NfIo *io, NfSide side) const { return handler_(io, side); }
  /// Applies another configuration file, between two batches: code that depends on the old
  /// configuration is deactivated first; variants for the new one follow automatically. Throws
  /// BadConfiguration; the active configuration then stays.
  void configure(const toml::table &file);
  /// Waits until variants may depend on the configuration, at most for the given time.
  void wait_until_invariant(std::chrono::milliseconds at_most) const;

private:
  const Function &function_;
  sartor::Handler<std::uint32_t(NfIo *, NfSide)> handler_;
  sartor::QuasiInvariant fixed_;
};

} // namespace nf

#endif
