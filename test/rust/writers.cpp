// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A quasi-invariant about an object that Rust writes to: the compiler inserts no guards there, but
// the protection of its page detects the writes.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <new>

#include <sys/mman.h>

#include <sartor/sartor.hpp>
#include <sartor/watch.h>

struct Config {
  std::int64_t a;
  SARTOR_WATCHED std::int32_t flag;
  std::uint32_t bits;
};

extern "C" {
void rust_writes(int way, Config *config);
void rust_sets(std::int32_t *flag);
}

int main() {
  using namespace std::chrono_literals;
  constexpr std::size_t page = 4096;
  void *memory = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Config &config = *new (memory) Config{0, 0, 0};
  sartor::QuasiInvariantOptions how;
  how.protect_pages = true;
  how.back_off = how.longest_back_off = 1ms;
  sartor::QuasiInvariant quasi_invariant("flag", how);
  quasi_invariant.add_fields(config, &Config::flag);
  int missed = 0;
  for (int way = 0; way < 12; ++way) {
    if (!quasi_invariant.wait_until_valid(30s)) {
      std::printf("way %d: the fact does not hold\n", way);
      return 1;
    }
    const auto broken = quasi_invariant.figures().invalidated;
    if (way < 11)
      rust_writes(way, &config);
    else
      rust_sets(&config.flag);
    if (quasi_invariant.figures().invalidated == broken) {
      std::printf("way %d: the fact has not broken\n", way);
      ++missed;
    }
  }
  return missed;
}
