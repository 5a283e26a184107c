// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "call_shapes.h"

#include <cstdlib>
#include <stdexcept>

#include <sartor/points.h>

unsigned marked_calls = 0;

extern "C" {

SARTOR_FOLD std::int64_t weight(const Weighted *of) {
  ++marked_calls;
  return of->value * 3 + of->kind;
}

SARTOR_FOLD std::int64_t weight_by(const Weighted *of, std::int64_t divisor) {
  ++marked_calls;
  return of->value / divisor;
}

SARTOR_FOLD const Weighted *after(const Weighted *of) {
  ++marked_calls;
  return of->next;
}

SARTOR_FOLD std::int64_t wild(const Weighted *of) {
  return *reinterpret_cast<const volatile std::int64_t *>(of->value);
}

SARTOR_FOLD std::int64_t aborting(const Weighted *of) {
  if (of->value == 8)
    std::abort();
  return of->value;
}

SARTOR_FOLD std::int64_t throwing(const Weighted *of) {
  if (of->value == 8)
    throw std::runtime_error("eight");
  return of->value;
}

SARTOR_FOLD std::int64_t recursing(const Weighted *of, std::int64_t depth) {
  volatile char frame[512];
  frame[depth & 511] = 1;
  return depth == 0 ? of->value : recursing(of, depth - 1) + frame[depth & 511];
}

// The result is returned in memory.
struct Weights {
  std::int64_t one, two, three;
};
SARTOR_FOLD Weights weights(const Weighted *of) { return {of->value, of->value * 2, of->kind}; }

SARTOR_HANDLER std::int64_t call_behind_null(const Weighted *of, std::int64_t x) {
  return of->next ? x + weight(of->next) : x;
}

SARTOR_HANDLER std::int64_t call_behind_kind(const Weighted *of, std::int64_t x) {
  if (of->kind != 0)
    return x + weight_by(of, of->kind);
  return x;
}

SARTOR_HANDLER std::int64_t call_behind_input(const Weighted *of, std::int64_t x) {
  if (x == 7777)
    return weight_by(of, of->kind);
  return x;
}

SARTOR_HANDLER std::int64_t call_behind_loop(const Weighted *of, std::int64_t x) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < x; ++i)
    sum += weight(of);
  return sum;
}

SARTOR_HANDLER std::int64_t call_after_branches(const Weighted *of, std::int64_t x) {
  volatile std::int64_t sum = 0;
  if (x & 1)
    sum = 5;
  for (std::int64_t i = 0; i < (x & 7); ++i)
    sum = sum + 2;
  return sum + weight(of);
}

SARTOR_HANDLER std::int64_t call_behind_abort(const Weighted *of, std::int64_t x) {
  if (x == 7777)
    std::abort();
  return x + weight(of);
}

SARTOR_HANDLER std::int64_t call_in_list(const Weighted *of, std::int64_t x) {
  std::int64_t sum = 0;
  for (const Weighted *each = of; each; each = each->next) {
    const std::int64_t known = weight(each);
    if (x > each->value)
      sum += known;
  }
  return sum;
}

SARTOR_HANDLER std::int64_t call_steering(const Weighted *of, std::int64_t x) {
  std::int64_t sum = x;
  for (const Weighted *each = of; each->kind != 0; each = after(each))
    sum = sum * 3 + each->value;
  return sum;
}

__attribute__((noinline)) static std::int64_t helped(const Weighted *of, std::int64_t x) {
  volatile std::int64_t kept = weight(of);
  return kept + x;
}

SARTOR_HANDLER std::int64_t call_in_helper(const Weighted *of, std::int64_t x) {
  return x == 7777 ? helped(of, x) : x;
}

SARTOR_HANDLER std::int64_t call_behind_guard(const Weighted *of, std::int64_t x) {
  const std::int64_t divisor = sartor_generic("call_divisor", x);
  return weight_by(of, divisor) + x;
}

SARTOR_HANDLER std::int64_t call_behind_failed_guard(const Weighted *of, std::int64_t x) {
  const std::int64_t way = sartor_generic("call_way", x);
  return way == 1 ? x : weight(of);
}

SARTOR_HANDLER std::int64_t call_that_divides(const Weighted *of, std::int64_t x) {
  return x == 0 ? 0 : weight_by(of, of->kind) + x;
}

SARTOR_HANDLER std::int64_t call_that_loads(const Weighted *of, std::int64_t x) {
  return wild(of) + x;
}

SARTOR_HANDLER std::int64_t call_that_aborts(const Weighted *of, std::int64_t x) {
  return aborting(of) + x;
}

SARTOR_HANDLER std::int64_t call_that_throws(const Weighted *of, std::int64_t x) {
  try {
    return throwing(of) + x;
  } catch (const std::exception &) {
    return -x;
  }
}

SARTOR_HANDLER std::int64_t call_that_recurses(const Weighted *of, std::int64_t x) {
  return recursing(of, of->kind) + x;
}

SARTOR_HANDLER std::int64_t call_result_decides(const Weighted *of, std::int64_t x) {
  const Weighted *next = after(of);
  if (next->kind == 3)
    return weight(next) + x;
  return weight_by(next, next->kind) + x;
}

SARTOR_HANDLER std::int64_t call_for_memory(const Weighted *of, std::int64_t x) {
  const Weights found = weights(of);
  return found.two * x + found.three;
}
}
