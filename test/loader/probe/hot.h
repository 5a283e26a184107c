// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PROBE_HOT_H
#define SARTOR_LOADER_PROBE_HOT_H

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
#include <stdexcept>
#include <string>

struct HotError : std::runtime_error {
  HotError(const std::string &what, int number);
  ~HotError() override;
  int number;
};

struct HotShape {
  HotShape() = default;
  HotShape(const HotShape &) = delete;
  HotShape &operator=(const HotShape &) = delete;
  virtual ~HotShape();
  [[nodiscard]] virtual int corners() const = 0;
};

/// Recurses, and throws at the end; each frame has an object with a destructor.
int hot_throw(int depth, int number);
/// Catches what hot_throw() throws, or lets it pass; adds 1000 for each handler.
int hot_catch(int depth, int number);
/// Number of local objects that have been destroyed.
int hot_destroyed();
HotShape *hot_shape(int corners);

extern "C" {
#endif

typedef int (*HotFunction)(int);

int hot_factorial(int number);
int hot_even(int number); ///< Calls hot_odd() in tail position, and the reverse.
int hot_odd(int number);
int hot_switch(int what, int number);
int hot_goto(const char *program);
int hot_sum(int count, ...);
int hot_vsum(int count, va_list numbers);
int hot_count_in_thread(int add);
int hot_chosen(int number); ///< An indirect function.
HotFunction hot_address(int which);
int hot_is_at(int which, HotFunction function);
int hot_aligned(const double *numbers, int count);
int hot_call(int (*callback)(void *), void *data);
/// Returns the address that this function returns to.
void *hot_return_address(void);
/// 1 if the code of a function of this library is executed elsewhere than where its address is.
int hot_is_copied(void);
int hot_stays_copied(int what);
/// Number of frames from here to the end of the stack.
int hot_frames(void);
void *hot_next_malloc(void);
void *hot_wrapped_next(const char *name);
int hot_dl_call(int (*callback)(int), int number);
int hot_jumps(int times);

#ifdef __cplusplus
}
#endif

#endif
