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

/// `allow outside 198.51.100.0/24 192.0.2.0/24 tcp 80 443`: what comes from the outside, whence,
/// where to, by which protocol, to which ports (one, two that are first and last, or none: all).
Rule read_rule(std::istringstream &words);
/// One in each line. Throws std::runtime_error, naming the line.
std::vector<Rule> read_rules(std::istream &in, const std::string &name);

/// What firewall.bpf.c filters by. Handlers go on reading while it is written.
class FirewallTables {
public:
  explicit FirewallTables(const MapSource &maps);

  /// Forgets what has been counted for rules, too. Connections stay.
  void load(const std::vector<Rule> &rules);
  /// Before the rule that is at that place. Throws std::runtime_error where there is no room, or no
  /// such place. Counts stay with their places.
  void insert(std::uint32_t place, const Rule &rule);
  void remove(std::uint32_t place);
  [[nodiscard]] std::vector<Rule> rules() const;
  /// Of the rule at a place; at `max_rules`, of what no rule is for.
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
