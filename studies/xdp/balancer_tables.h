// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_BALANCER_TABLES_H
#define SARTOR_STUDY_XDP_BALANCER_TABLES_H

#include <istream>
#include <map>
#include <string>
#include <vector>

#include "balancer.h"
#include "kernel_map.h"
#include "variables.h"

namespace xdp {

struct ServicePlan {
  ServiceKey key{};
  bool forgets = false;
  std::vector<std::uint32_t> back_ends;
};

struct BalancerPlan {
  std::uint32_t source = 0;
  std::uint32_t mtu = 1500;
  std::uint8_t gateway[6] = {};
  std::map<std::uint32_t, std::uint32_t> back_ends; ///< Addresses by index, from 1.
  std::vector<ServicePlan> services;
};

/// Parses lines `source 10.0.0.1`, `gateway MAC`, `mtu 1500`, `back_end 1 10.0.0.2`, `service
/// 192.0.2.1 tcp 80 1 2` or, with `forgets` before the back ends, without a table of flows. Throws
/// std::runtime_error, naming the line.
BalancerPlan read_balancer_plan(std::istream &in, const std::string &name);

/// Assigns each entry of a ring to one of `back_ends`, about equally many to each, with few changes
/// when back ends come and go: D. Eisenbud et al., "Maglev: A Fast and Reliable Software Network
/// Load Balancer" (NSDI 2016), section 3.4. All entries are 0 if there are no back ends.
std::vector<std::uint32_t> fill_ring(const std::vector<std::uint32_t> &back_ends,
                                     std::uint32_t size = ring_size);

/// Writes the tables of balancer.bpf.c. Handlers may read them meanwhile.
class BalancerTables {
public:
  explicit BalancerTables(const MapSource &maps);

  /// Replaces all tables but the flows.
  void load(const BalancerPlan &plan);
  /// Adds a back end to all rings. Throws std::runtime_error if the index is in use.
  void add(std::uint32_t back_end, std::uint32_t address);
  /// Removes it from all rings. Its flows continue unless `is_gone`. Throws std::runtime_error if
  /// it does not exist.
  void remove(std::uint32_t back_end, bool is_gone);
  /// The back ends in the ring of a service.
  [[nodiscard]] std::vector<std::uint32_t> back_ends(std::uint32_t service) const;
  [[nodiscard]] ServiceCount count(std::uint32_t service) const;

  [[nodiscard]] Encapsulation &encapsulation() const {
    return data_.get<Encapsulation>("encapsulation");
  }
  [[nodiscard]] const KernelMap &flows() const { return flows_; }

private:
  void write_ring(std::uint32_t service, const std::vector<std::uint32_t> &back_ends);
  [[nodiscard]] std::vector<std::uint32_t> service_numbers() const;

  Variables variables_;
  Variables data_;
  KernelMap services_;
  KernelMap rings_;
  KernelMap back_ends_;
  KernelMap flows_;
  KernelMap counts_;
};

} // namespace xdp

#endif
