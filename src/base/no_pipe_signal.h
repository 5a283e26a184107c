// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Header-only, because libsartor-tls.so and libsartor-redis.so use it.
#ifndef SARTOR_BASE_NO_PIPE_SIGNAL_H
#define SARTOR_BASE_NO_PIPE_SIGNAL_H

#include <cerrno>
#include <csignal>
#include <ctime>

namespace sartor::base {

/// Suppresses SIGPIPE in this thread: OpenSSL writes to sockets that the other side may have
/// closed.
class NoPipeSignal {
public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec none{};
    if (!was_pending_) // takes the signal that was raised meanwhile
      while (sigtimedwait(&pipe_, nullptr, &none) < 0 && errno == EINTR)
        ;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal &) = delete;
  NoPipeSignal &operator=(const NoPipeSignal &) = delete;

private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

} // namespace sartor::base

#endif
