/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Invariant memory of recorded conversations: a list of rules (test/device/program/handlers.h)
 * that spans several pages. */
#ifndef SARTOR_TEST_FUZZ_RECORDED_RULES_H
#define SARTOR_TEST_FUZZ_RECORDED_RULES_H

#include <stdint.h>
#include <string.h>

enum { recorded_bytes = 2048, recorded_rules = 4, recorded_distance = 504 };

// NOLINTNEXTLINE(readability-identifier-naming): C
struct recorded_rule {
  uint32_t from;
  uint32_t to;
  int32_t verdict;
  uint64_t next; /* an address */
};

/* `address`: the address of the first byte in the process that reads the rules. */
static inline void fill_recorded_rules(unsigned char *memory, uint64_t address) {
  memset(memory, 0, recorded_bytes);
  for (size_t i = 0; i < recorded_rules; ++i) {
    struct recorded_rule rule;
    memset(&rule, 0, sizeof rule);
    rule.from = 100 * (uint32_t)i;
    rule.to = rule.from + 9;
    rule.verdict = (int32_t)i - 2;
    rule.next = i + 1 < recorded_rules ? address + (i + 1) * recorded_distance : 0;
    memcpy(memory + i * recorded_distance, &rule, sizeof rule);
  }
}

#endif
