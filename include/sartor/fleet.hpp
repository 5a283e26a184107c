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

/// How a replica takes part in a study that it shares with others.
struct FleetOptions {
  std::filesystem::path socket; ///< Where the sidecar listens (`sartor-sidecar`).
  /// Name of the study. Replicas with other handler modules, or on another kind of CPU, have
  /// another study of the same name.
  std::string study;
  std::string replica = {};      ///< For people. Empty: the host's name and the process's number.
  std::string sampler = "tpe";   ///< Optuna's: "tpe", "cmaes", "random".
  std::size_t most_trials = 100; ///< Of all replicas together.
  std::uint64_t seed = 1;        ///< Of the study; each replica makes its own of it.
  /// How long ask() waits for the sidecar before it goes on alone, and in the end for trials that
  /// other replicas have begun.
  std::chrono::milliseconds patience{2000};
  /// How often a lost sidecar or store is tried again.
  std::chrono::milliseconds retry{3000};
  /// Proposes while the sidecar or its store is lost. It is told of all trials of this replica.
  /// Empty: local_search().
  std::function<std::unique_ptr<Strategy>(const SearchSpace &)> alone = {};
};

/// A strategy that shares its trials with other replicas of the program through Optuna. best() is
/// the best of all of them; a replica that comes to a study that is over tries that once more and
/// takes it. What is compared over all replicas is by how much each configuration is better than
/// what was in force when the replica began (Trial::reference), so that their traffic takes no
/// part; those that begin with something else in force have another study. Let replicas of one
/// study do work of the same kind on machines of the same kind.
///
/// Never fails because of the sidecar or its store. When they are lost (event `fleet_lost`) the
/// replica goes on alone; when they are back (event `fleet_joined`) what it has found meanwhile is
/// told. `runtime` must outlive the strategy.
std::unique_ptr<Strategy> fleet_search(const Runtime &runtime, const SearchSpace &space,
                                       FleetOptions options);

} // namespace sartor

#endif
