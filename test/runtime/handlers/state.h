// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_STATE_H
#define SARTOR_TEST_STATE_H

#include <cstdint>

extern int exported_count;
extern thread_local int exported_local;
extern const int square_table[8];

/// Handlers with the point "kind" (enum 1, 2); each adds `kind` to one variable and returns it.
int add_exported(int kind);
int add_static(int kind);       ///< Adds to the `count` of state.cpp.
int add_other_static(int kind); ///< Adds to the `count` of state_too.cpp.
int add_function_local(int kind);
int add_thread_local(int kind);
int add_static_thread_local(int kind);
int add_local_thread_local(int kind);
int add_inline_local(int kind); ///< Adds to a static local variable of an inline function.

/// Reads the same variables in native code.
int read_static();
int read_other_static();
int read_function_local();
int read_static_thread_local();
int read_local_thread_local();

inline int &inline_local() {
  static int count = 0;
  return count;
}

/// square_table[i] for i the point "index" (enum 0 ... 7).
int look_up(int i);

using Operation = int (*)(int);
/// A static function of state.cpp.
Operation native_operation();
/// A handler: whether `operation` is that static function; the result is multiplied by the point
/// "times" (enum 1, 2).
int is_native_operation(Operation operation, int times);
/// A handler: returns the address of the static function, as the handler sees it.
Operation operation_of_handler(int times);

#endif
