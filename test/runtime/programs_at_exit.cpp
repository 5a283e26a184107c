// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends while programs are asked for, and others are given back, static as they all are.
#include <thread>
#include <vector>

#include "tape_program.h"

static sartor::Runtime runtime;
static sartor::Programs programs(runtime);
static std::vector<std::unique_ptr<TapeProgram>> all;

int main() {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    all.push_back(std::make_unique<TapeProgram>(some_tape(seed, 300)));
    all.back()->ask(programs);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  for (std::size_t i = 0; i < all.size(); i += 2)
    all[i]->program.give_back();
  return 0;
}
