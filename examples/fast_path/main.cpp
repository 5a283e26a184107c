// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <chrono>
#include <iostream>

#include <sartor/sartor.hpp>

static Table table = {2, {{0x0a000000, 0xff000000, 1}, {0, 0, 2}}, 0};

int main() {
  sartor::Runtime runtime;
  auto route = runtime.handler<&forward>();

  // Record the inputs of the look-up: one call in 10 on average, for 100 ms.
  runtime.instrument({{"lookup", 10}});
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  for (std::uint32_t i = 0; std::chrono::steady_clock::now() < end; ++i)
    route(&table, i % 8 == 0 ? 0x0b000000 + i : 0x0a000001); // one destination is popular
  runtime.instrument({});
  const sartor::ProfileEntry popular = runtime.profile().find("lookup")->entries.front();
  std::cout << "popular: " << popular.inputs[1].text() << '\n';

  // Answer the four most frequent inputs without the call.
  for (const auto &variant : runtime.specialize({{"lookup", 4}}))
    std::cout << "active: " << variant.name << '\n';
  std::cout << "remembered: " << route(&table, 0x0a000001) << '\n';

  // From the first increment on, no remembered result is used.
  ++table.version;
  table.routes[0].port = 7;
  ++table.version;
  std::cout << "updated: " << route(&table, 0x0a000001) << '\n';
}
