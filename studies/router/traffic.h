// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_TRAFFIC_H
#define ROUTER_TRAFFIC_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <vector>

#include "routes.h"

namespace router {

/// A random Internet host: a routable address outside of 10/8.
std::uint32_t random_host(std::mt19937_64 &random);
/// A host inside the prefix of a random route, though another route may match better.
std::uint32_t random_host(std::mt19937_64 &random, const std::vector<RouteLine> &routes);

/// The destinations of packets: a share of them to a few popular hosts, the others to any host.
class Traffic {
public:
  /// `share` is that of packets to `popular`.
  Traffic(std::vector<std::uint32_t> popular, double share, std::uint64_t seed);
  /// Generates `count` popular hosts from the seed.
  Traffic(std::size_t count, double share, std::uint64_t seed);

  std::uint32_t next();
  [[nodiscard]] const std::vector<std::uint32_t> &popular() const { return popular_; }

private:
  std::mt19937_64 random_;
  std::vector<std::uint32_t> popular_;
  double share_;
};

/// Reads one address per line; skips everything after a #. Throws BadRoutes, naming the line.
std::vector<std::uint32_t> read_addresses(const std::filesystem::path &path);

} // namespace router

#endif
