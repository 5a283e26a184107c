// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_RUNTIME_HANDLERS_GUEST_PROGRAMS_H
#define SARTOR_TEST_RUNTIME_HANDLERS_GUEST_PROGRAMS_H

#include <atomic>
#include <cstdint>

// A small interpreter, and other readers of memory that is invariant for a time.

struct Operation {
  enum Kind : std::uint32_t { stop, add, multiply, exclusive_or, call } kind;
  std::uint32_t number;
};

/// The first field changes.
struct Program {
  std::uint64_t runs;
  const Operation *operations;
  std::uint32_t size;
};

/// Counts its runs.
std::uint64_t interpret(Program *program, std::uint64_t input);
/// Runs the program without counting, with another treatment of the input.
std::uint64_t sum_invariant(const Program *program, std::uint64_t input);
/// Runs the program and changes memory that it has just read.
std::uint64_t interpret_and_change(Program *program, std::uint64_t input);
/// Calls `collect` with `heap` from within a handler.
void run_collector(void (*collect)(void *), void *heap);

struct Digested {
  std::uint64_t value;
};
/// Reads only once it is permitted, so that other events can happen meanwhile.
std::uint64_t slow_digest(const Digested *digested);
extern std::atomic<bool> digest_begun;
extern std::atomic<bool> digest_may_end;
std::uint64_t digest_and_add(const Digested *digested, std::uint64_t more);
/** Called by a marked function. */
extern std::uint64_t (*digest_within)(std::uint64_t address);
std::uint64_t loaded(std::uint64_t address, std::uint64_t more);
std::uint64_t digest_within_and_add(const Digested *digested, std::uint64_t more);

/// A part of an array of constants.
struct Span {
  const std::uint32_t *begin;
  const std::uint32_t *end;
};
/// Arrays of the handler file. Either of them may have the lower address.
extern "C" const std::uint32_t first_numbers[4];
extern "C" const std::uint32_t second_numbers[4];
/// The sum of the span's numbers, plus its last number times a thousand.
std::uint64_t sum_span(const Span *span, std::uint64_t more);

#endif
