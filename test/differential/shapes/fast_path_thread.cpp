// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fast paths of functions whose answer depends on the thread, without thread-local variables: the C
// library declares pthread_self() to read no memory. inputs: 8
#include "shape.h"
#include <pthread.h>
#include <thread>
static unsigned long by_thread(int i) { return (unsigned long)pthread_self() + (unsigned long)i; }
static unsigned long by_pointer(int i) {
  return (unsigned long)__builtin_thread_pointer() + (unsigned long)i;
}
SHAPE_C SARTOR_HANDLER unsigned long of_thread(int i) {
  return sartor_fast_path("thread", by_thread, i);
}
SHAPE_C SARTOR_HANDLER unsigned long of_pointer(int i) {
  return sartor_fast_path("pointer", by_pointer, i);
}
CALLED(of_thread);
CALLED(of_pointer);
HANDLERS(LISTED(of_thread), LISTED(of_pointer));
static void use(int i) {
  observe_number(call_of_thread(i) == by_thread(i));
  observe_number(call_of_pointer(i) == by_pointer(i));
}
SHAPE_C void program_run(unsigned input) {
  use(int(LOW(input)));
  std::thread(use, int(LOW(input))).join();
}
