/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_CLI_REQUEST_HANDLERS_H
#define SARTOR_TEST_CLI_REQUEST_HANDLERS_H

struct rule {
  unsigned net, mask, port;
};

struct table {
  const struct rule *rules;
  unsigned count;
};

/** The port of the first rule that matches, or 0. */
unsigned forward(const struct table *table, unsigned address, const unsigned *ignored);
/** A function that is called while a variant is made, and what it gives. */
unsigned scale(const struct table *table);
unsigned scaled(const struct table *table, unsigned number);

#endif
