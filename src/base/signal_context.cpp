// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/signal_context.h"

#include <csignal>
#include <cstdint>

#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

namespace sartor::base {

namespace {

/// The two signals that the C library uses internally.
constexpr std::uint64_t kInternal = (1ULL << 31) | (1ULL << 32);
/// Maximum number of frames of a handler.
constexpr unsigned kMostFrames = 64;

struct Walk {
  unsigned frames = 0;
  bool found = false;
};

_Unwind_Reason_Code look(_Unwind_Context *context, void *of) {
  auto &walk = *static_cast<Walk *>(of);
  int is_before = 0; // true if the frame was interrupted by a signal
  (void)_Unwind_GetIPInfo(context, &is_before);
  walk.found = is_before != 0;
  return walk.found || ++walk.frames == kMostFrames ? _URC_END_OF_STACK : _URC_NO_REASON;
}

} // namespace

bool is_in_signal_handler() {
  std::uint64_t blocked = 0;
  if (syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &blocked, sizeof blocked) != 0 ||
      (blocked & ~kInternal) == 0)
    return false;
  Walk walk;
  (void)_Unwind_Backtrace(look, &walk);
  return walk.found;
}

} // namespace sartor::base
