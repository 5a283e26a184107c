/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A forwarding table as a list, the longest prefix first, and who looks up in it: once in C
 * (forward.c), once in Rust (program/). Both are one source algorithm. */
#ifndef STUDY_RUST_FORWARD_H
#define STUDY_RUST_FORWARD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct Rule {
  uint32_t network;
  uint32_t mask;
  uint16_t port;
};

/* The port of each address; 0 where no rule matches. The handler in C. */
void forward_in_c(const struct Rule *rules, size_t rule_count, const uint32_t *addresses,
                  size_t address_count, uint16_t *ports);

/* In Rust: the native code of its handler; and the table with the rules bound and promised, from
 * when it is opened, which returns when its code is there, until it is closed. Null, and a line on
 * standard error, if that cannot be. */
struct RustTable;
void rust_forward(const struct Rule *rules, size_t rule_count, const uint32_t *addresses,
                  size_t address_count, uint16_t *ports);
struct RustTable *rust_table_open(const struct Rule *rules, size_t rule_count);
void rust_table_forward(const struct RustTable *table, const uint32_t *addresses,
                        size_t address_count, uint16_t *ports);
void rust_table_close(struct RustTable *table);

#ifdef __cplusplus
}
#endif

#endif
