// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code, data and thread-local data that must be aligned to more than a page. Each function returns
// how far its subject is above an aligned address. The compiler would know that: addresses pass
// through volatile variables.
enum { of_data = 8192, of_code = 65536, of_thread_data = 16384 };

__attribute__((aligned(of_data))) int data[3] = {1, 2, 3};
__attribute__((aligned(of_thread_data))) _Thread_local int thread_data[3] = {4, 5, 6};

__attribute__((aligned(of_code), noinline)) int code(void) { return 3; }

int value(void) { return data[2] + thread_data[2] + code(); }

static unsigned long distance(const volatile void *subject, unsigned long alignment) {
  const volatile void *volatile address = subject;
  return (unsigned long)address % alignment;
}

unsigned long distance_of_data(void) { return distance(data, of_data); }
unsigned long distance_of_code(void) {
  return distance((const volatile void *)(unsigned long)code, of_code);
}
unsigned long distance_of_thread_data(void) { return distance(thread_data, of_thread_data); }
