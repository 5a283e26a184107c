/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions without any annotation: parameters, and the variables that may and may not be points.
 */
#include "work.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

static int level = 2;
static bool quiet;
static double factor = 1.5;
static int written = 1, written_below = 1, taken = 1, locked = 1;
static volatile sig_atomic_t signals;
static atomic_int counter = 1;
int outside = 4;
static _Thread_local int each = 5;
static struct {
  int a, b;
} both = {1, 2};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void set_level(int value) {
  level = value;
  quiet = value % 2;
  factor = value / 2.0;
  locked = value;
  outside = value;
  each = value;
  both.b = value;
}
int *address_of_taken(void) { return &taken; }
static __attribute__((noinline)) void write_below(void) { ++written_below; }
static void on_signal(int number) { signals = number; }
void listen(void) { signal(SIGUSR1, on_signal); }

int add(int x) { return x + 1; }
long sum(int count, int step, int (*f)(int)) {
  long total = 0;
  for (int i = 0; i < count; ++i)
    total += f(i * step);
  return total;
}
double mix(double x, float y, enum color color, bool up, const char *text, int unused) {
  return (color == RED ? x * y : x + y) * (up ? 2 : 1) + text[0];
}
long reads(int count) {
  long total = 0;
  for (int i = 0; i < count; ++i)
    total += i * level + (quiet ? 1 : (long)factor);
  return total;
}
int reads_only(const int *at) { return *at * level; }
long writes(int count) {
  for (int i = 0; i < count; ++i)
    written += i;
  return written;
}
long writes_below(int count) {
  long total = 0;
  for (int i = 0; i < count; ++i) {
    total += written_below;
    write_below();
  }
  return total;
}
long takes(int count, int *at) {
  const int before = taken;
  *at = count;
  return before * 100L + taken;
}
long locks(int count) {
  long total = locked;
  pthread_mutex_lock(&mutex);
  total += (long)locked * count;
  pthread_mutex_unlock(&mutex);
  return total;
}
long calls(int count, void (*changes)(int)) {
  const long before = level;
  changes(count);
  return before * 100 + level;
}
long hears(int count) {
  const int before = signals;
  raise(SIGUSR1);
  return (signals != before) + count;
}
long counts(int count) { return atomic_fetch_add(&counter, 1) + count + counter; }
long spins(int count) { return count + atomic_load(&counter) * 0 + level; }
long others(int count) { return count + outside + each + both.b; }
int variadic(int count, ...) {
  va_list list;
  va_start(list, count);
  const int first = va_arg(list, int);
  va_end(list);
  return first + count;
}
__attribute__((naked)) int bare(int x) { __asm__("leal 1(%rdi), %eax\n\tret"); }
__attribute__((always_inline)) inline static int inlined(int x) { return x + 1; }
__attribute__((weak)) int weak(int x) { return x + 2; }
int old(x)
int x;
{
  return x + 3;
}
__attribute__((ms_abi)) int foreign(int x) { return x + 4; }
int nothing(const char *text) { return text[0]; }
inline int shared(int x) { return x + level_of_header(); }
int caller(int x) {
  __builtin_return_address(0) == NULL ? ++x : 0;
  return x;
}
static long helper(long x) { return x * 3; }
long work(int x) { return helper(x) + inlined(x) + shared(x) + caller(x); }
