// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "check.h"
#include "work.h"

static unsigned long depth(unsigned long left) {
  volatile char frame[1000];
  frame[left % sizeof frame] = 1;
  return left == 0 ? work(1) : depth(left - 1) + (unsigned long)frame[left % sizeof frame];
}

static void *in_thread(void *argument) {
  CHECK(depth(6000) == *(unsigned long *)argument + 6000);
  return NULL;
}

static int library_descends(const void *left, const void *right) {
  static int once;
  if (!once++)
    depth(2000);
  return *(const char *)left - *(const char *)right;
}

int main(void) {
  unsigned long expected = work(1);
  struct rlimit limit;
  CHECK(getrlimit(RLIMIT_STACK, &limit) == 0);
  // 7 MB of the usual 8 MB.
  CHECK(limit.rlim_cur < 8U << 20 || depth(6800) == expected + 6800);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, in_thread, &expected) == 0);
  pthread_join(thread, NULL);
  char text[] = "deep";
  qsort(text, 4, 1, library_descends);
  CHECK(strcmp(text, "deep") < 0 || strcmp(text, "deep") == 0);
  pthread_attr_t attributes;
  void *address;
  size_t size;
  CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
  CHECK(pthread_attr_getstack(&attributes, &address, &size) == 0);
  CHECK((char *)address < text && text < (char *)address + size);
  printf("%lu\n", (unsigned long)limit.rlim_cur);
  return wrong_count();
}
