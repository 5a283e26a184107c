#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""many_functions.py COUNT: writes a handler file in C with that many functions, all of which the
program may point to, and which call each other."""
import sys

count = int(sys.argv[1])
print("""#include <stdint.h>
#include <sartor/points.h>
struct object;
typedef int64_t step(const struct object *object, int64_t value);
struct object {
  step *run;
  const struct object *next;
  int64_t by;
};
int64_t large_values;""")
for i in range(count):
    print(f"step f{i};")
for i in range(count):
    others = [f"f{j}(object, value)" if j < count else "value" for j in (i + 1, i + 1 + i * 7 % 40)]
    print(f"""int64_t f{i}(const struct object *object, int64_t value) {{
  value = value * {2 * i + 1} + object->by;
  for (int64_t j = 0; j < (object->by & 7); ++j)
    value = value * 3 + (value >> 7) + j;
  if (value & 1)
    value += {others[0]};
  if (value > 1000000) {{
    ++large_values;
    value = {others[1]};
  }}
  return object->next ? object->next->run(object->next, value) : value;
}}""")
print("step *steps[] = {" + ", ".join(f"f{i}" for i in range(count)) + "};")
print("""SARTOR_HANDLER int64_t handle(const struct object *object, int64_t value) {
  return object->run(object, value);
}""")
