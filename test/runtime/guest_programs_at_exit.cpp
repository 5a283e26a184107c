// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exits while guest programs are requested and others are released; all objects are static. With an
// argument, another thread has requested the programs, and the process exits during the first
// compilation.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tape_program.h"

using namespace std::chrono_literals;

static std::vector<std::unique_ptr<TapeProgram>> all;

static void ask(sartor::GuestPrograms &programs) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    all.push_back(std::make_unique<TapeProgram>(some_tape(seed, 300)));
    all.back()->ask(programs);
  }
}

int main(int argc, char **argv) {
  if (argc > 1) {
    static std::atomic<bool> is_asked = false;
    std::thread([] {
      auto *const runtime = new sartor::Runtime;
      ask(*new sartor::GuestPrograms(*runtime, {.most = 10}));
      is_asked = true;
    }).detach();
    while (!is_asked)
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(argv[1])));
    return 0;
  }
  static sartor::Runtime runtime;
  static sartor::GuestPrograms programs(runtime);
  ask(programs);
  std::this_thread::sleep_for(100ms);
  for (std::size_t i = 0; i < all.size(); i += 2)
    all[i]->program.release();
  return 0;
}
