// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_PROGRAMS_H
#define SARTOR_TEST_RUNTIME_HANDLERS_PROGRAMS_H

#include <atomic>
#include <cstdint>

// A small interpreter, and other readers of memory that is invariant for a time.

struct Operation {
  enum Kind : std::uint32_t { stop, add, multiply, exclusive_or, call } kind;
  std::uint32_t number;
};

/// The object begins with what changes.
struct Program {
  std::uint64_t runs;
  const Operation *operations;
  std::uint32_t size;
};

/// Counts the run.
std::uint64_t interpret(Program *program, std::uint64_t input);
/// The same without counting, after the input's own fashion.
std::uint64_t sum_promised(const Program *program, std::uint64_t input);
/// The same, changing what it has just looked at.
std::uint64_t interpret_and_change(Program *program, std::uint64_t input);
/// Calls `collect` with `heap` while it is a handler.
void run_collector(void (*collect)(void *), void *heap);

struct Digested {
  std::uint64_t value;
};
/// Reads when it is let, so that something can happen meanwhile.
std::uint64_t slow_digest(const Digested *digested);
extern std::atomic<bool> digest_begun;
extern std::atomic<bool> digest_may_end;
std::uint64_t digest_and_add(const Digested *digested, std::uint64_t more);
/** What a marked function calls. */
extern std::uint64_t (*digest_within)(std::uint64_t address);
std::uint64_t loaded(std::uint64_t address, std::uint64_t more);
std::uint64_t digest_within_and_add(const Digested *digested, std::uint64_t more);

/// A span of an array of constants.
struct Span {
  const std::uint32_t *begin;
  const std::uint32_t *end;
};
/// The handler file's own. The second lies behind the first, or the other way round.
extern "C" const std::uint32_t first_numbers[4];
extern "C" const std::uint32_t second_numbers[4];
/// The sum of what is in the span, and of its last number times a thousand.
std::uint64_t sum_span(const Span *span, std::uint64_t more);

#endif
