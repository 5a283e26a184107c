// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of read.cpp in C.
#include <sartor/watch.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
struct Config {
  SARTOR_WATCHED int first, flag;
  long b;
};
struct Config config, table[4], other = {1, 2, 3};
static struct Config mine;
_Thread_local struct Config own;
SARTOR_WATCHED int variable;
void take(struct Config *);
void take_value(struct Config);
void look(const struct Config *);
struct Row {
  struct Config *its;
  const int *read;
  const void *any;
};
static const struct Row rows[] = {{&config, &config.flag, &variable},
                                  {.its = &table[1], .any = &mine}};
const struct Row *all_rows(void) { return rows; }
void pass(void) {
  take(&config);
  take(table);
  take(&table[2]);
  take(&own);
  take_value(config);
  look(&config);
  config.b = 3;
  own.b = mine.b = 4;
}
int sum(void) {
  static struct Config *const last = &mine;
  struct Config copy = config, *p = &config, *const q = &table[1];
  take(q);
  take(last);
  return copy.flag + p->flag + own.flag + memcmp(&config.flag, &variable, sizeof variable) +
         printf("%p %d\n", (const void *)&config.flag, variable);
}
_Bool same(const struct Config *c) {
  return c == &config || &config.flag == &c->flag || c - table < 4;
}
struct Config *choose(int i) { return i ? &config : &table[i]; }
