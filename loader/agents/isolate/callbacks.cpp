// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrappers of C library functions to which a domain passes a function that is called later, from
// outside of the domain: the C library gets the function's gate. The agent is preloaded, so these
// wrappers take precedence over the C library's functions.
#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include <dlfcn.h>
#include <pthread.h>

#include "agents/isolate/gates.h"
#include "agents/isolate/setup.h"
#include "agents/isolate/thread.h"

namespace sartor::isolate {

namespace {

/// Returns the C library's own function of that name. It is looked up on first use, because
/// constructors of other libraries may run before those of this one.
template <class Function> Function *next(Function *, const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

/// Returns the gate of a function that belongs to a domain, and other functions unchanged: the
/// caller may be outside of the domain. Constructors may hand out functions before the domains are
/// closed.
template <class Function> Function *gated(Function *function) {
  find_domains();
  const auto address = reinterpret_cast<std::uintptr_t>(function);
  Domain *domain = domains.of_code(address);
  return domain ? reinterpret_cast<Function *>(make_gate(*domain, address)) : function;
}

/// The function that a new thread runs, and its argument.
struct Begin {
  void *(*function)(void *);
  void *argument;
};

/// The destructor of this key makes an ending thread leave the domains that it is in.
pthread_key_t end_key;
bool has_end_key = false;

/// A thread begins outside of all domains, whichever domains its creator is in.
void *begin_thread(void *argument) {
  const Begin begin = *static_cast<Begin *>(argument);
  std::free(argument);
  for (Domain &domain : domains)
    domain.shut_out();
  if (has_end_key)
    pthread_setspecific(end_key, &this_thread);
  return begin.function(begin.argument);
}

} // namespace

void follow_threads() {
  has_end_key = pthread_key_create(&end_key, [](void *) { this_thread.leave_all(); }) == 0;
}

} // namespace sartor::isolate

using sartor::isolate::gated;
using sartor::isolate::next;

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-identifier-naming): the C library's
extern "C" {

int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void *object);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                   void *argument) noexcept {
  static const auto real = next(pthread_create, "pthread_create");
  auto *begin = static_cast<sartor::isolate::Begin *>(std::malloc(sizeof(sartor::isolate::Begin)));
  if (!begin)
    return EAGAIN;
  *begin = {gated(function), argument};
  const int error = real(thread, attributes, sartor::isolate::begin_thread, begin);
  if (error != 0)
    std::free(begin);
  return error;
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) noexcept {
  static const auto real = next(pthread_key_create, "pthread_key_create");
  return real(key, gated(destructor));
}

int __cxa_atexit(void (*function)(void *), void *argument, void *object) noexcept {
  static const auto real = next(__cxa_atexit, "__cxa_atexit");
  return real(gated(function), argument, object);
}

int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *object) noexcept {
  static const auto real = next(__cxa_thread_atexit_impl, "__cxa_thread_atexit_impl");
  return real(gated(function), argument, object);
}

int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void *object) {
  static const auto real = next(__register_atfork, "__register_atfork");
  return real(gated(prepare), gated(parent), gated(child), object);
}
}
// NOLINTEND(readability-identifier-naming)
#pragma GCC visibility pop
