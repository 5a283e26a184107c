// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <iostream>
#include <vector>

#include <sartor/sartor.hpp>

/// Declares the rules of a connection and their address; not its count of packets, which changes.
static sartor::Invariant declare_rules(sartor::Runtime &runtime, const Connection &connection) {
  sartor::Invariant invariant =
      runtime.invariant(connection, &Connection::rules, &Connection::rule_count);
  invariant.add(connection.rules, connection.rule_count * sizeof(Rule));
  return invariant;
}

int main() {
  std::vector<Rule> rules = {{0x0a000000, 0xff000000, 1}, {0xc0a80000, 0xffff0000, 2}};
  Connection connection{0, rules.data(), static_cast<std::uint32_t>(rules.size())};

  sartor::Runtime runtime;
  sartor::Invariant invariant = declare_rules(runtime, connection);
  auto verdict = runtime.bind<&filter>(&connection, sartor::_);
  verdict.wait();
  // The variant compares with two constants. It has no loop and loads no rule.
  std::cout << "folded: " << verdict(0x0a010203) << ' ' << verdict(0xc0a80001) << '\n';

  invariant.invalidate(); // returns when no thread runs code with the old rules
  rules[1].verdict = 3;
  std::cout << "changed: " << verdict(0x0a010203) << ' ' << verdict(0xc0a80001) << '\n';

  invariant = declare_rules(runtime, connection);
  verdict = runtime.bind<&filter>(&connection, sartor::_);
  verdict.wait();
  std::cout << "folded again: " << verdict(0x0a010203) << ' ' << verdict(0xc0a80001) << '\n';
  std::cout << connection.packets << " packets, " << runtime.statistics().replugs
            << " variant deactivated\n";
}
