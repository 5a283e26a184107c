/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_TEST_CLI_REQUEST_HANDLERS_H
#define SARTOR_TEST_CLI_REQUEST_HANDLERS_H

struct Rule {
  unsigned net, mask, port;
};

struct Table {
  const struct Rule *rules;
  unsigned count;
};

/** Returns the port of the first rule that matches, or 0. */
unsigned forward(const struct Table *table, unsigned address, const unsigned *ignored);
/** A function that is called while a variant is made, with its result. */
unsigned scale(const struct Table *table);
unsigned scaled(const struct Table *table, unsigned number);

#endif
