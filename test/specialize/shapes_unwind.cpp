// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shapes.h"

#include <csetjmp>
#include <stdexcept>
#include <string>
#include <vector>

#include <sartor/points.h>

SARTOR_HANDLER std::int64_t thrown_through(Memory &memory, std::int64_t a, std::int64_t b) {
  memory.cells[0] += 1;
  const std::int64_t x = sartor_generic("thrown_through", a & 3);
  effect(40, b == 3 ? -77 : b); // may throw
  if (x == 2)
    throw std::runtime_error("two");
  return x + b;
}

SARTOR_HANDLER std::int64_t caught_inside(Memory &memory, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  try {
    effect(41, a);
    const std::int64_t x = sartor_generic("caught_inside", a);
    result = x * 2;
    effect(42, b == 5 ? -77 : b);
    result += opaque(x);
  } catch (std::int64_t thrown) {
    memory.cells[0] += thrown;
    result += 1000;
  }
  return result;
}

SARTOR_HANDLER std::int64_t point_in_catch(Memory &memory, std::int64_t a, std::int64_t b) {
  std::int64_t result = b;
  for (int i = 0; i < 3; ++i) {
    try {
      effect(43, (a + i) & 1 ? -77 : a);
      result += 1;
    } catch (std::int64_t thrown) {
      const std::int64_t x = sartor_generic("point_in_catch", (b + i) & 3);
      memory.cells[x] += thrown;
      result = result * 5 + x;
    }
  }
  return result;
}

namespace {
struct Cleanup {
  Memory &memory;
  std::int64_t tag;
  ~Cleanup() {
    memory.cells[3]++;
    effect(44, memory.cells[3] * 10 + tag);
  }
};
} // namespace

SARTOR_HANDLER std::int64_t cleanups(Memory &memory, std::int64_t a, std::int64_t b) {
  const Cleanup outer{memory, 1};
  std::int64_t sum = 0;
  for (int i = 0; i < 3; ++i) {
    const Cleanup inner{memory, sum & 7};
    const std::int64_t x = sartor_generic("cleanups", (a + i) & 3);
    sum += x * b;
    effect(45, sum == 6 ? -77 : sum);
  }
  return sum;
}

SARTOR_HANDLER std::int64_t thrown_by_point_loop(Memory &memory, std::int64_t a, std::int64_t b) {
  std::vector<std::string> words;
  for (std::int64_t i = 0; i < 4; ++i) {
    const std::int64_t n = sartor_generic("thrown_by_point_loop", (a * i + b) & 7);
    words.push_back(std::string(static_cast<std::size_t>(n * 5), 'x'));
    if (n == 6)
      throw std::out_of_range(words.back());
    memory.cells[0] += static_cast<std::int64_t>(words.back().size());
  }
  return static_cast<std::int64_t>(words.size()) + memory.cells[0];
}

SARTOR_HANDLER std::int64_t with_setjmp(Memory &memory, std::int64_t a, std::int64_t b) {
  std::jmp_buf buffer;
  volatile std::int64_t rounds = 0;
  if (setjmp(buffer) > 2) // NOLINT(cert-err52-cpp): that is the shape
    return rounds;
  const std::int64_t x = sartor_generic("with_setjmp", a & 3);
  memory.cells[0] += x + b;
  rounds = rounds + 1;
  longjmp(buffer, static_cast<int>(rounds)); // NOLINT(cert-err52-cpp)
}

SARTOR_HANDLER std::int64_t computed_goto(Memory &memory, std::int64_t a, std::int64_t b) {
  static void *const places[] = {&&add, &&multiply, &&stop};
  std::int64_t sum = a;
  int step = 0;
  goto *places[step];
add:
  sum += sartor_generic("computed_goto", b & 3);
  step = (sum & 1) ? 1 : 2;
  goto *places[step];
multiply:
  sum *= 3;
  memory.cells[0] = sum;
  step = 2;
  goto *places[step];
stop:
  return sum;
}
