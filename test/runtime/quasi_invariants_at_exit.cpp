// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exits while detached threads write to memory of a static quasi-invariant and call through a
// static binding.
#include <chrono>
#include <cstdint>
#include <thread>

#include <sartor/sartor.hpp>

#include "handlers/files.h"

using namespace std::chrono_literals;

static File file = {0, 0, 0, 4096};
static sartor::Runtime runtime;
static sartor::QuasiInvariant quasi_invariant =
    runtime.quasi_invariant("shared", file, &File::shared);
static auto bound_read = runtime.bind<&read_file>(&file, sartor::_);

int main() {
  bound_read.wait();
  std::thread([] {
    for (std::uint64_t shared = 0;; ++shared) {
      if (const sartor::Write write(quasi_invariant); write)
        file.shared = shared % 2;
      std::this_thread::sleep_for(300us);
    }
  }).detach();
  std::thread([] {
    for (;;)
      bound_read(1);
  }).detach();
  quasi_invariant.wait_until_valid(1s);
  return 0;
}
