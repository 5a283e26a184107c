// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The agent of the pass `isolate`: a library that the program preloads. It puts libraries into
// domains after all constructors of libraries have run and before the program's own code.
#include <dlfcn.h>
#include <pthread.h>

#include "agents/environment.h"
#include "agents/isolate/domain.h"
#include "agents/isolate/setup.h"
#include "agents/isolate/thread.h"

namespace sartor::isolate {

namespace {

using Main = int(int, char **, char **);
using Finish = void();

Finish *finish_libraries;

/// Destructors of libraries access the libraries' data, so the domains are opened first.
void finish() {
  for (Domain &domain : domains)
    domain.open_for_good();
  finish_libraries();
}

void begin_child() {
  for (Domain &domain : domains)
    domain.begin_anew(this_thread.has_entered(domain));
}

void begin() {
  agents::leave_preload();
  find_domains();
  if (domains.begin() == domains.end())
    return;
  find_jumps();
  follow_threads();
  pthread_atfork(nullptr, nullptr, begin_child);
  report_violations();
  close_domains();
}

} // namespace

} // namespace sartor::isolate

#pragma GCC visibility push(default)
/// Replaces the C library's function of this name, which the program's first code calls.
// NOLINTNEXTLINE(readability-identifier-naming): the C library's
extern "C" int __libc_start_main(sartor::isolate::Main *main, int argument_count, char **arguments,
                                 void (*init)(), void (*fini)(), sartor::isolate::Finish *finish,
                                 void *stack_end) {
  const auto real =
      reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
  sartor::isolate::begin();
  sartor::isolate::finish_libraries = finish;
  return real(main, argument_count, arguments, init, fini, sartor::isolate::finish, stack_end);
}
#pragma GCC visibility pop
