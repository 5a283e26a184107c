// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <iostream>
#include <vector>

#include <sartor/sartor.hpp>

/// The rules of a connection, and where they are; not its count of packets, which changes.
static sartor::Invariant promise_rules(sartor::Runtime &runtime, const Connection &connection) {
  sartor::Invariant promise =
      runtime.invariant(connection, &Connection::rules, &Connection::rule_count);
  promise.add(connection.rules, connection.rule_count * sizeof(Rule));
  return promise;
}

int main() {
  std::vector<Rule> rules = {{0x0a000000, 0xff000000, 1}, {0xc0a80000, 0xffff0000, 2}};
  Connection connection{0, rules.data(), static_cast<std::uint32_t>(rules.size())};

  sartor::Runtime runtime;
  sartor::Invariant promise = promise_rules(runtime, connection);
  auto verdict = runtime.bind<&filter>(&connection, sartor::_);
  verdict.wait();
  // Two comparisons with constants: no loop, no rule is loaded.
  std::cout << "folded: " << verdict(0x0a010203) << ' ' << verdict(0xc0a80001) << '\n';

  promise.invalidate(); // when it returns, no thread is in code that knows the old rules
  rules[1].verdict = 3;
  std::cout << "changed: " << verdict(0x0a010203) << ' ' << verdict(0xc0a80001) << '\n';

  promise = promise_rules(runtime, connection);
  verdict = runtime.bind<&filter>(&connection, sartor::_);
  verdict.wait();
  std::cout << "folded again: " << verdict(0x0a010203) << ' ' << verdict(0xc0a80001) << '\n';
  std::cout << connection.packets << " packets, " << runtime.statistics().replugs
            << " variant taken out of force\n";
}
