/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The address of a watched field is followed into an interpreter with a computed goto, of which the
 * native code gets a guarded copy. inputs: 16, configurations: 2 */
#include <sartor/watch.h>

#include "shape.h"
struct File {
  SARTOR_WATCHED int references;
  long offset;
};
static int adjust(int *number, const unsigned char *next, int by) {
  static const void *const operations[] = {&&done, &&add, &&twice, &&negate};
  goto *operations[*next++ & 3];
add:
  *number += by;
  goto *operations[*next++ & 3];
twice:
  *number *= 2;
  goto *operations[*next++ & 3];
negate:
  *number = -*number;
  goto *operations[*next++ & 3];
done:
  return *number;
}
static int adjust_by_difference(int *number, const unsigned char *next, int by) {
  static int operations[] = {&&done - &&done, &&add - &&done, &&twice - &&done, &&negate - &&done};
  goto *(&&done + operations[*next++ & 3]);
add:
  *number += by;
  goto *(&&done + operations[*next++ & 3]);
twice:
  *number *= 2;
  goto *(&&done + operations[*next++ & 3]);
negate:
  *number = -*number;
  goto *(&&done + operations[*next++ & 3]);
done:
  return *number;
}
/* Another call continues where this one has stopped. */
static int step(int *number, const void **state, int by) {
  if (*state)
    goto **state;
  *number += by;
  *state = &&second;
  return *number;
second:
  *number *= 2;
  *state = &&third;
  return *number;
third:
  *number -= by;
  *state = 0;
  return *number;
}
__attribute__((noinline)) static int use(struct File *file, const unsigned char *code, int by) {
  const int first = adjust(&file->references, code, by);
  return first * 3 + adjust_by_difference(&file->references, code, by);
}
SARTOR_HANDLER int run(struct File *file, const unsigned char *code, int by) {
  return use(file, code, sartor_generic("by", by)) + (int)file->offset;
}
CALLED(run);
HANDLERS(LISTED(run));
void program_run(unsigned input) {
  const unsigned char code[] = {(unsigned char)input, 1, 2, (unsigned char)(input / 4), 3, 1, 0};
  struct File file = {(int)input, 7};
  int other = 3;
  observe_number((unsigned long long)call_run(&file, code, (int)LOW(input)));
  observe_number((unsigned long long)use(&file, code, 5));
  observe_number((unsigned long long)adjust(&other, code, 2));
  observe_number((unsigned long long)adjust_by_difference(&other, code, 2));
  const void *state = 0;
  for (int i = 0; i < 7; ++i)
    observe_number(
        (unsigned long long)(i % 3 ? step(&other, &state, 2) : step(&file.references, &state, 4)));
  observe(&file.references, sizeof file.references);
}
