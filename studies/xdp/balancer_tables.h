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
  std::map<std::uint32_t, std::uint32_t> back_ends; ///< Addresses, from 1 on.
  std::vector<ServicePlan> services;
};

/// Lines `source 10.0.0.1`, `gateway MAC`, `mtu 1500`, `back_end 1 10.0.0.2`,
/// `service 192.0.2.1 tcp 80 1 2` or, with `forgets` in front of the back ends, without a memory
/// for flows. Throws std::runtime_error, naming the line.
BalancerPlan read_balancer_plan(std::istream &in, const std::string &name);

/// Gives each place of a ring to one of `back_ends`, about as many to each, and to the same ones as
/// far as possible when back ends come and go: D. Eisenbud et al., "Maglev: A Fast and Reliable
/// Software Network Load Balancer" (NSDI 2016), section 3.4. 0 everywhere where there is none.
std::vector<std::uint32_t> fill_ring(const std::vector<std::uint32_t> &back_ends,
                                     std::uint32_t size = ring_size);

/// What balancer.bpf.c balances by. Handlers go on reading while it is written.
class BalancerTables {
public:
  explicit BalancerTables(const MapSource &maps);

  /// Flows stay.
  void load(const BalancerPlan &plan);
  /// Puts a back end into all rings. Throws std::runtime_error where that number is taken.
  void add(std::uint32_t back_end, std::uint32_t address);
  /// Takes it out of all rings. Flows that it has go on unless `is_gone`. Throws std::runtime_error
  /// where there is none.
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
