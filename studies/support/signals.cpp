// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "signals.h"

#include <csignal>
#include <initializer_list>

namespace studies {

namespace {

volatile std::sig_atomic_t end = 0;
volatile std::sig_atomic_t reload = 0;

} // namespace

void listen_to_signals() {
  for (const int signal : {SIGINT, SIGTERM})
    std::signal(signal, [](int) { end = 1; });
  std::signal(SIGHUP, [](int) { reload = 1; });
}

bool end_requested() { return end != 0; }

bool reload_requested() {
  if (reload == 0)
    return false;
  reload = 0;
  return true;
}

} // namespace studies
