/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A forwarding table as a list, the longest prefix first, and two implementations of its lookup:
 * in C (forward.c) and in Rust (program/), with the same algorithm. */
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

/* The handler in C: finds the port of each address; 0 if no rule matches. */
void forward_in_c(const struct Rule *rules, size_t rule_count, const uint32_t *addresses,
                  size_t address_count, uint16_t *ports);

/* The Rust implementation: the native code of its handler, and a table whose rules are bound and
 * declared invariant from opening, which returns when its code is ready, until closing. Null,
 * with a message on standard error, if opening fails. */
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
