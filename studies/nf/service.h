// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_SERVICE_H
#define SARTOR_STUDY_NF_SERVICE_H

#include <chrono>
#include <cstdint>
#include <filesystem>

#include <sartor/sartor.hpp>

#include "functions.h"

namespace nf {

/// How runtimes of functions work. Variants come a little later and all at once: what is made
/// quickly first is as slow as native code here.
sartor::Options runtime_options(const std::filesystem::path &event_log = {});

/// A function with Sartor in it: its handler, and the fact that its configuration does not change
/// for now. Belongs to the thread that polls.
class Service {
public:
  /// A service of the function's with a configuration file and room for `flows` flows; nothing is
  /// known of the past. All must outlive it. Throws BadConfiguration.
  Service(sartor::Runtime &runtime, const Function &function, const toml::table &file,
          std::uint32_t flows);

  /// Polls by the variant in force.
  std::uint32_t poll(NfIo *io, NfSide side) const { return handler_(io, side); }
  /// Takes another configuration file, between two batches: first no code is in force any more that
  /// knows the old one, and what is made of the new one follows by itself. Throws BadConfiguration,
  /// and what is in force stays.
  void configure(const toml::table &file);
  /// Waits until code may be made that knows the configuration; so long at most.
  void wait_until_promised(std::chrono::milliseconds at_most) const;

private:
  const Function &function_;
  sartor::Handler<std::uint32_t(NfIo *, NfSide)> handler_;
  sartor::QuasiInvariant fixed_;
};

} // namespace nf

#endif
