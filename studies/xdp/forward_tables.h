// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_FORWARD_TABLES_H
#define SARTOR_STUDY_XDP_FORWARD_TABLES_H

#include <istream>
#include <map>
#include <string>
#include <vector>

#include "forward.h"
#include "kernel_map.h"
#include "routes.h"
#include "variables.h"

namespace xdp {

struct ForwardPlan {
  std::map<router::Network, std::uint32_t> routes; ///< Hop index by network.
  std::map<std::uint32_t, Hop> hops;               ///< Indexed from 1.
};

/// Parses lines `hop 1 INTERFACE MTU TO_MAC FROM_MAC`, `route 10.0.0.0/8 1`, `route 192.0.2.1/32
/// local`. Throws std::runtime_error, naming the line.
ForwardPlan read_forward_plan(std::istream &in, const std::string &name);

/// Writes the tables of forward.bpf.c. Handlers may read them meanwhile.
class ForwardTables {
public:
  explicit ForwardTables(const MapSource &maps);

  void load(const ForwardPlan &plan);
  /// Replaces an existing route to the network. Throws std::runtime_error if the table is full.
  void add(const router::Network &network, std::uint32_t hop);
  /// Throws std::runtime_error if there is no such route.
  void remove(const router::Network &network);
  [[nodiscard]] std::map<router::Network, std::uint32_t> routes() const;

private:
  void write(const std::map<router::Network, std::uint32_t> &routes);

  Variables variables_;
  KernelMap list_;
  KernelMap trie_;
  KernelMap hops_;
};

} // namespace xdp

#endif
