// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shapes.h"

#include <cstring>

#include <sartor/points.h>

std::int64_t near_cells[4];
std::int64_t far_cells[4];

namespace {

void fill_cells() {
  for (int i = 0; i < 4; ++i) {
    near_cells[i] = i + 1;
    far_cells[i] = 10 * i;
  }
}

std::int64_t keep_cells(Memory &memory, std::int64_t result) {
  std::memcpy(memory.cells, near_cells, sizeof near_cells);
  std::memcpy(memory.cells + 4, far_cells, sizeof far_cells);
  return result;
}

// A store through `q`, which is based on `p`, must be visible through `p`.
[[gnu::noinline]] std::int64_t through_restrict(std::int64_t *__restrict p, std::int64_t n) {
  const std::int64_t first = p[0];
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t *q = p;
    q = sartor_enum("restrict_parameter", q, near_cells, far_cells);
    q[i & 1] += i + 1;
  }
  return p[0] * 100 + first;
}

} // namespace

SARTOR_HANDLER std::int64_t restrict_parameter(Memory &memory, std::int64_t a, std::int64_t b) {
  fill_cells();
  return keep_cells(memory, through_restrict((a & 1) != 0 ? near_cells : far_cells, b));
}

SARTOR_HANDLER std::int64_t fresh_memory(Memory &, std::int64_t a, std::int64_t b) {
  std::int64_t *p = fresh((a & 1) != 0);
  p[0] = a;
  p[1] = b;
  for (std::int64_t i = 0; i < 3; ++i) {
    std::int64_t *q = sartor_enum("fresh_memory", p, first_fresh, second_fresh);
    q[i & 1] += i + 1;
  }
  return p[0] * 1000 + p[1];
}

// The pointer is compared, called through, offset and stored: uses of a pointer other than its
// target.
SARTOR_HANDLER std::int64_t pointer_quasi_invariants(Memory &memory, std::int64_t a,
                                                     std::int64_t b) {
  fill_cells();
  std::int64_t *p = (a & 1) != 0 ? near_cells : b == 3 ? nullptr : far_cells;
  p = sartor_enum("pointer_facts", p, near_cells, far_cells, nullptr);
  if (!p)
    return keep_cells(memory, -1);
  std::int64_t *end = p + 4;
  std::int64_t sum = 0;
  for (std::int64_t *cell = p; cell != end; ++cell)
    sum += *cell * b;
  if (p == near_cells)
    near_cells[1] = sum;
  return keep_cells(memory, sum + p[1]);
}

SARTOR_HANDLER std::int64_t several_values_far_from_the_end(Memory &memory, std::int64_t a,
                                                            std::int64_t b) {
  const std::int64_t k = sartor_generic("several_values_far_from_the_end", a & 3);
  // More than 1,500 instructions. Sums that overflow use unsigned numbers.
  const auto times = static_cast<std::uint64_t>(b);
#define STEP(i)                                                                                    \
  (memory.cells[(i) & 15] = static_cast<std::int64_t>(                                             \
       static_cast<std::uint64_t>(memory.cells[((i) * 7 + 3) & 15]) * (times + (i)) +              \
       static_cast<std::uint64_t>(k)))
#define STEPS(i)                                                                                   \
  (STEP(i), STEP((i) + 1), STEP((i) + 2), STEP((i) + 3), STEP((i) + 4), STEP((i) + 5),             \
   STEP((i) + 6), STEP((i) + 7), STEP((i) + 8), STEP((i) + 9))
#define MANY_STEPS(i) (STEPS(i), STEPS((i) + 10), STEPS((i) + 20), STEPS((i) + 30))
  MANY_STEPS(0);
  MANY_STEPS(40);
  MANY_STEPS(80);
  MANY_STEPS(120);
  MANY_STEPS(160);
  MANY_STEPS(200);
#undef MANY_STEPS
#undef STEPS
#undef STEP
  return k;
}
