// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shapes.h"

#include <sartor/points.h>

SARTOR_HANDLER std::int64_t straight(Memory &, std::int64_t a, std::int64_t b) {
  const std::int64_t x = sartor_generic("straight", a);
  return x * x + b;
}

SARTOR_HANDLER std::int64_t after_effects(Memory &memory, std::int64_t a, std::int64_t b) {
  memory.cells[0] += 1;
  effect(1, a);
  const std::int64_t x = sartor_generic("after_effects", a);
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < x; ++i)
    sum += i * b;
  effect(2, sum);
  return sum + memory.cells[0];
}

SARTOR_HANDLER std::int64_t in_loop_varying(Memory &memory, std::int64_t a, std::int64_t b) {
  std::int64_t sum = 7;
  std::int64_t previous = 1;
  for (std::int64_t i = 0; i < 12; ++i) {
    memory.cells[i % 4] += i;
    const std::int64_t x = sartor_generic("in_loop_varying", (a + i * b) & 7);
    const std::int64_t t = sum * (x + 1);
    if (t & 1)
      sum += previous * x;
    else
      sum -= i;
    previous = sum;
    effect(3, sum);
  }
  return sum * 31 + previous;
}

SARTOR_HANDLER std::int64_t in_loop_invariant(Memory &memory, std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < 9 + (b & 3); ++i) {
    const std::int64_t x = sartor_generic("in_loop_invariant", a);
    memory.cells[i & 15] ^= x * i;
    sum += memory.cells[(i + 1) & 15] % (x * x + 1);
  }
  return sum;
}

SARTOR_HANDLER std::int64_t in_loop_header(Memory &memory, std::int64_t a, std::int64_t b) {
  std::int64_t sum = b;
  for (std::int64_t i = 0; i < sartor_generic("in_loop_header", memory.cells[3] & 7); ++i) {
    sum = sum * 3 + i;
    if (sum % 5 == a)
      memory.cells[3] += 1;
    if (i > 20)
      break;
  }
  return sum;
}

static inline std::int64_t small_callee(Memory &memory, std::int64_t a) {
  memory.cells[1] += a;
  const std::int64_t x = sartor_generic("inlined_callee", a & 3);
  return x * x + memory.cells[0];
}

SARTOR_HANDLER std::int64_t inlined_callee(Memory &memory, std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  for (int i = 0; i < 3; ++i) {
    sum += small_callee(memory, a + i);
    effect(4, sum);
    if (sum > b)
      sum ^= small_callee(memory, b);
  }
  return sum;
}

__attribute__((noinline)) static std::int64_t far_callee(Memory &memory, std::int64_t a) {
  memory.cells[2] += a;
  effect(5, a);
  const std::int64_t x = sartor_generic("called_callee", a & 3);
  return x * x - memory.cells[0];
}

SARTOR_HANDLER std::int64_t called_callee(Memory &memory, std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  for (int i = 0; i < 4; ++i)
    sum = sum * 5 + far_callee(memory, a + i * b);
  return sum;
}

SARTOR_HANDLER std::int64_t two_points(Memory &memory, std::int64_t a, std::int64_t b) {
  memory.cells[0]++;
  const std::int64_t x = sartor_generic("two_points.x", a);
  memory.cells[1] += x;
  effect(6, x);
  std::int64_t y = b;
  if (x > 2)
    y = sartor_generic("two_points.y", b);
  memory.cells[2] += y;
  return x * 1000 + y;
}

SARTOR_HANDLER std::int64_t nested_loops(Memory &memory, std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < 5; ++i) {
    const std::int64_t rows = sartor_generic("nested_loops.rows", (a + i) & 3);
    for (std::int64_t j = 0; j < rows; ++j) {
      const std::int64_t columns = sartor_generic("nested_loops.columns", (b + j) & 3);
      for (std::int64_t k = 0; k < columns; ++k) {
        sum = sum * 7 + i * rows + j * columns + k;
        memory.cells[(i + j + k) & 15] += sum & 0xff;
      }
      effect(7, sum);
    }
  }
  return sum;
}

SARTOR_HANDLER std::int64_t used_after_loop(Memory &, std::int64_t a, std::int64_t b) {
  std::int64_t last = -1;
  std::int64_t i = 0;
  do {
    last = sartor_generic("used_after_loop", opaque(a + i) & 3);
    ++i;
  } while (last != (b & 3) && i < 6);
  return last * 100 + i;
}

SARTOR_HANDLER std::int64_t irreducible(Memory &memory, std::int64_t a, std::int64_t b) {
  std::int64_t n = 0;
  std::int64_t sum = 0;
  if (a & 1)
    goto second;
first:
  sum += sartor_generic("irreducible.first", (a + n) & 3) * 3;
  effect(8, sum);
second:
  sum += sartor_generic("irreducible.second", (b + n) & 3) * 5;
  memory.cells[n & 15] = sum;
  if (++n < 8) {
    if ((sum + n) & 2)
      goto first;
    goto second;
  }
  return sum;
}

SARTOR_HANDLER std::int64_t switched(Memory &memory, std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  for (int i = 0; i < 6; ++i)
    switch (sartor_generic("switched", (a + i * b) % 5)) {
    case 0:
      sum += 1;
      [[fallthrough]];
    case 1:
      memory.cells[0] += sum;
      break;
    case 2:
      effect(9, sum);
      break;
    case 3:
      if (sum > 40)
        return sum;
      sum += 17;
      break;
    default:
      sum = -sum + 3;
    }
  return sum;
}

SARTOR_HANDLER std::int64_t recursive(Memory &memory, std::int64_t a, std::int64_t b) {
  const std::int64_t x = sartor_generic("recursive", b & 3);
  memory.cells[x] += a;
  if (a <= 0)
    return x;
  const std::int64_t below = recursive(memory, a - 1 - x / 2, b + 1);
  effect(10, below);
  return below * 3 + x + memory.cells[1];
}

SARTOR_HANDLER std::int64_t early_returns(Memory &memory, std::int64_t a, std::int64_t b) {
  for (std::int64_t i = 0; i < 10; ++i) {
    if (memory.cells[i] == a)
      return i;
    const std::int64_t x = sartor_generic("early_returns", (b + i) & 7);
    if (x == 6)
      return -x;
    memory.cells[i] += x;
  }
  return 99;
}

SARTOR_HANDLER std::int64_t several_in_one_block(Memory &memory, std::int64_t a, std::int64_t b) {
  const std::int64_t x = sartor_generic("several.x", a);
  memory.cells[0] += x;
  const std::int64_t y = sartor_generic("several.y", b);
  memory.cells[0] *= y + 1;
  const std::int64_t z = sartor_generic("several.x", a + 1); // the same label: set together
  return x + y * 10 + z * 100 + memory.cells[0];
}
