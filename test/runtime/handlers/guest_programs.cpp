// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guest_programs.h"

#include <thread>

#include <sartor/points.h>

SARTOR_HANDLER std::uint64_t interpret(Program *program, std::uint64_t input) {
  ++program->runs;
  for (std::uint32_t i = 0; i < program->size; ++i) {
    const Operation &operation = program->operations[i];
    switch (operation.kind) {
    case Operation::stop:
      return input;
    case Operation::add:
      input += operation.number;
      break;
    case Operation::multiply:
      input *= operation.number;
      break;
    default:
      input ^= operation.number;
    }
  }
  return input;
}

SARTOR_HANDLER std::uint64_t sum_invariant(const Program *program, std::uint64_t input) {
  for (std::uint32_t i = 0; i < program->size; ++i)
    input = input * 31 + program->operations[i].number;
  return input;
}

SARTOR_HANDLER std::uint64_t interpret_and_change(Program *program, std::uint64_t input) {
  if (input > 5)
    ++program->size;
  return input * program->size;
}

SARTOR_HANDLER void run_collector(void (*collect)(void *), void *heap) { collect(heap); }

std::atomic<bool> digest_begun = false;
std::atomic<bool> digest_may_end = false;

SARTOR_FOLD std::uint64_t slow_digest(const Digested *digested) {
  digest_begun = true;
  while (!digest_may_end)
    std::this_thread::yield();
  return digested->value * 3;
}

SARTOR_HANDLER std::uint64_t digest_and_add(const Digested *digested, std::uint64_t more) {
  return slow_digest(digested) + more;
}

std::uint64_t (*digest_within)(std::uint64_t) = nullptr;

SARTOR_HANDLER std::uint64_t loaded(std::uint64_t address, std::uint64_t more) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): wherever the test says
  return *reinterpret_cast<const volatile std::uint64_t *>(address) + more;
}

SARTOR_FOLD std::uint64_t digest_by_handler(const Digested *digested) {
  return digest_within(digested->value);
}

SARTOR_HANDLER std::uint64_t digest_within_and_add(const Digested *digested, std::uint64_t more) {
  const std::uint64_t digest = digest_by_handler(digested);
  return digest + more;
}

extern "C" const std::uint32_t first_numbers[4] = {11, 12, 13, 14};
extern "C" const std::uint32_t second_numbers[4] = {21, 22, 23, 24};

SARTOR_HANDLER std::uint64_t sum_span(const Span *span, std::uint64_t more) {
  std::uint64_t sum = more;
  for (const std::uint32_t *at = span->begin; at != span->end; ++at)
    sum += *at * (more & 1U);
  return sum + span->end[-1] * 1000U + (more == 77 ? first_numbers[1] + second_numbers[2] : 0);
}
