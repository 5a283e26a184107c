// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_FIREWALL_TABLES_H
#define SARTOR_STUDY_XDP_FIREWALL_TABLES_H

#include <istream>
#include <string>
#include <vector>

#include "firewall.h"
#include "kernel_map.h"
#include "variables.h"

namespace xdp {

/// Parses `allow outside 198.51.100.0/24 192.0.2.0/24 tcp 80 443`: side of the source, source,
/// destination, protocol, ports (one port, a first and a last one, or none for all).
Rule read_rule(std::istringstream &words);
/// Parses one rule per line. Throws std::runtime_error, naming the line.
std::vector<Rule> read_rules(std::istream &in, const std::string &name);

/// Writes the tables of firewall.bpf.c. Handlers may read them meanwhile.
class FirewallTables {
public:
  explicit FirewallTables(const MapSource &maps);

  /// Also resets the rules' counters. Connections are kept.
  void load(const std::vector<Rule> &rules);
  /// Inserts before the rule at that position. Throws std::runtime_error if there is no room, or no
  /// such position. Counters keep their positions.
  void insert(std::uint32_t place, const Rule &rule);
  void remove(std::uint32_t place);
  [[nodiscard]] std::vector<Rule> rules() const;
  /// The counters of the rule at a position; at `max_rules`, those of packets without a rule.
  [[nodiscard]] RuleCount count(std::uint32_t place) const;

  [[nodiscard]] Patience &patience() const { return data_.get<Patience>("patience"); }
  [[nodiscard]] const KernelMap &connections() const { return connections_; }

private:
  void write(const std::vector<Rule> &rules);

  Variables variables_;
  Variables data_;
  KernelMap rules_;
  KernelMap counts_;
  KernelMap connections_;
};

} // namespace xdp

#endif
