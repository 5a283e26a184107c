// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "state.h"

#include <sartor/points.h>

int exported_count = 0;
thread_local int exported_local = 0;
constinit const int square_table[8] = {0, 1, 4, 9, 16, 25, 36, 49};

static int count = 0;
static thread_local int count_of_thread = 0;

static int *function_local() {
  static int local = 0;
  return &local;
}

static int *local_thread_local() {
  static thread_local int local = 0;
  return &local;
}

static int negate(int x) { return -x; }

#define KIND sartor_enum("kind", kind, 1, 2)

SARTOR_HANDLER int add_exported(int kind) { return exported_count += KIND; }
SARTOR_HANDLER int add_static(int kind) { return count += KIND; }
SARTOR_HANDLER int add_function_local(int kind) { return *function_local() += KIND; }
SARTOR_HANDLER int add_thread_local(int kind) { return exported_local += KIND; }
SARTOR_HANDLER int add_static_thread_local(int kind) { return count_of_thread += KIND; }
SARTOR_HANDLER int add_local_thread_local(int kind) { return *local_thread_local() += KIND; }
SARTOR_HANDLER int add_inline_local(int kind) { return inline_local() += KIND; }

int read_static() { return count; }
int read_function_local() { return *function_local(); }
int read_static_thread_local() { return count_of_thread; }
int read_local_thread_local() { return *local_thread_local(); }

SARTOR_HANDLER int look_up(int i) {
  const int index = sartor_enum("index", i, 0, 1, 2, 3, 4, 5, 6, 7);
  return square_table[index];
}

Operation native_operation() { return &negate; }

SARTOR_HANDLER int is_native_operation(Operation operation, int times) {
  return (operation == &negate ? 1 : 0) * sartor_enum("times", times, 1, 2);
}

SARTOR_HANDLER Operation operation_of_handler(int times) {
  return sartor_enum("times", times, 1, 2) > 0 ? &negate : nullptr;
}
