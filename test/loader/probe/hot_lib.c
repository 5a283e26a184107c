// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of many kinds, which may have copies elsewhere.
#include "hot.h"

#include <setjmp.h>
#include <stdint.h>
#include <unwind.h>

#define APART __attribute__((noinline))

static __thread int in_thread;
static int counts[8];

APART int hot_factorial(int number) { return number <= 1 ? 1 : number * hot_factorial(number - 1); }

APART int hot_even(int number) { return number == 0 ? 1 : hot_odd(number - 1); }
APART int hot_odd(int number) { return number == 0 ? 0 : hot_even(number - 1); }

APART int hot_switch(int what, int number) {
  switch (what) {
  case 0:
    return hot_factorial(number);
  case 1:
    return hot_even(number);
  case 2:
    return ++counts[2] * number;
  case 3:
    return number ^ 0x55;
  case 4:
    return hot_sum(3, number, number + 1, number + 2);
  case 5:
    return counts[2] - number;
  case 6:
    return hot_count_in_thread(number);
  case 7:
    return hot_switch(what - 5, number + 1) + 1;
  default:
    return -1;
  }
}

/// An interpreter with a table of labels.
APART int hot_goto(const char *program) {
  static const void *const labels[] = {&&stop, &&increment, &&doubled, &&negated};
  int value = 1;
#define NEXT goto *labels[*program++ & 3]
  NEXT;
increment:
  ++value;
  NEXT;
doubled:
  value *= 2;
  NEXT;
negated:
  value = -value;
  NEXT;
stop:
  return value;
}

APART int hot_vsum(int count, va_list numbers) {
  int sum = 0;
  for (int i = 0; i < count; ++i)
    sum += va_arg(numbers, int);
  return sum;
}

APART int hot_sum(int count, ...) {
  va_list numbers;
  va_start(numbers, count);
  const int sum = hot_vsum(count, numbers);
  va_end(numbers);
  return sum;
}

APART int hot_count_in_thread(int add) { return in_thread += add; }

static int chosen_generic(int number) { return number + 1; }
static int chosen_special(int number) { return number + 2; }
static HotFunction choose(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("sse2") ? chosen_special : chosen_generic;
}
int hot_chosen(int number) __attribute__((ifunc("choose")));

APART HotFunction hot_address(int which) {
  static const HotFunction functions[] = {hot_factorial, hot_even, hot_odd, hot_chosen};
  return functions[which];
}

APART int hot_is_at(int which, HotFunction function) {
  switch (which) {
  case 0:
    return function == hot_factorial;
  case 1:
    return function == hot_even;
  case 2:
    return function == hot_odd;
  default:
    return function == hot_chosen;
  }
}

static int count_frames(void *data) { return data != NULL ? hot_frames() : 0; }

/// Aligns its stack by more than the calling convention does.
APART int hot_aligned(const double *numbers, int count) {
  _Alignas(64) double sums[8] = {0};
  for (int i = 0; i < count; ++i)
    sums[i % 8] += numbers[i];
  const int is_aligned = (uintptr_t)sums % 64 == 0;
  return is_aligned && hot_call(count_frames, sums) > 0 ? (int)sums[3] : -1;
}

APART int hot_call(int (*callback)(void *), void *data) {
  ++counts[3];
  const int result = callback(data);
  --counts[3];
  return result;
}

APART void *hot_return_address(void) { return __builtin_return_address(0); }

APART int hot_is_copied(void) {
  const uintptr_t here = (uintptr_t)hot_return_address();
  volatile uintptr_t own = (uintptr_t)hot_is_copied;
  return here - own > 200;
}

/// The same, behind a jump through a table.
APART int hot_stays_copied(int what) {
  volatile uintptr_t own = (uintptr_t)hot_stays_copied;
  switch (what) {
  case 0:
    return counts[0] - 1;
  case 1:
    return hot_sum(2, what, counts[0]);
  case 2:
    return hot_even(what) - 3;
  case 3:
    return (uintptr_t)hot_return_address() - own > 400;
  case 4:
    return hot_factorial(what + counts[0]);
  case 5:
    return hot_count_in_thread(0) + 2;
  default:
    return -1;
  }
}

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *context, void *count) {
  if (_Unwind_GetIP(context) != 0)
    ++*(int *)count;
  return _URC_NO_REASON;
}

APART int hot_frames(void) {
  int count = 0;
  _Unwind_Backtrace(count_frame, &count);
  return count;
}

static jmp_buf back;
static APART void jump(int value) { longjmp(back, value); }
APART int hot_jumps(int times) {
  volatile int sum = 0;
  const int value = setjmp(back);
  sum += value;
  if (value < times)
    jump(value + 1);
  return sum;
}
