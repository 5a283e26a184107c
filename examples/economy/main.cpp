// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weighs a quasi-invariant that is seldom invalidated, and again when it is invalidated often.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <thread>

#include <sartor/sartor.hpp>

#include "handlers.h"

using namespace std::chrono_literals;

static void print(const sartor::Economy &economy) {
  const bool is_worth_it = economy.worth == sartor::Worth::worth_it;
  const bool is_not = economy.worth == sartor::Worth::not_worth_it;
  std::cout << economy.quasi_invariant << ": "
            << (is_worth_it ? "worth it"
                : is_not    ? "not worth it"
                            : economy.missing)
            << '\n';
}

int main() try {
  Table table = {4096};
  sartor::Runtime runtime;
  sartor::QuasiInvariantOptions eager;
  eager.back_off = eager.longest_back_off = 1ms;
  sartor::QuasiInvariant size("size", eager);
  size.add_fields(table, &Table::buckets);
  const auto bucket = runtime.bind<&bucket_of>(static_cast<const Table *>(&table), sartor::_);

  std::atomic<std::uint64_t> lookups = 0;
  std::jthread caller([&](const std::stop_token &stop) {
    for (std::uint64_t key = 0; !stop.stop_requested(); ++key, ++lookups)
      bucket(key);
  });

  sartor::EconomyOptions options;
  options.windows.confirm_for = 500ms;
  options.leave_alone_for = 60s; // if it is not worth it
  const auto lookup_rate = sartor::Objective::rate_of(lookups, "lookups");
  // On a busy machine, one measurement may not be enough to decide.
  const auto weigh = [&] {
    sartor::Economy economy = sartor::weigh(runtime, size, lookup_rate, options);
    for (int i = 0; i < 5 && economy.worth == sartor::Worth::not_sure; ++i)
      economy = sartor::weigh(runtime, size, lookup_rate, options);
    return economy;
  };
  print(weigh());

  // This thread grows the table whenever the quasi-invariant has become valid.
  std::jthread grower([&](const std::stop_token &stop) {
    while (!stop.stop_requested())
      if (size.wait_until_valid(10ms))
        if (sartor::Write write(size); write)
          ++table.buckets;
  });
  while (size.figures().made < 10)
    std::this_thread::sleep_for(1ms);
  print(weigh());
  std::cout << "stays invalid: " << !size.wait_until_valid(100ms) << '\n';
  return EXIT_SUCCESS;
} catch (const sartor::Error &error) {
  std::cerr << error.what() << '\n';
  return EXIT_FAILURE;
}
