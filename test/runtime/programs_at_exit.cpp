// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends while programs are asked for, and others are given back, static as they all are. With a
// word, another thread has begun with all that, and the process ends in the middle of the first
// compile.
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "tape_program.h"

using namespace std::chrono_literals;

static std::vector<std::unique_ptr<TapeProgram>> all;

static void ask(sartor::Programs &programs) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    all.push_back(std::make_unique<TapeProgram>(some_tape(seed, 300)));
    all.back()->ask(programs);
  }
}

int main(int argc, char **) {
  if (argc > 1) {
    static std::atomic<bool> is_asked = false;
    std::thread([] {
      auto *const runtime = new sartor::Runtime;
      ask(*new sartor::Programs(*runtime, {.most = 10}));
      is_asked = true;
    }).detach();
    while (!is_asked)
      std::this_thread::yield();
    return 0;
  }
  static sartor::Runtime runtime;
  static sartor::Programs programs(runtime);
  ask(programs);
  std::this_thread::sleep_for(100ms);
  for (std::size_t i = 0; i < all.size(); i += 2)
    all[i]->program.give_back();
  return 0;
}
