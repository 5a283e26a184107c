// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shapes.h"

#pragma clang diagnostic ignored "-Wvla-cxx-extension" // one of the shapes

#include <cstring>

#include <sartor/points.h>

SARTOR_HANDLER std::int64_t stack_arrays(Memory &memory, std::int64_t a, std::int64_t b) {
  std::int64_t array[16];
  for (int i = 0; i < 16; ++i)
    array[i] = i * a;
  effect(20, array[3]);
  const std::int64_t x = sartor_generic("stack_arrays", b & 7);
  array[x] += 5;
  {
    std::int64_t inner[4] = {x, a, b, opaque(a)};
    memory.cells[0] += inner[x & 3];
  }
  for (int i = 0; i < 16; ++i)
    memory.cells[1] ^= array[(i + x) & 15];
  return memory.cells[1] + array[x];
}

SARTOR_HANDLER std::int64_t dynamic_stack(Memory &memory, std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  for (std::int64_t i = 1; i < 4; ++i) {
    const std::int64_t n = (a & 3) + i;
    auto *before = static_cast<std::int64_t *>(__builtin_alloca(sizeof(std::int64_t) * (n + 1)));
    before[0] = n;
    before[n] = b;
    effect(21, before[n]);
    const std::int64_t x = sartor_generic("dynamic_stack", (b + i) & 3);
    std::int64_t after[x + 1];
    after[x] = before[0] + x;
    after[0] += (x != 0 ? 0 : 1);
    sum = sum * 11 + after[x] + before[n];
    memory.cells[x] = sum;
  }
  return sum;
}

// Inlined, so that restrict becomes scoped-noalias metadata inside the loop.
static inline void scale(std::int64_t *__restrict to, const std::int64_t *__restrict from,
                         std::int64_t factor) {
  for (int i = 0; i < 4; ++i)
    to[i] = from[i] * factor;
}

SARTOR_HANDLER std::int64_t restrict_pointers(Memory &memory, std::int64_t a, std::int64_t b) {
  for (std::int64_t i = 0; i < 6; ++i) {
    // Each call reads the cells that the previous call wrote.
    scale(memory.cells + 4 * ((i + 1) & 3), memory.cells + 4 * (i & 3), a);
    const std::int64_t x = sartor_generic("restrict_pointers", (b + i) & 3);
    scale(memory.cells + 4 * ((x + 2) & 3), memory.cells + 4 * ((x + 1) & 3), x);
  }
  return memory.cells[0] + memory.cells[5] * 3 + memory.cells[10] * 7;
}

SARTOR_HANDLER std::int64_t volatile_cells(Memory &memory, std::int64_t a, std::int64_t b) {
  volatile std::int64_t *cell = &memory.cells[0];
  std::int64_t sum = 0;
  for (int i = 0; i < 4; ++i) {
    *cell = *cell + a;
    const std::int64_t x = sartor_generic("volatile_cells", (*cell + b) & 3);
    *cell = *cell * (x + 1);
    sum += *cell;
  }
  return sum;
}

namespace {
std::int64_t static_count = 3;
const std::int64_t primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
} // namespace
std::int64_t shared_count = 5;

SARTOR_HANDLER std::int64_t global_state(Memory &memory, std::int64_t a, std::int64_t b) {
  static std::int64_t calls = 0;
  // Both copies of the code share one state, so it is reset to a known value.
  calls = a;
  static_count = b;
  ++calls;
  const std::int64_t x = sartor_generic("global_state", a & 7);
  static_count += x * calls;
  shared_count = static_count ^ primes[x];
  memory.cells[0] = shared_count;
  return calls + static_count + primes[(x + b) & 7];
}

thread_local std::int64_t thread_sum = 1;

SARTOR_HANDLER std::int64_t thread_state(Memory &memory, std::int64_t a, std::int64_t b) {
  static thread_local std::int64_t inner = 2;
  thread_sum = a;
  inner = b;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t x = sartor_generic("thread_state", (a + i) & 3);
    thread_sum += x;
    inner *= thread_sum;
  }
  memory.cells[0] = thread_sum;
  return inner;
}

SARTOR_HANDLER std::int64_t reduction(Memory &memory, std::int64_t a, std::int64_t b) {
  const std::int64_t n = sartor_generic("reduction", (a & 7) * 2);
  double sum = 0.1;
  for (std::int64_t i = 0; i < n; ++i)
    sum = sum * 1.7 + memory.reals[i & 15] * memory.reals[(i + b) & 15];
  memory.reals[0] = sum / 3.0;
  std::int64_t bits = 0;
  std::memcpy(&bits, &sum, sizeof bits);
  return bits;
}

SARTOR_HANDLER std::int64_t strings(Memory &memory, std::int64_t a, std::int64_t b) {
  char text[64] = "the quick brown fox jumps over the lazy dog";
  const std::int64_t n = sartor_generic("strings", (a & 15) + 4);
  std::memmove(text + (b & 3), text, static_cast<std::size_t>(n));
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i)
    sum = sum * 31 + static_cast<std::uint64_t>(text[i]);
  memory.cells[0] = static_cast<std::int64_t>(std::strlen(text));
  return static_cast<std::int64_t>(sum);
}

namespace {
struct Big {
  std::int64_t values[24];
};
Big filled(std::int64_t from) {
  Big big;
  for (std::int64_t &value : big.values)
    value = from++;
  return big;
}
} // namespace

SARTOR_HANDLER std::int64_t big_structs(Memory &memory, std::int64_t a, std::int64_t b) {
  Big first = filled(a);
  const std::int64_t x = sartor_generic("big_structs", b & 15);
  const Big second = first;
  first.values[x] += second.values[(x + 3) & 15];
  memory.cells[0] = first.values[2];
  effect(22, first.values[x]);
  return first.values[x] * 3 + second.values[x];
}
