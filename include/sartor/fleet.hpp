// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_FLEET_HPP
#define SARTOR_FLEET_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <sartor/runtime.hpp>
#include <sartor/search_space.hpp>
#include <sartor/strategy.hpp>

namespace sartor {

/// Options of a replica in a study that it shares with others.
struct FleetOptions {
  std::filesystem::path socket; ///< The sidecar's socket (`sartor-sidecar`).
  /// Name of the study. Replicas with other handler modules, or on another kind of CPU, have
  /// another study of the same name.
  std::string study;
  std::string replica = {};      ///< For people. Empty: host name and process number.
  std::string sampler = "tpe";   ///< Optuna's sampler: "tpe", "cmaes", "random".
  std::size_t most_trials = 100; ///< Total of all replicas.
  std::uint64_t seed = 1;        ///< Seed of the study; each replica derives its own from it.
  /// Time for which ask() waits for the sidecar before it continues alone, and at the end for
  /// trials that other replicas have begun.
  std::chrono::milliseconds patience{2000};
  /// Interval between attempts to reach a lost sidecar or store.
  std::chrono::milliseconds retry{3000};
  /// Creates the strategy that proposes while the sidecar or its store is lost. It receives all
  /// trials of this replica. Empty: local_search().
  std::function<std::unique_ptr<Strategy>(const SearchSpace &)> alone = {};
};

/// A strategy that shares its trials with other replicas of the program through Optuna. best() is
/// the best of all replicas; a replica that joins a finished study tries that configuration once
/// and takes it. Replicas are compared by the gain of each configuration over the one that was
/// active when the replica began (Trial::reference), so that differences in traffic cancel;
/// replicas that begin with another active configuration have another study. Let replicas of one
/// study do work of the same kind on machines of the same kind.
///
/// Never fails because of the sidecar or its store. When they are lost (event `fleet_lost`) the
/// replica continues alone; when they are back (event `fleet_joined`) it reports the trials that it
/// made meanwhile. `runtime` must outlive the strategy.
std::unique_ptr<Strategy> fleet_search(const Runtime &runtime, const SearchSpace &space,
                                       FleetOptions options);

} // namespace sartor

#endif
