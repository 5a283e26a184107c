// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Prints the results of handlers under many configurations, quasi-invariants and writes. The
/// annotated and the declared program must print the same.

#include "declared.h"

#include <chrono>
#include <iostream>
#include <utility>
#include <vector>

#include <sartor/sartor.hpp>

namespace {

bool refuses = false;

using Trade = long(Side, unsigned char, long, const char *, bool, long);

void try_all(sartor::Handler<Trade> &handler) {
  for (const Side which : {buy, sell})
    for (const int amount : {1, 4, 9, 10, 255})
      for (const long limit : {-5L, 1000L, 7L})
        for (const bool urgent : {false, true})
          std::cout << handler(which, static_cast<unsigned char>(amount), limit,
                               urgent ? "note" : nullptr, urgent, amount)
                    << ' ';
  std::cout << sum() << ' ' << twice(21) << '\n';
}

bool valid(const sartor::QuasiInvariant &quasi_invariant) {
  return quasi_invariant.wait_until_valid(std::chrono::minutes(5));
}

} // namespace

int refuses_mode(void *address, unsigned long size) {
  std::cout << "asked for " << size << " bytes" << (address == &mode ? " of mode" : "") << '\n';
  return refuses ? 1 : 0;
}

int reinforces_depth(void *, unsigned long) { return 1; }

int main() try {
  sartor::Runtime runtime;
  auto handler = runtime.handler<Trade>("trade");
#ifdef ANNOTATED
  // The file of declarations declares the variables the same way.
  const sartor::Invariant unit(unit_of_price(), sizeof(int));
  sartor::QuasiInvariantOptions answers;
  answers.refuse = [](void *at, std::size_t size) { return refuses_mode(at, size) != 0; };
  sartor::QuasiInvariant quasi_invariant("mode", std::move(answers));
  quasi_invariant.add(&mode, sizeof mode);
  if (!valid(quasi_invariant))
    return 1;
#else
  if (runtime.active() && !valid(*sartor::declared_quasi_invariant("mode")))
    return 1;
#endif
  sartor::QuasiInvariant also("also mode");
  also.add(&mode, sizeof mode);
  std::cout << valid(also) << also.figures().watched << '\n';
  {
    static int of_its_size = 0; // its stores are not guarded
    sartor::QuasiInvariant other("other");
    other.add(&of_its_size, sizeof of_its_size);
    std::cout << valid(other) << other.figures().watched << '\n';
  }

  const std::vector<sartor::Configuration> configurations{
      {},
      {{"side", buy}, {"amount", 4}},
      {{"side", sell}, {"trade.limit", -5}},
      {{"trade.limit", 1000}, {"urgent", true}, {"twice.x", 21}},
      {{"amount", sartor::Setting(std::vector<sartor::Value>{4, 9})}, {"urgent", false}}};
  for (const auto &configuration : configurations) {
    runtime.specialize(configuration);
    try_all(handler);
  }
  set_holders(2);
  try_all(handler);

  refuses = true;
  set_mode(2);
  std::cout << "refused: " << mode << '\n';
  try_all(handler);
  refuses = false;
  set_mode(2);
  try_all(handler);
  std::cout << valid(also) << '\n';
  runtime.specialize(configurations[1]);
  try_all(handler);
} catch (const sartor::Error &error) {
  std::cerr << error.what() << '\n';
  return 1;
}
