/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_WATCH_H
#define SARTOR_WATCH_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
struct sartor_watch {
  const char *record;
  const char *field;
  uint64_t record_size;
  uint64_t offset;
  uint64_t size;
  unsigned char *armed;
};
void sartor_register_watches(const struct sartor_watch *begin, const struct sartor_watch *end);
int sartor_may_write(void *address, uint64_t size);
void sartor_written(void *address, uint64_t size);
#ifdef __cplusplus
}
#endif
#endif
